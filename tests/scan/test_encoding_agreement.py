"""Files of one dataset are read in one encoding where it is uncertain in some of them."""

from collections.abc import Sequence

from lumos_snap.scan.dataset import Evidence
from lumos_snap.scan.description import DatasetDescription, describe_dataset
from tests.scan.formats.csv.encoded_files import FRENCH
from tests.scan.formats.text_descriptions import probed

RUSSIAN = "код;город\n1;Екатеринбург и Нижний Новгород\n2;Санкт-Петербург, Москва\n"
UNCERTAIN = "the encoding is uncertain, read as {}: characters beyond ASCII may be wrong"


def described(files: Sequence[bytes]) -> DatasetDescription:
    evidence = Evidence()
    for number, data in enumerate(files):
        found = probed(data, "csv")
        evidence.add(
            {
                "format": found.format,
                "schema": found.schema,
                "files": 1,
                "rows": found.rows,
                "versions": (),
                "codecs": found.codecs,
                "examples": (f"part-{number}.csv",),
            }
        )
    return describe_dataset(evidence)


def names_of(found: DatasetDescription) -> list[str]:
    return [field.name for field in found.united.schema.fields]


FULL = "id;Créé le\n" + "".join(f"{i};{word}\n" for i, word in enumerate(FRENCH.words))


def test_a_file_with_few_letters_is_read_like_those_beside_it() -> None:
    """Alone, the French name could be another one in Hebrew letters."""
    few = "id;Créé le\n1;x\n".encode("cp1252")
    alone, beside = described([few]), described([few, FULL.encode("cp1252")])
    assert alone.notes == (UNCERTAIN.format(alone.leading.encoding),)
    assert alone.leading.encoding != "windows-1252"
    assert (names_of(beside), beside.leading.encoding) == (["id", "Créé le"], "windows-1252")
    assert "the encoding is detected as windows-1252, not declared" in beside.notes
    assert not [note for note in beside.notes if "uncertain" in note]


def test_where_all_are_uncertain_most_files_decide() -> None:
    files = ["Año;x\n1;2\n", "Año;y\n1;2\n", "Año;x\n1;Málaga\n", "Año;y\n1;Málaga\n"]
    found = described([one.encode("cp1252") for one in files])
    (note,) = [note for note in found.notes if "encoding" in note]
    assert found.leading.encoding is not None
    assert note == UNCERTAIN.format(found.leading.encoding)
    assert len(names_of(found)) == 3


def test_a_file_that_is_surely_of_another_encoding_stays_in_it() -> None:
    japanese = "商品コード,商品名\n1,ノートパソコン在庫あり送料無料\n2,ソフトウェア予約商品\n"
    found = described([japanese.encode("shift_jis"), RUSSIAN.encode("cp1251")])
    assert {"商品コード", "код"} <= {*names_of(found)}
    assert any("its files differ in encoding: " in note for note in found.notes)


def test_names_that_an_encoding_cannot_have_are_left() -> None:
    found = described(["id,größe\n1,2\n".encode("cp1252"), b"id,x\n1,2\n"])
    assert "größe" in names_of(found)
