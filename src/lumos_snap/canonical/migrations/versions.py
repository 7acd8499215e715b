"""The version of an older dataset and those before it."""

from lumos_snap.canonical.migrations.left import Left
from lumos_snap.canonical.migrations.upgraded import Document
from lumos_snap.canonical.migrations.values import filled, moment, string, text, version


def versioning(left: Left) -> Document:
    """The versions, the newest of the history last."""
    said = left.at("versioning")
    return filled(
        {
            "cloud_version": said.take("cloud_version", as_=text),
            "schema_version": said.take("schema_version", as_=version),
            "history": _newest_last([*map(_release, said.at("version_history").items())]),
        }
    )


def _release(item: Left) -> Document:
    changes = [change.take(as_=string) for change in item.at("changes").items()]
    return filled(
        {
            "cloud_version": item.take("version", as_=text),
            "schema_version": item.take("schema_version", as_=version),
            "released_at": item.take("timestamp", as_=moment),
            "changes": [change for change in changes if change is not None],
        }
    )


def _newest_last(releases: list[Document]) -> list[Document]:
    """Some exports begin with the newest."""
    said = [release for release in releases if release]
    times = [str(release.get("released_at", "")) for release in said]
    turned = len(times) > 1 and all(times) and times == sorted(times, reverse=True)
    return said[::-1] if turned and times[0] != times[-1] else said
