"""Nobody answers a reader any more: that is told from files that are bad, and ends before long."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.lazy_reader import ENOUGH, LazyReader, bad_file
from lumos_snap.scan.stores.store import BadFileError, RangedFile


class Away:
    """Reads nothing while it is away."""

    is_away = True
    asked = 0

    @contextmanager
    def opened(self, path: str) -> Iterator[RangedFile]:
        self.asked += 1
        if self.is_away:
            raise BadFileError(error_codes.UNREACHABLE, path)
        yield RangedFile(1, lambda offset, length: b"x")


def tried(reader: LazyReader, times: int) -> None:
    for _ in range(times):
        with pytest.raises(BadFileError) as caught, reader.opened("f.csv"):
            pass
        assert caught.value.reason == error_codes.UNREACHABLE


def test_after_some_files_in_a_row_no_more_are_tried() -> None:
    away = Away()
    tried(LazyReader(lambda: away), 10 * ENOUGH)
    assert away.asked == ENOUGH


@pytest.mark.parametrize("reason", [None, error_codes.TRUNCATED, error_codes.VANISHED])
def test_any_answer_begins_the_count_anew(reason: str | None) -> None:
    away = Away()
    reader = LazyReader(lambda: away)
    for _ in range(5):
        tried(reader, ENOUGH - 1)
        away.is_away = False
        if reason is None:
            with reader.opened("f.csv") as file:
                assert file.head() == b"x"
        else:
            with pytest.raises(BadFileError, match=reason), reader.opened("f.csv"):
                raise BadFileError(reason, "")
        away.is_away = True
    assert away.asked == 5 * ENOUGH


@pytest.mark.parametrize(
    "said",
    [  # as pyarrow, boto3, google-cloud-storage and azure-storage-blob put it
        (
            "When reading information for key 'f.csv' in bucket 'lake': AWS Error UNKNOWN (HTTP"
            " status 503) during HeadObject operation: No response body"
        ),
        "AWS Error NETWORK_CONNECTION during HeadObject operation: curlCode: 7, Couldn't connect",
        'Could not connect to the endpoint URL: "http://127.0.0.1:1/lake/f.csv"',
        (
            "An error occurred (503) when calling the HeadObject operation (reached max retries:"
            " 4): Service Unavailable"
        ),
        "An error occurred (SlowDown) when calling the GetObject operation",
        "GetProperties failed for 'http://127.0.0.1/acc/lake/f.csv'. Azure Error: [] 503 ",
        (
            "GetProperties failed for 'http://127.0.0.1:1/acc/lake/f.csv'. Azure Error: [] Fail"
            " to get a new connection for: http://127.0.0.1:1"
        ),
        (
            "HTTPConnection(host='127.0.0.1', port=1): Failed to establish a new connection: [Errno"
            " 111] Connection refused"
        ),
        "None Service Unavailable",
        "('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))",
    ],
)
def test_what_is_out_of_reach_is_not_called_unreadable(said: str) -> None:
    assert bad_file(said).reason == error_codes.UNREACHABLE


@pytest.mark.parametrize(
    "said",
    ["key 'a/503.csv' in bucket 'lake': (HTTP status 416) Requested Range Not Satisfiable",
     "key 'status/500/busy.csv': Unexpected end of stream"],
)  # fmt: skip
def test_names_of_files_play_no_part(said: str) -> None:
    assert bad_file(said).reason == error_codes.UNREADABLE
