"""Pages and comments in a real browser: on a phone and on a desk, by day and by night.

Screenshots lie in the folder that `LUMOS_SHOTS` names, or in one of the test's own.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from lumos_snap.render.diff_formats import FORMATS, DiffStyle
from tests.render.dom import rendered
from tests.render.random_diffs import HOSTILE, all_hostile
from tests.render.samples import SAMPLES
from tests.world.pages.browser import Look, Seen, look_at

pytestmark = pytest.mark.world

PHONE, DESK = 390, 1280
LEAST_CONTRAST = 4.5  # what WCAG 2 asks of text at level AA
REPORTS = {**SAMPLES, **{f"hostile-{n}": all_hostile(text) for n, text in enumerate(HOSTILE)}}
WRITTEN = {
    f"written-{path.stem}": path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parents[1] / "action/golden").glob("*.md"))
}
"""Comments that the action has written into pull requests."""
_HOST = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><style>
body { font: 14px/1.5 "DejaVu Sans", sans-serif; max-width: 820px; margin: 16px auto;
  padding: 0 12px; overflow-wrap: anywhere; background: light-dark(#fff, #0d1117);
  color: light-dark(#1f2328, #e6edf3); }
code { font: 85% "DejaVu Sans Mono", monospace; padding: .2em .4em; border-radius: 6px;
  background: light-dark(#eff1f3, #262c36); }
table { border-collapse: collapse; display: block; overflow-x: auto; } td, th { padding: 6px 13px;
  border: 1px solid light-dark(#d1d9e0, #3d444d); } details { margin: 8px 0; }
</style>
"""
"""About the look of a comment on a host of repositories."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A page, and how it was looked at."""

    look: Look
    seen: Seen


def _looks(name: str, address: Path, shots: Path) -> list[Look]:
    return [
        Look(address.as_uri(), str(shots / f"{name}-{width}-{scheme}.png"), width, scheme)
        for width in (PHONE, DESK)
        for scheme in ("light", "dark")
    ]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Shown]]:
    folder = tmp_path_factory.mktemp("pages")
    shots = Path(os.environ.get("LUMOS_SHOTS", folder))
    looks: dict[str, list[Look]] = {}
    for name, report in REPORTS.items():
        pages = {
            f"page-{name}": FORMATS["html"](report, DiffStyle()),
            f"comment-{name}": _HOST
            + rendered(FORMATS["markdown"](report, DiffStyle(everything=True))),
        }
        for title, text in pages.items():
            path = folder / f"{title}.html"
            path.write_text(text, encoding="utf-8")
            found = _looks(title, path, shots)
            looks[title] = found if name in SAMPLES else found[:1]
    for title, text in WRITTEN.items():
        path = folder / f"{title}.html"
        path.write_text(_HOST + rendered(text), encoding="utf-8")
        looks[title] = _looks(title, path, shots)
    every = [look for some in looks.values() for look in some]
    seen = iter(look_at(every))
    return {title: [Shown(look, next(seen)) for look in some] for title, some in looks.items()}


PAGES = [*(f"{sort}-{name}" for name in REPORTS for sort in ("page", "comment")), *WRITTEN]


@pytest.mark.parametrize("title", PAGES)
def test_a_page_asks_for_nothing_and_runs_nothing(
    title: str, shown: dict[str, list[Shown]]
) -> None:
    for one in shown[title]:
        assert one.seen.asked == [one.look.url]
        assert one.seen.told == []


@pytest.mark.parametrize("title", PAGES)
def test_a_page_is_never_wider_than_the_screen(title: str, shown: dict[str, list[Shown]]) -> None:
    for one in shown[title]:
        assert one.seen.wide <= one.look.width, one.look.shot


@pytest.mark.parametrize("title", [title for title in PAGES if title.startswith("page-")])
def test_all_text_can_be_read_by_day_and_by_night(
    title: str, shown: dict[str, list[Shown]]
) -> None:
    for one in shown[title]:
        assert one.seen.contrast[0] >= LEAST_CONTRAST, (one.look.shot, one.seen.contrast)
        assert one.seen.size >= 14
    assert len({one.seen.back for one in shown[title]}) == len(
        {o.look.scheme for o in shown[title]}
    )


def test_comments_of_the_action_can_be_read(shown: dict[str, list[Shown]]) -> None:
    for one in shown["written-first-push"]:
        for words in ("email was removed", "What to do:", "BREAKING", "the run"):
            assert words in one.seen.text, (one.look.shot, words)
        assert "lumos-snap" not in one.seen.text  # the mark is hidden
    for one in shown["written-fixed-push"]:
        assert "No dataset changed." in one.seen.text


def test_everything_is_there_to_read(shown: dict[str, list[Shown]]) -> None:
    for one in (*shown["page-rich"], *shown["comment-rich"]):
        for words in (
            "2 breaking changes",
            "affects 3 downstream datasets of 2 teams",
            "coupon was removed",
            "Every query that names the column fails.",
            "data/trees/prod/snapshots/postgres/shop/public/orders.json:14",
            "coupon_share is made from coupon",
            "AT RISK",
            "all fit (sales, until 2999-12-31)",
            "channel was added: STRING",
            "the waiver expired on 2026-01-31",
            "data/trees/prod/snapshots/s3/lake/was-broken.json",
        ):
            assert words in one.seen.text, (one.look.shot, words)
