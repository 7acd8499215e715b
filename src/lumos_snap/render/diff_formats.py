"""The output formats of a diff, one row each."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lumos_snap.errors import LumosError
from lumos_snap.text import sanitize_text

if TYPE_CHECKING:
    from lumos_snap.report.diff import DiffReport


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffStyle:
    """The options for rendering a diff."""

    limit: int = 100
    """The maximum number of findings in plain text; 0 shows all."""
    everything: bool = False
    """Whether human-readable formats also show changes that are not breaking."""
    files: str = ""
    """The base URL of files on the new side, if pages should link to them."""


Render: TypeAlias = Callable[["DiffReport", DiffStyle], str]

# Each module is imported only if its format is requested, to finish sooner.
# ruff: noqa: PLC0415


def _text(report: "DiffReport", style: DiffStyle) -> str:
    from lumos_snap.render.diff_text import difference

    lines = difference(report, limit=style.limit, everything=style.everything)
    return "".join(f"{sanitize_text(line)}\n" for line in lines)


def load_text() -> None:
    """Import the default format ahead of time."""
    import lumos_snap.render.diff_text  # noqa: F401 - loaded for later


def _json(report: "DiffReport", _style: DiffStyle) -> str:
    from lumos_snap.render.json_report import to_json

    return to_json(report)


def _ndjson(report: "DiffReport", _style: DiffStyle) -> str:
    from lumos_snap.render.json_report import difference

    return difference(report)


def _markdown(report: "DiffReport", style: DiffStyle) -> str:
    from lumos_snap.render.markdown import difference

    return difference(report, everything=style.everything, files=style.files)


def _summary(report: "DiffReport", style: DiffStyle) -> str:
    from lumos_snap.render.markdown import SUMMARY, difference

    return difference(report, everything=style.everything, files=style.files, most=SUMMARY)


def _html(report: "DiffReport", style: DiffStyle) -> str:
    from lumos_snap.render.html import difference

    return difference(report, files=style.files)


def _github(report: "DiffReport", style: DiffStyle) -> str:
    from lumos_snap.render.annotations import github_commands

    return github_commands(report, everything=style.everything)


def _gitlab(report: "DiffReport", style: DiffStyle) -> str:
    from lumos_snap.render.annotations import gitlab_issues

    return gitlab_issues(report, everything=style.everything)


def _azure(report: "DiffReport", style: DiffStyle) -> str:
    from lumos_snap.render.annotations import azure_commands

    return azure_commands(report, everything=style.everything)


def _junit(report: "DiffReport", _style: DiffStyle) -> str:
    from lumos_snap.render.junit import difference

    return difference(report)


def _sarif(report: "DiffReport", style: DiffStyle) -> str:
    from lumos_snap.render.sarif import difference

    return difference(report, everything=style.everything)


def _env(report: "DiffReport", _style: DiffStyle) -> str:
    from lumos_snap.render.key_values import difference

    return "".join(f"{line}\n" for line in difference(report))


FORMATS: Mapping[str, Render] = {
    "text": _text,
    "json": _json,
    "ndjson": _ndjson,
    "markdown": _markdown,
    "html": _html,
    "github": _github,
    "gitlab": _gitlab,
    "azure": _azure,
    "junit": _junit,
    "sarif": _sarif,
    "summary": _summary,
    "env": _env,
}


@dataclass(frozen=True, slots=True)
class Output:
    """A format and its output file; without a file it is printed."""

    render: Render
    file: Path | None


def parse_outputs(wanted: Sequence[str]) -> tuple[Output, ...]:
    """Parse `FORMAT[=FILE]` options."""
    found = tuple(map(_one, wanted))
    if sum(one.file is None for one in found) > 1:
        raise LumosError(
            "only one output can be printed", hint="send the others to files: --output json=FILE"
        )
    _require_apart([one.file for one in found if one.file is not None])
    return found


def _require_apart(files: Sequence[Path]) -> None:
    """Reject two outputs to one file: the second would silently replace the first."""
    seen: set[str] = set()
    for file in files:
        real = os.path.realpath(file)
        if real in seen and not file.is_char_device():
            raise LumosError(f"{file}: two outputs go to it", hint="name a file for each")
        seen.add(real)


def _one(text: str) -> Output:
    name, equals, file = text.partition("=")
    if name not in FORMATS:
        raise LumosError(f"there is no output `{name}`", hint=f"choose {format_names()}")
    if equals and not file:
        raise LumosError(f"{text}: no file is named", hint=f"write {name}=FILE, or {name}")
    return Output(FORMATS[name], Path(file) if file not in ("", "-") else None)


def format_names() -> str:
    """The names of all formats, in a sentence."""
    *most, last = FORMATS
    return f"{', '.join(most)} or {last}"
