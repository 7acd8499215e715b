"""All rows of the hostile table, by area.

`python -m tests.hostile.table` prints it: what each command must answer, or why a trick says
nothing of its exit code.
"""

from collections.abc import Iterator

from tests.hostile.trick import COMMANDS, Trick
from tests.hostile.tricks import limits, links, paths, policy, repositories, validity

TRICKS: tuple[Trick, ...] = (
    *limits.TRICKS,
    *links.TRICKS,
    *paths.TRICKS,
    *policy.TRICKS,
    *repositories.TRICKS,
    *validity.TRICKS,
)


def lines() -> Iterator[str]:
    """The table in Markdown, and below it why cells without an exit code have none."""
    reasons: dict[str, int] = {}
    yield f"| trick | place | {' | '.join(COMMANDS)} |"
    yield f"|---|---|{'---|' * len(COMMANDS)}"
    for trick in TRICKS:
        cells = (_cell(trick, command, reasons) for command in COMMANDS)
        yield f"| {trick.name} | `{trick.place}` | {' | '.join(cells)} |"
    yield ""
    yield f"{len(TRICKS)} tricks, {len(TRICKS) * len(COMMANDS)} cells, each with a test."
    yield "A number is the exit code that is expected. A letter says why the code is not: nothing"
    yield "runs and nothing is written outside in these cells either."
    yield ""
    yield from (f"- {_letters(number)}: {why}" for why, number in reasons.items())


def _cell(trick: Trick, command: str, reasons: dict[str, int]) -> str:
    answer = trick.answers.get(command)
    if answer is not None:
        return " or ".join(map(str, answer.codes))
    return _letters(reasons.setdefault(trick.unaffected[command], len(reasons)))


def _letters(number: int) -> str:
    """a to z, then aa to az, and so on."""
    head, last = divmod(number, 26)
    return f"{_letters(head - 1) if head else ''}{chr(ord('a') + last)}"


if __name__ == "__main__":
    print("\n".join(lines()))
