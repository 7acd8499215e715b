"""`--master` and `--connect` name one place."""

import pytest

from lumos_snap.cli import main


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--master", "local", "--connect", "sc://h"), "both say where Spark runs"),
        (("--connect", "spark://h:7077"), "is no address of Spark Connect"),
        (("--connect", "local[2]"), "is no address of Spark Connect"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    assert main(["snap", "scan", *options]) == 2
    assert said in capsys.readouterr().err
