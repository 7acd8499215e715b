"""Tricks with symbolic links: what a command reads or writes must lie in the tree itself."""

from tests.hostile.trick import CUSTOMERS, Answer, PullRequest, Trick

STRAY = Answer((1,), "link")


def _snapshot(request: PullRequest) -> None:
    """The snapshot is a link to a file that a pull request does not show."""
    target = request.outside / "customers.json"
    target.write_bytes((request.repo / CUSTOMERS).read_bytes())
    (request.repo / CUSTOMERS).unlink()
    (request.repo / CUSTOMERS).symlink_to(target)


TRICKS = (
    Trick(
        name="a link in place of a document",
        place=CUSTOMERS,
        what="A snapshot is a link to a file outside of the repository.",
        plant=_snapshot,
        answers={
            "diff": STRAY,
            "gate": STRAY,
            "validate": STRAY,
            "comment": Answer((0,), "link"),
            "bump": Answer((1, 2, 3), "link"),
        },
        unaffected={
            "check": "a link is no dataset; what is missing is reported by `validate`",
            "scan --check": "the lake has no such dataset",
            "sync": "a link is no dataset; nothing is written for it",
        },
    ),
)
