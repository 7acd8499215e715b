"""Tricks with the policy and the waivers of a pull request: it edits what it is judged by."""

from collections.abc import Callable

from tests.hostile.trick import CUSTOMERS, Answer, PullRequest, Trick

Plant = Callable[[PullRequest], object]

FAILS = Answer((1,), "FAIL: 1 breaking change")
SAYS_SO = Answer((0,), "❌ Fail")
BEFORE = {"diff": "exit 0", "gate": "exit 0", "comment": "does not say '❌ Fail'"}
ELSEWHERE = {
    "check": "nothing is asked of datasets as they stand",
    "validate": "a policy and a waiver of right form are valid",
    "bump": "a release derives versions; it does not gate",
    "scan --check": "policies and waivers say nothing of storage",
    "sync": "what may be merged is decided before",
}
FILE = "metadata/waivers/all.yaml"
REFUSE = "policy: {new_waivers: refuse}\n"


def _waiver(expires: str = "2999-12-31") -> str:
    entry = f'{{rule: SC001, dataset: "**", reason: fine, owner: me, expires: "{expires}"}}'
    return f"version: 1\nwaivers:\n  - {entry}\n"


def _on_main(request: PullRequest, change: Plant, *, is_merged: bool = False) -> None:
    """Change the target branch, after the pull request was cut unless it merges that."""
    request.git("switch", "--quiet", "main")
    change(request)
    request.commit()
    request.git("switch", "--quiet", "pr")
    if is_merged:
        request.git("merge", "--quiet", "--no-edit", "main")


def _settings(text: str) -> Plant:
    return lambda request: request.settings(text)


def _add_column(request: PullRequest) -> None:
    first = '      {"name": "id"'
    added = '      {"name": "extra", "type": "STRING", "nullable": true},\n'
    request.edit(CUSTOMERS, first, added + first)


def _stale(request: PullRequest) -> None:
    _on_main(request, _settings("policy: {rules: {field-added: breaking}}\n"))
    _add_column(request)


def _stale_file(request: PullRequest) -> None:
    _on_main(request, lambda one: one.write("ci.yaml", "version: 1\n"), is_merged=True)
    text = "version: 1\npolicy: {rules: {field-added: breaking}}\n"
    _on_main(request, lambda one: one.write("ci.yaml", text))
    _add_column(request)


def _loosened(text: str) -> Plant:
    def plant(request: PullRequest) -> None:
        request.drop_column()
        request.settings(text)

    return plant


def _own_waiver(policy: str) -> Plant:
    def plant(request: PullRequest) -> None:
        _on_main(request, _settings(policy))
        request.drop_column()
        request.write(FILE, _waiver())

    return plant


def _extended(request: PullRequest) -> None:
    _on_main(request, lambda one: one.write(FILE, _waiver("2020-01-01")), is_merged=True)
    _on_main(request, _settings(REFUSE))
    request.drop_column()
    request.write(FILE, _waiver())


def _moved(request: PullRequest) -> None:
    _on_main(request, lambda one: one.write(FILE, _waiver()), is_merged=True)
    _on_main(request, _settings(REFUSE))
    request.drop_column()
    request.git("mv", FILE, "metadata/waivers/other.yaml")


def _revoked(request: PullRequest) -> None:
    _on_main(request, lambda one: one.write(FILE, _waiver()), is_merged=True)
    _on_main(request, lambda one: (one.repo / FILE).unlink())
    request.drop_column()


def _unlocked(request: PullRequest) -> None:
    _on_main(request, _settings(REFUSE), is_merged=True)
    request.edit("metadata/lumos.yaml", "new_waivers: refuse", "new_waivers: count")
    request.drop_column()
    request.write(FILE, _waiver())


def _row(name: str, place: str, what: str, plant: Plant, **more: object) -> Trick:
    answers = {"diff": FAILS, "gate": FAILS, "comment": SAYS_SO}
    said = {"answers": answers, "unaffected": ELSEWHERE, "before": BEFORE, **more}
    return Trick(name=name, place=place, what=what, plant=plant, **said)  # type: ignore[arg-type]


def _listed(name: str, policy: str, setting: str) -> Trick:
    """The policy of the target fails the change; the edit must be listed as well."""
    answers = {
        command: Answer(codes, setting)
        for command, codes in (("diff", (1,)), ("gate", (1,)), ("comment", (0,)))
    }
    return _row(
        name,
        "metadata/lumos.yaml",
        "The pull request loosens the policy that judges it.",
        _loosened(policy),
        answers=answers,
        before=dict.fromkeys(answers, f"does not say {setting!r}"),
    )


TRICKS = (
    _row(
        "policy from before it was tightened",
        "metadata/lumos.yaml",
        "The branch was cut before the target branch tightened its policy.",
        _stale,
    ),
    _row(
        "policy file from before it was tightened",
        "ci.yaml",
        "The same with a file that `--config` names.",
        _stale_file,
        answers={"diff": FAILS, "gate": FAILS},
        unaffected={**ELSEWHERE, "comment": "it has no `--config`"},
        before={"diff": "exit 0", "gate": "exit 0"},
        commands={
            "diff": ("diff", "--base", "main", "--config", "ci.yaml", "-C", "metadata"),
            "gate": ("gate", "--base", "main", "--config", "ci.yaml", "metadata"),
        },
    ),
    _listed("preset draft", "policy: {preset: draft}\n", r"default → draft \(looser\)"),
    _listed("fail on nothing", "policy: {fail_on: none}\n", r"breaking → none \(looser\)"),
    _listed("rule lowered", "policy: {rules: {SC001: informational}}\n", "not set → informational"),
    _listed(
        "draft by path",
        "policy: {paths: [{match: '**', preset: draft}]}\n",
        r"policy.paths \(\*\*\)|policy.paths \(\\\*\\\*\)",
    ),
    _row(
        "waiver of its own",
        FILE,
        "The pull request accepts its own finding, where the target refuses new waivers.",
        _own_waiver(REFUSE),
    ),
    _row(
        "waiver that nobody approved",
        FILE,
        "The same where the target asks for an approval, and there is no pull request to ask.",
        _own_waiver("policy: {new_waivers: approved}\n"),
    ),
    _row("waiver extended", FILE, "The pull request extends a waiver that has expired.", _extended),
    _row("waiver moved", FILE, "The pull request moves a waiver to another file.", _moved),
    _row("waiver revoked", FILE, "The target branch has removed the waiver since.", _revoked),
    _row(
        "waivers unlocked",
        "metadata/lumos.yaml",
        "The pull request makes new waivers count, and brings one along.",
        _unlocked,
        before={},
    ),
)
