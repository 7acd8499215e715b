"""Where documents lie: any name, on any file system, one place each."""

import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumos_snap.canonical.paths import join_path, names_at, path_of, urn_of
from lumos_snap.errors import LumosError
from lumos_snap.model.urn import Urn
from tests.strategies import SMALL
from tests.strategies.texts import ODD_TEXTS, names, odd_texts
from tests.strategies.urns import urns

PLACES = [
    (("s3", "lake", "raw", "clicks"), "s3/lake/raw/clicks.json"),
    (("s3", "a.b"), "s3/a.b.json"),
    (("s3", "..", "."), "s3/%2E%2E/%2E.json"),
    (("s3", ".git", "config"), "s3/%2Egit/config.json"),
    (("s3", "a/b"), "s3/a%2Fb.json"),
    (("s3", "a.json", "b.json"), "s3/a%2Ejson/b.json.json"),
    (("con", "nul.txt"), "%63on/%6Eul.txt.json"),
    (("s3", "com10"), "s3/com10.json"),
    (("s3", "a.", "b "), "s3/a%2E/b%20.json"),
    (("s3", "a~b"), "s3/a%7Eb.json"),
    (("s3", "\udcff"), "s3/%FF.json"),
    (("s3", "Clicks"), "s3/Clicks~921fc9.json"),
    (("s3", "e\u0301"), "s3/e%CC%81.json"),
    (("s3", "日本語"), "s3/日本語.json"),
    (("s3", "हिन्दी"), "s3/हिन्दी.json"),
    (("s3", "x" * 201), f"s3/{'x' * 200}%/x.json"),
    (("s3", "x" * 200), f"s3/{'x' * 200}.json"),
]
REFUSED = (
    "", "a", "a.json", ".json", "s3/", "s3/.json", "s3/a", "s3/a.JSON", "/s3/a.json",
    "s3//a.json", "../s3/a.json", "s3/../a.json", "s3/./a.json", "./s3/a.json",
    "s3/a.json/b.json", "S3/a.json", "s3/A.json", "s3/A~000000.json", "s3/a~000000.json",
    "s3/%61.json", "s3/a%2fb.json", "s3/a%.json", "s3/a%/b.json", "s3/a%/.json", "s3/%.json",
    "s3/%/%.json", "s3/con.json", "s3/a .json", "s3/a..json", "s3/e\u0301.json", "s3/\ud800.json",
    "s3/\udcff.json", "s3/\U00010d50.json", "s3/a:b.json", "s3\\a.json", "C:/a.json", "s3/%FF%FE",
    "s3/a\n.json", f"s3/{'x' * 201}.json",
)  # fmt: skip
FORBIDDEN = set('<>:"\\|?*') | set(map(chr, range(32))) | {"\x7f"}
RESERVED = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"
}
# How file systems blur names: each ignores case or spelling in its own way.
BLURS: list[Callable[[str], str]] = [
    str.lower,
    str.upper,
    str.casefold,
    lambda text: unicodedata.normalize("NFC", text),
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: unicodedata.normalize("NFC", text.casefold()),
    lambda text: unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).casefold()),
    lambda text: unicodedata.normalize("NFD", text.upper()),
    lambda text: unicodedata.normalize("NFD", text.lower()),
]


@pytest.mark.parametrize(("known", "path"), PLACES, ids=[path[:40] for _, path in PLACES])
def test_a_document_lies_where_its_names_say(known, path):
    assert join_path(known) == path
    assert names_at(path) == known


@pytest.mark.parametrize("path", REFUSED, ids=ascii)
def test_no_document_belongs_anywhere_else(path):
    with pytest.raises(LumosError):
        urn_of(path)


@SMALL
@given(urns)
def test_every_urn_has_a_path_that_leads_back(urn):
    assert urn_of(path_of(urn)) == urn


@SMALL
@given(st.one_of(st.text(), odd_texts, st.text(alphabet="ab/.%~jsonE2F")).map("s3/{}.json".format))
@example("s3/a%2Ejson.json")
def test_a_path_without_a_urn_is_refused(path):
    try:
        urn = urn_of(path)
    except LumosError:
        return
    assert path_of(urn) == path


@SMALL
@given(urns)
def test_every_segment_is_a_name_that_every_file_system_can_hold(urn):
    path = path_of(urn)
    assert not PurePosixPath(path).is_absolute()
    assert not PureWindowsPath(path).drive
    *folders, file = path.split("/")
    assert file.endswith(".json")
    assert not any(folder.casefold().endswith(".json") for folder in folders)
    for segment in (*folders, file):
        check_segment(segment)


@pytest.mark.parametrize("name", ODD_TEXTS, ids=lambda name: ascii(name[:12]))
def test_every_odd_name_is_held_as_folder_and_as_file(name):
    for segment in path_of(Urn("s3", (name, name))).split("/"):
        check_segment(segment)


def check_segment(segment: str) -> None:
    assert segment
    assert len(segment.encode()) <= 255
    assert not set(segment) & FORBIDDEN
    assert segment.casefold().partition(".")[0].rstrip(" ") not in RESERVED
    assert not segment.startswith(".")
    assert not segment.endswith((".", " "))
    assert not segment.casefold().startswith(".git")
    assert unicodedata.normalize("NFC", segment) == segment
    assert all(unicodedata.ucd_3_2_0.category(char)[0] != "C" for char in segment)


# Small alphabets, so that names differ in what file systems blur and in nothing else.
_TWINS = st.text(
    alphabet="aAiI\u0131İßẞeEéÉ\u017fsSkK\u212aµμς\u03c3ΣåÅ\u212b\u030a\u0301\u0307\u0345\u03b1ᾳΐ"
    "\u1c90\u10d0\u13a0\uab70ǆǅǄ\u03b9\u1fbe\u0149\u01f0.%~/ #"
    "\U00010400\U00010428\U00010d50\U00010d70\U0001e900\U0001e922",
    min_size=1,
    max_size=3,
)
_small_names = st.one_of(_TWINS, st.sampled_from(("a.json", "a", "a.JSON", "con", "CON", ".git")))


@SMALL
@given(st.lists(st.lists(st.one_of(_small_names, names), min_size=1, max_size=3), min_size=2))
@example([["i"], ["\u0131"]])
@example([["I"], ["\u0131"]])
@example([["\u0345"], ["\u03b9"]])
@example([["a"], ["a.json", "b"]])
@example([["x" * 200], ["x" * 201]])
def test_different_names_never_share_a_place(known):
    urns = {Urn("s3", tuple(parts)) for parts in known}
    paths = [path_of(urn) for urn in urns]
    for blur in BLURS:
        assert len({blur(path) for path in paths}) == len(urns)


@SMALL
@given(st.lists(st.lists(_small_names, min_size=1, max_size=3), min_size=2))
def test_no_document_lies_where_another_needs_a_folder(known):
    paths = {path_of(Urn("s3", tuple(parts))).casefold() for parts in known}
    folders = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    assert not paths & folders


def changing_characters() -> Iterator[str]:
    """Every character that some blur changes, and every character that one becomes."""
    for char in map(chr, (*range(0xD800), *range(0xE000, 0x30000))):
        blurred = {blur(char) for blur in BLURS}
        if blurred != {char}:
            yield from {char, *blurred}


CHANGING = sorted(set(changing_characters()))


@pytest.mark.parametrize("blur", BLURS)
def test_no_two_characters_share_a_place(blur):
    places = {blur(join_path(("s3", char))) for char in CHANGING}
    assert len(places) == len(CHANGING)


def test_a_place_does_not_depend_on_the_version_of_unicode():
    """Later versions give characters case and marks that earlier ones know nothing of."""
    known = unicodedata.ucd_3_2_0
    later = [text for text in CHANGING if any(known.category(char) == "Cn" for char in text)]
    for path in [join_path(("s3", text)) for text in later if len(text) == 1]:
        assert path.isascii()
        assert "~" not in path


def test_a_place_does_not_depend_on_the_process():
    script = (
        "from lumos_snap.canonical.paths import join_path;"
        "print(ascii(join_path(('s3', 'Ünï', 'A'))))"
    )
    command = [sys.executable, "-c", script]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    assert found == ascii(join_path(("s3", "Ünï", "A")))
