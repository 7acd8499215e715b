"""`lumos snap notify`: on a real tree, to a real server that checks what Slack documents."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from lumos_snap.canonical.encode import encode
from lumos_snap.ci.webhook import VARIABLE
from lumos_snap.commands.schema import read_schema
from lumos_snap.model.entities import Group
from tests.cli.conftest import Lumos, Ran
from tests.cli.lake import Lake, column
from tests.world.pipelines.servers import Answer, Asked, Listener, listening

SECRET = "/services/T000/B000/very-secret"  # noqa: S105 - of a server of ours
HOSTILE = ("@everyone", "<!channel>", "](javascript:x)", "::error::x", "<script>alert(1)</script>")


@dataclass
class Slack:
    """A webhook that takes what Slack takes."""

    messages: list[Any] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def answer(self, asked: Asked) -> Answer:
        if asked.path != SECRET:
            return Answer(404, b"no_service")
        if self.answers:
            return self.answers.pop(0)
        if not self._is_valid(asked):
            return Answer(400, b"invalid_blocks")
        self.messages.append(asked.body)
        return Answer(200, b"ok")

    def _is_valid(self, asked: Asked) -> bool:
        blocks = asked.body["blocks"]
        kinds = {"header": ("plain_text", 150), "section": ("mrkdwn", 3_000)}
        texts = [(block["text"], *kinds[block["type"]]) for block in blocks]
        return (
            asked.method == "POST"
            and asked.headers["Content-Type"].startswith("application/json")
            and bool(asked.body["text"])
            and 0 < len(blocks) <= 50
            and all(t["type"] == kind and 0 < len(t["text"]) <= most for t, kind, most in texts)
            and sum(len(t["text"]) for t, *_ in texts) <= 150_000
        )

    @property
    def text(self) -> str:
        return "\n".join(b["text"]["text"] for m in self.messages for b in m["blocks"])


@pytest.fixture
def slack() -> Slack:
    return Slack()


@pytest.fixture
def server(slack: Slack, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    with listening(slack.answer) as listener:
        monkeypatch.setenv(VARIABLE, listener.address + SECRET)
        yield listener


OWNED = {"ownership": {"owners": [{"group": "sales", "type": "TECHNICAL_OWNER"}, {"user": "jane"}]}}
Diff = Callable[..., Path]


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    lake = Lake(tmp_path / "lake").start()
    lake.put("orders", **OWNED)
    lake.put("people", ownership={"owners": [{"group": "people"}]})
    lake.put("orphan")
    for path, held in {
        "groups/sales": Group(lumos_version="1.0.0", id="sales", email="sales@example.com"),
    }.items():
        file = lake.folder / f"entities/{path}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(encode(held))
    lake.commit("Start")
    monkeypatch.chdir(lake.folder)
    return lake


@pytest.fixture
def diff(lake: Lake, lumos: Lumos, tmp_path: Path) -> Diff:
    """What a diff wrote; `affected` are owners of what is made from `orders`."""

    def write(*affected: str) -> Path:
        path = tmp_path / "diff.json"
        lumos("snap", "diff", "--output", f"json={path}")
        report = json.loads(path.read_bytes())
        for dataset in report["datasets"]:
            for finding in dataset["findings"]:
                if affected and dataset["urn"].endswith("/orders"):
                    finding["impact"] = {"advice": [], "consumers": list(map(_consumer, affected))}
        path.write_text(json.dumps(report))
        return path

    return write


def _consumer(owner: str) -> dict[str, Any]:
    return {
        "urn": f"lumos://s3/mart/{owner}",
        "depth": 1,
        "through": [],
        "columns": [],
        "is_known": False,
        "compatibility": "BREAKING",
        "reason": "it reads the column",
        "owners": [owner],
    }


def told(ran: Ran) -> dict[str | None, tuple[int, int]]:
    Draft202012Validator(orjson.loads(read_schema("output/notify"))).validate(ran.json)
    notices = ran.json["notices"]
    return {one.get("owner"): (len(one["owned"]), len(one["read"])) for one in notices}


class TestWho:
    def test_nothing_breaks_and_nobody_is_told(
        self, lumos: Lumos, lake: Lake, diff: Diff, slack: Slack, server: Listener, tmp_path: Path
    ) -> None:
        lake.put("orders", column("id"), column("note"), column("more"), **OWNED)
        ran = lumos("snap", "notify", "--changes", diff(), "--slack", "--mail", tmp_path)
        assert (ran.code, ran.out) == (0, "nothing breaks: nobody need be told\n")
        assert slack.messages == []
        assert not list(tmp_path.glob("*.html"))

    def test_what_cannot_be_read_is_not_taken_for_what_breaks_nothing(
        self, lumos: Lumos, lake: Lake, diff: Diff
    ) -> None:
        (lake.folder / "snapshots/s3/lake/orders.json").write_text("{")
        ran = lumos("snap", "notify", "--changes", diff())
        assert (ran.code, "nothing that is known breaks" in ran.out) == (3, True)
        assert "1 file cannot be read" in ran.out

    def test_owners_of_what_breaks_are_told_once_each(
        self, lumos: Lumos, lake: Lake, diff: Diff
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        lake.put("people", column("id"), ownership={"owners": [{"group": "people"}]})
        lake.put("orphan", column("id"))
        ran = lumos("snap", "notify", "--changes", diff(), "--json")
        assert told(ran) == {"jane": (1, 0), "people": (1, 0), "sales": (1, 0), None: (1, 0)}
        emails = {one.get("owner"): one.get("email") for one in ran.json["notices"]}
        assert emails["sales"] == "sales@example.com"
        assert emails["jane"] is None

    def test_owners_of_what_is_made_from_it_are_told_unless_they_own_it(
        self, lumos: Lumos, lake: Lake, diff: Diff
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        ran = lumos("snap", "notify", "--changes", diff("finance", "sales"), "--json")
        assert told(ran) == {"finance": (0, 1), "jane": (1, 0), "sales": (1, 0)}
        (finance,) = [one for one in ran.json["notices"] if one["owner"] == "finance"]
        assert finance["read"][0]["reads"] == ["lumos://s3/mart/finance"]

    def test_of_a_dataset_that_is_gone_its_last_owners_are_told(
        self, lumos: Lumos, lake: Lake, diff: Diff
    ) -> None:
        lake.file("people").unlink()
        ran = lumos("snap", "notify", "--changes", diff(), "--json")
        assert told(ran) == {"people": (1, 0)}

    def test_by_default_nothing_is_sent_and_nothing_is_written(
        self, lumos: Lumos, lake: Lake, diff: Diff, slack: Slack, server: Listener
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        changes = diff()
        before = set(lake.folder.rglob("*"))
        ran = lumos("snap", "notify", "--changes", changes)
        assert ran.code == 0
        assert "nobody was told" in ran.out
        assert slack.messages == []
        assert set(lake.folder.rglob("*")) == before


class TestSlack:
    def test_a_message_is_what_slack_takes(
        self, lumos: Lumos, lake: Lake, diff: Diff, slack: Slack, server: Listener
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        ran = lumos("snap", "notify", "--changes", diff(), "--slack", "--json")
        assert (ran.code, ran.json["posted"]) == (0, 1)
        assert "note was removed" in slack.text
        assert slack.messages[0]["text"] == "1 breaking change between HEAD and the working tree"

    @pytest.mark.parametrize("name", [*HOSTILE, "a\nb", "\x1b[31mred", "x" * 10_000, "\ud800"])
    def test_hostile_names_are_inert(
        self, lumos: Lumos, lake: Lake, diff: Diff, slack: Slack, server: Listener, name: str
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        path = diff()
        report = json.loads(path.read_bytes())
        finding = report["datasets"][0]["findings"][0]
        finding["message"] = finding["fix"] = finding["urn"] = f"*{name}* & `{name}` _{name}_"
        report["base"]["name"] = name
        path.write_text(json.dumps(report))
        ran = lumos("snap", "notify", "--changes", path, "--slack")
        if name == "\ud800":  # JSON that holds one is refused by the reader of diffs
            assert ran.code in (0, 2)
            return
        assert ran.code == 0, ran.err
        for block in (b for m in slack.messages for b in m["blocks"] if b["type"] == "section"):
            text = block["text"]["text"]
            assert block["text"]["verbatim"] is True
            assert "<" not in text
            assert ">" not in text.replace("&gt;", "")
            assert "@e" not in text
            assert "\x1b" not in text
            assert "&" not in text.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "")
            assert text.count("*") - text.count("\u2060*\u2060") == 2  # the owner's name alone

    def test_very_many_owners_fit_into_few_messages(
        self, lumos: Lumos, lake: Lake, diff: Diff, slack: Slack, server: Listener
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        path = diff(*(f"team-{n}" for n in range(1_000)))
        ran = lumos("snap", "notify", "--changes", path, "--slack", "--json")
        assert ran.json["posted"] == len(slack.messages) == 5
        assert "808 more owners" in slack.text

    def test_what_is_to_be_sent_later_is_sent_later(
        self, lumos: Lumos, lake: Lake, diff: Diff, slack: Slack, server: Listener
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        slack.answers += [Answer(429, b"rate_limited", {"Retry-After": "0"}), Answer(503, b"")]
        slack.answers[1] = Answer(503, b"", {"Retry-After": "0"})
        assert lumos("snap", "notify", "--changes", diff(), "--slack").code == 0
        assert len(slack.messages) == 1
        assert len(server.asked) == 3

    def test_what_asks_to_be_called_at_no_time_is_called_again(
        self, lumos: Lumos, lake: Lake, diff: Diff, slack: Slack, server: Listener
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        slack.answers += [Answer(429, b"", {"Retry-After": said}) for said in ("nan", "-1", "0")]
        assert lumos("snap", "notify", "--changes", diff(), "--slack").code == 0
        assert len(slack.messages) == 1

    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (Answer(403, b"action_prohibited"), "the webhook answers 403: action_prohibited"),
            (Answer(410, b"channel_is_archived"), "channel_is_archived"),
            (Answer(302, b"", {"Location": "http://127.0.0.1:9/x"}), "answers 302"),
            (Answer(500, SECRET.encode()), "the webhook answers 500: …"),
        ],
    )
    def test_a_refusal_is_one_line_without_the_secret(
        self, lumos: Lumos, lake: Lake, diff: Diff, slack: Slack, server: Listener,
        answer: Answer, says: str,
    ) -> None:  # fmt: skip
        lake.put("orders", column("id"), **OWNED)
        slack.answers.append(answer)
        ran = lumos("snap", "notify", "--changes", diff(), "--slack")
        assert ran.code == 3
        assert says in ran.err
        assert "very-secret" not in ran.err + ran.out
        assert len(server.asked) == 1

    def test_a_webhook_that_always_says_later_is_given_up(
        self, lumos: Lumos, lake: Lake, diff: Diff, slack: Slack, server: Listener
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        slack.answers += [Answer(429, b"rate_limited", {"Retry-After": "0"})] * 9
        assert lumos("snap", "notify", "--changes", diff(), "--slack").code == 3
        assert len(server.asked) == 4

    @pytest.mark.parametrize(
        ("address", "code"),
        [
            (None, 2),
            ("", 2),
            ("http://example.com/very-secret", 2),
            ("ftp://127.0.0.1/very-secret", 2),
            ("https://very-secret\n", 2),
            ("https://[very-secret", 2),
            ("http://127.0.0.1:9/very-secret", 3),
        ],
    )
    def test_an_address_that_will_not_do_is_one_line_without_the_secret(
        self, lumos: Lumos, lake: Lake, diff: Diff, monkeypatch: pytest.MonkeyPatch,
        address: str | None, code: int,
    ) -> None:  # fmt: skip
        if address is None:
            monkeypatch.delenv(VARIABLE, raising=False)
        else:
            monkeypatch.setenv(VARIABLE, address)
        lake.put("orders", column("id"), **OWNED)
        ran = lumos("snap", "notify", "--changes", diff(), "--slack")
        assert ran.code == code
        assert VARIABLE in ran.err
        assert "very-secret" not in ran.err + ran.out


class _Tags(HTMLParser):
    """The elements of a page, and what they load."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.loads += [name for name, _ in attrs if name in ("src", "href", "action", "onclick")]


class TestMail:
    def test_each_owner_has_a_text_and_a_page(
        self, lumos: Lumos, lake: Lake, diff: Diff, tmp_path: Path, request: pytest.FixtureRequest
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        letters = tmp_path / "letters"
        letters.mkdir()
        ran = lumos("snap", "notify", "--changes", diff("finance"), "--mail", letters, "--json")
        (sales,) = [one for one in ran.json["notices"] if one["owner"] == "sales"]
        assert sales["files"] == [str(letters / f"owner-sales-{_mark(sales)}.{e}") for e in
                                  ("txt", "html")]  # fmt: skip
        assert len(list(letters.iterdir())) == 6
        golden = Path(__file__).parent / "letters"
        for name in sorted(path.name for path in letters.iterdir()):
            written = (letters / name).read_bytes()
            if request.config.getoption("--rewrite-golden"):
                (golden / name).write_bytes(written)
            assert (golden / name).read_bytes() == written

    def test_a_page_loads_nothing_and_no_name_is_markup(
        self, lumos: Lumos, lake: Lake, diff: Diff, tmp_path: Path
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        path = diff(*HOSTILE, "../../etc/passwd", "x" * 5_000)
        report = json.loads(path.read_bytes())
        finding = report["datasets"][0]["findings"][0]
        finding["message"] = finding["fix"] = finding["why"] = " ".join(HOSTILE) + "\n\x1b[31m"
        path.write_text(json.dumps(report))
        letters = tmp_path / "letters"
        letters.mkdir()
        before = set(tmp_path.rglob("*"))
        assert lumos("snap", "notify", "--changes", path, "--mail", letters).code == 0
        pages = sorted(letters.glob("*.html"))
        assert len(pages) == 9
        assert {one.parent for one in set(tmp_path.rglob("*")) - before} == {letters}
        for page in pages:
            tags = _Tags()
            tags.feed(page.read_text())
            assert tags.loads == []
            assert not tags.seen & {"script", "img", "link", "iframe"}
        for text in letters.glob("*.txt"):
            assert "\x1b" not in text.read_text()
            assert not [line for line in text.read_text().splitlines() if line.startswith("::")]

    def test_a_folder_that_is_not_there_is_one_line(
        self, lumos: Lumos, lake: Lake, diff: Diff, tmp_path: Path
    ) -> None:
        lake.put("orders", column("id"), **OWNED)
        ran = lumos("snap", "notify", "--changes", diff(), "--mail", tmp_path / "no")
        assert ran.code == 2
        assert "there is no such folder" in ran.err


def _mark(notice: dict[str, Any]) -> str:
    return Path(notice["files"][0]).stem.rpartition("-")[2]


class TestChanges:
    @pytest.mark.parametrize("content", ["", "[]", "{}", '{"report": "diff"}', "\ud800"])
    def test_what_is_no_diff_is_one_line(
        self, lumos: Lumos, lake: Lake, tmp_path: Path, content: str
    ) -> None:
        path = tmp_path / "x.json"
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
        ran = lumos("snap", "notify", "--changes", path)
        assert ran.code == 2
        assert str(path) in ran.err

    def test_a_file_that_is_not_there_is_one_line(self, lumos: Lumos, lake: Lake) -> None:
        ran = lumos("snap", "notify", "--changes", "no.json")
        assert ran.code == 2
        assert "no.json: cannot be read" in ran.err
