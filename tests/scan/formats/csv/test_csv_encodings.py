"""Files in encodings that they do not declare: names are right, or a note has doubts."""

import builtins
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from lumos_snap.scan.formats import legacy_encoding, text_encoding
from tests.scan.formats.csv.encoded_files import EncodedFile, encoded_files
from tests.scan.formats.text_descriptions import Answer, ask, refusal

FILES = list(encoded_files(100))
DETECTED, UNCERTAIN = "the encoding is detected as ", "the encoding is uncertain, read as "
RUSSIAN = "код;наименование;город\n" + "1;Молоко пастеризованное;Екатеринбург\n2;Хлеб;Москва\n"
JAPANESE = "商品コード,商品名,在庫\n" + "1,ノートパソコン,在庫あり\n2,ソフトウェア,予約商品\n"


def notes_on_encoding(answer: Answer) -> list[str]:
    return [note for note in answer.notes if "encoding" in note]


def names_of(answer: Answer) -> Sequence[str]:
    return [name for name, _ in answer.columns]


def verdict(file: EncodedFile) -> str:
    """What a reader of the report learns of a file."""
    answer = ask(file.data, "csv")
    notes = notes_on_encoding(answer)
    right = "right" if names_of(answer) == [*file.names] else "wrong"
    if file.data.isascii():
        assert (answer.encoding, notes) == (None, [])
        return f"ASCII, {right}"
    assert len(notes) == 1
    assert answer.encoding
    assert answer.encoding in notes[0]
    return f"{'detected' if notes[0].startswith(DETECTED) else 'uncertain'}, {right}"


def test_names_of_a_hundred_files_are_right_or_the_encoding_is_called_uncertain() -> None:
    assert len({file.encoding for file in FILES}) >= 12
    found = Counter(map(verdict, FILES))
    assert found["detected, wrong"] == found["ASCII, wrong"] == 0
    # With chardet 7.7: 72 detected, 24 uncertain, 4 ASCII, all of them right.
    assert found["detected, right"] >= 65
    assert found["uncertain, wrong"] <= 5
    assert found.total() == 100


def test_an_encoding_that_is_detected_is_the_one_of_the_file() -> None:
    """Values are right as well, not only names: the file is read as it was written."""
    wrong = []
    for file in FILES:
        text = text_encoding.decode_text(file.data, whole=True)
        assert text is not None
        if text.doubt == text_encoding.DETECTED and text.text != file.data.decode(file.encoding):
            wrong.append((file.language, file.encoding, text.encoding))
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "codec", "encoding"),
    [
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8_r", "koi8-r"),
        (RUSSIAN, "cp866", "ibm866"),
        (JAPANESE, "shift_jis", "shift_jis"),
        (JAPANESE.replace("在庫あり", "\u2460\u3231"), "cp932", "windows-31j"),
        (JAPANESE, "euc_jp", "euc-jp"),
    ],
)
def test_the_encoding_is_stated_and_called_detected(text: str, codec: str, encoding: str) -> None:
    answer = ask(text.encode(codec), "csv")
    assert names_of(answer) == text.partition("\n")[0].replace(";", ",").split(",")
    assert answer.encoding == encoding
    assert answer.notes == (f"{DETECTED}{encoding}, not declared",)


def test_japanese_that_switches_by_escapes_declares_its_encoding() -> None:
    answer = ask(JAPANESE.encode("iso2022_jp"), "csv")
    assert names_of(answer) == ["商品コード", "商品名", "在庫"]
    assert (answer.encoding, answer.notes) == ("iso-2022-jp", ())


@pytest.mark.parametrize("codec", ["shift_jis", "euc_jp", "cp1251"])
def test_a_character_that_the_head_cuts_changes_nothing(codec: str) -> None:
    text = (JAPANESE if codec != "cp1251" else RUSSIAN).replace("2", "2" * 1_000)
    raw = text.encode(codec)
    for end in range(len(raw) - 8, len(raw)):
        found = text_encoding.decode_text(raw[:end], whole=False)
        assert found is not None
        assert found.doubt == text_encoding.DETECTED
        assert text.startswith(found.text)


def test_a_head_that_is_one_line_is_decoded() -> None:
    text = '[{"название": "' + "Молоко пастеризованное и хлеб ржаной, " * 1_000 + '"}]'
    for data in (text.encode("cp1251"), text.encode("cp1251")[:20_000]):
        found = text_encoding.decode_text(data, whole=False)
        assert found is not None
        assert text.startswith(found.text)
    answer = ask(text.encode("cp1251"), "json")
    assert (answer.types, answer.encoding) == ({"название": "STRING"}, "windows-1251")


def test_one_or_two_letters_tell_too_little() -> None:
    answer = ask("id,größe\n1,2\n".encode("cp1252"), "csv")
    assert (names_of(answer), answer.encoding) == (["id", "größe"], "windows-1252")
    assert notes_on_encoding(answer)[0].startswith(UNCERTAIN)


def test_few_broken_characters_leave_the_encoding_uncertain() -> None:
    raw = JAPANESE.encode("shift_jis") * 20 + b"3,\x81\xff,x\n"
    answer = ask(raw, "csv")
    assert answer.encoding in {"shift_jis", "windows-31j"}
    assert notes_on_encoding(answer)[0].startswith(UNCERTAIN)


@pytest.mark.parametrize(
    ("text", "plausible"),
    [
        ("Straße; 12 °C; 5 €; „Zitat“; L\u2019Hôpital; São-Paulo", True),
        ("ทอดมัน", True),
        ("мОЛОКО пАСТЕРИЗОВАННОЕ", False),
        ("f\x81r", False),
        ("K¦ln gr÷¡er", False),
        ("╡╨╗┘", False),
    ],
)
def test_letters_stand_where_languages_write_them(text: str, *, plausible: bool) -> None:
    assert legacy_encoding.is_plausible(text, "cp1252") == plausible


def test_japanese_syllables_are_not_plausible_in_chinese() -> None:
    assert not legacy_encoding.is_plausible("在庫あり", "gb18030")


def test_ideographs_within_latin_words_are_not_plausible() -> None:
    assert not legacy_encoding.is_plausible("r廧ondre", "big5hkscs")
    assert legacy_encoding.is_plausible("Tシャツ 在庫あり", "cp932")


@pytest.fixture
def _no_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **named: Any) -> Any:
        if name == "chardet":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)


@pytest.mark.usefixtures("_no_detector")
def test_without_the_detector_western_text_is_read_and_the_note_says_why() -> None:
    answer = ask("id,größe\n1,2\n".encode("cp1252"), "csv")
    assert (names_of(answer), answer.encoding) == (["id", "größe"], "windows-1252")
    (note,) = answer.notes
    assert note.startswith("the encoding is unknown, read as windows-1252: ")
    assert note.endswith("(chardet 7.2 or newer is not installed where files are read)")
    assert ask(b"id,name\n1,\xe9\x81\n", "csv").encoding == "iso-8859-1"
    assert refusal("абвгдежз;абвгдежз\n".encode("cp1251") * 9, "csv") == "damaged"


def test_an_older_detector_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import chardet  # noqa: PLC0415 - only this test needs it

    monkeypatch.setattr(chardet, "detect_all", lambda _raw: [])
    answer = ask("id,größe\n1,2\n".encode("cp1252"), "csv")
    assert "the encoding is unknown" in answer.notes[0]


def test_unicode_needs_no_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy_encoding, "detect_legacy_text", None)
    for codec in ("ascii", "utf-8", "utf-8-sig", "utf-16"):
        text = "id,name\n1,x\n" if codec == "ascii" else "id,größe\n1,x\n"
        assert notes_on_encoding(ask(text.encode(codec), "csv")) == []
