import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from lumos_snap.cli.app import Command, LazyGroup
from lumos_snap.cli.app import lumos as top
from tests.cli.conftest import Lumos


def _commands(
    path: tuple[str, ...], group: LazyGroup
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, LazyGroup):
            yield from _commands((*path, name), command)


COMMANDS = dict(_commands((), top))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_examples(path: tuple[str, ...], lumos: Lumos) -> None:
    ran = lumos(*path, "--help")
    assert ran.code == 0
    assert "Examples:\n" in ran.out
    assert f"lumos {' '.join(path)}" in ran.out


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_stands_in_the_list_under_its_own_name(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    assert command.name == path[-1]


@pytest.mark.parametrize(
    "path", [p for p, c in COMMANDS.items() if isinstance(c, Command)], ids=" ".join
)
def test_every_option_says_what_it_does(path: tuple[str, ...]) -> None:
    options = [p for p in COMMANDS[path].params if isinstance(p, click.Option)]
    assert [option.name for option in options if not option.help] == []


def test_every_example_names_options_that_there_are() -> None:
    for path, command in COMMANDS.items():
        if isinstance(command, Command):
            known = {name for p in command.params for name in p.opts}
            for example in command.examples:
                own = example.split("|")[0].split("#")[0]
                assert set(re.findall(r"(?<= )--[a-z-]+", own)) <= known, (path, example)


def test_the_version_names_tool_and_format(lumos: Lumos) -> None:
    assert re.fullmatch(
        r"lumos \d+\.\d+\.\d+ \(snapshot format \d+\.\d+\.\d+\)\n", lumos("--version").out
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["snp"], "Did you mean 'snap'?"),
        (["snap", "valdate"], "Did you mean 'validate'?"),
        (["sync"], "No such command 'sync'. Did you mean 'snap sync'?"),
        (["snap", "ls", "--nope"], "No such option"),
        (["snap", "show"], "Missing argument"),
        (["schema", "nope"], "there is no schema 'nope'"),
        (["completion", "tcsh"], "'tcsh' is not one of"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(arguments: list[str], says: str, lumos: Lumos) -> None:
    ran = lumos(*arguments)
    assert ran.code == 2
    assert says in ran.err
    assert ran.err.startswith("lumos: ")
    assert ran.out == ""


@pytest.mark.parametrize("arguments", [[], ["snap"]])
def test_no_command_shows_help_and_exits_2(arguments: list[str], lumos: Lumos) -> None:
    ran = lumos(*arguments)
    assert ran.code == 2
    assert "Usage: lumos" in ran.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_each_shell(shell: str, lumos: Lumos) -> None:
    ran = lumos("completion", shell)
    assert ran.code == 0
    assert f"_LUMOS_COMPLETE={shell}_complete" in ran.out


def test_bash_completes_commands() -> None:
    program = "import sys; from lumos_snap.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"_LUMOS_COMPLETE": "bash_complete", "COMP_WORDS": "lumos snap va", "COMP_CWORD": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "plain,validate\n"


def test_a_bug_is_one_line_and_exit_70(
    lumos: Lumos, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh\x1b[31m")

    monkeypatch.setattr("lumos_snap.cli.snap.look.list_datasets", broken)
    ran = lumos("snap", "ls")
    assert ran.code == 70
    assert "internal error: ZeroDivisionError: oh\\x1b[31m" in ran.err


def test_an_interruption_exits_130(
    lumos: Lumos, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lumos_snap.cli.snap.look.list_datasets", stopped)
    assert lumos("snap", "ls").code == 130


def test_a_reader_that_leaves_early_is_no_error(shop: Path) -> None:
    program = "import sys; from lumos_snap.cli import main; sys.exit(main(['snap', 'export']))"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 0


def test_a_name_cannot_begin_a_line_of_its_own(lumos: Lumos, shop: Path) -> None:
    ran = lumos("snap", "show", "a\n::error file=x::pwned")
    assert ran.code == 2
    assert not [line for line in ran.err.splitlines() if line.startswith("::")]


@pytest.mark.parametrize(
    ("redirection", "variables", "code"),
    [
        ("> /dev/full", {}, 3),
        (">&-", {}, 0),
        ("> /dev/null", {"PYTHONIOENCODING": "ascii"}, 0),
        ("> /dev/null", {"LC_ALL": "C", "PYTHONUTF8": "0"}, 0),
    ],
    ids=str,
)
def test_an_output_that_cannot_be_written_is_no_bug(
    shop: Path, redirection: str, variables: dict[str, str], code: int
) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m lumos_snap snap show silver/orders {redirection}"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("snap show zzz 2>/dev/full", 2),
        ("snap ls -C /nope 2>/dev/full", 2),
        ("snap ls >/dev/full 2>/dev/full", 3),
        ("snap ls --nope 2>/dev/full", 2),
        ("snap import - <&-", 2),
        ("snap validate | true; exit ${PIPESTATUS[0]}", 0),
        ("--help | (exec 0<&-; sleep 0.5); exit ${PIPESTATUS[0]}", 0),
        ("snap validate --json | (exec 0<&-; sleep 0.5); exit ${PIPESTATUS[0]}", 0),
        ("snap validate nope.json | true; exit ${PIPESTATUS[0]}", 2),
    ],
)
def test_the_exit_code_does_not_depend_on_who_listens(shop: Path, command: str, code: int) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m lumos_snap {command}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_findings_stay_findings_when_the_reader_leaves(shop: Path) -> None:
    for file in shop.glob("snapshots/**/*.json"):
        file.write_text("{")
    script = f"{sys.executable} -m lumos_snap snap validate | (exec 0<&-; sleep 0.5)"
    done = subprocess.run(["bash", "-c", f"{script}; exit ${{PIPESTATUS[0]}}"], check=False)
    assert done.returncode == 1
