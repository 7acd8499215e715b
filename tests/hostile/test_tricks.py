"""Every trick against every command: none is green, none is unsafe."""

import re
from pathlib import Path

import pytest

from tests.hostile import measure
from tests.hostile.table import TRICKS
from tests.hostile.trick import COMMANDS, Trick

_CELLS = [(trick, command) for trick in TRICKS for command in COMMANDS]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trick", "command"), _CELLS, ids=[f"{trick.id}-{command}" for trick, command in _CELLS]
)
def test_no_command_is_deceived(trick: Trick, command: str, prepared: Path, tmp_path: Path) -> None:
    request = measure.copy_of(prepared, tmp_path)
    trick.plant(request)
    request.commit()
    trick.machine(request)
    outcome = measure.run(
        request, trick.commands.get(command, COMMANDS[command]), trick.environment
    )
    answer = trick.answers.get(command)
    wrongs = [*outcome.wrongs]
    if answer is not None and outcome.code not in answer.codes:
        wrongs.append(f"exit {outcome.code}")
    if answer is not None and not re.search(answer.text, outcome.output, re.MULTILINE):
        wrongs.append(f"does not say {answer.text!r}")
    assert not wrongs, f"{'; '.join(wrongs)}\n{outcome.output[:4000]}"


def test_the_untouched_repository_is_green(prepared: Path, tmp_path: Path) -> None:
    request = measure.copy_of(prepared, tmp_path)
    for command, arguments in COMMANDS.items():
        outcome = measure.run(request, arguments, {})
        assert (outcome.code, outcome.wrongs) == (0, ()), f"{command}: {outcome.output}"


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.id)
def test_every_cell_has_an_answer_or_a_reason(trick: Trick) -> None:
    assert not trick.answers.keys() & trick.unaffected.keys()
    assert trick.answers.keys() | trick.unaffected.keys() == COMMANDS.keys()
    for command, answer in trick.answers.items():
        assert 0 not in answer.codes or (command == "comment" and answer.text)


def test_names_are_unique() -> None:
    ids = [trick.id for trick in TRICKS]
    assert len(set(ids)) == len(ids)
