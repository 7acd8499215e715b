"""`lumos snap ls`: the datasets of a tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lumos_snap.canonical.kinds import SNAPSHOT
from lumos_snap.canonical.reading import read
from lumos_snap.documents import RefusedError, jsontext
from lumos_snap.flows.choosing import matches_glob
from lumos_snap.flows.judging import Content, finding, unreadable
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.report.reports import Finding, ListedDataset, Listing
from lumos_snap.report.text import shown
from lumos_snap.tree import Tree


@dataclass(frozen=True, slots=True)
class Filter:
    """Which datasets are meant: all conditions hold, and each has one of its values."""

    globs: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()

    def accepts(self, dataset: ListedDataset) -> bool:
        """Whether a dataset is meant."""
        return (
            (not self.globs or any(matches_glob(dataset.urn, glob) for glob in self.globs))
            and (not self.platforms or dataset.platform in self.platforms)
            and (not self.tags or not set(self.tags).isdisjoint(dataset.tags))
            and (not self.owners or not set(self.owners).isdisjoint(dataset.owners))
            and (not self.domains or dataset.domain in self.domains)
        )


def ls(tree: Tree, wanted: Filter) -> Listing:
    """The datasets of a tree that a filter accepts, and the files that could not be read."""
    datasets: list[ListedDataset] = []
    findings: list[Finding] = []
    for path, content in tree.files.read_all(tree.paths(SNAPSHOT)):
        try:
            dataset = _listed(path, content)
        except RefusedError as exc:
            findings.append(finding(path, exc.problem))
            continue
        except (AttributeError, KeyError, TypeError, ValueError):
            findings += _why(path, content)
            continue
        if wanted.accepts(dataset):
            datasets.append(dataset)
    return Listing(source=shown(tree.label), datasets=tuple(datasets), findings=tuple(findings))


def _listed(path: str, content: Content) -> ListedDataset:
    """A row, straight from the parsed document: a listing need not validate 100,000 files."""
    if isinstance(content, OSError):
        raise RefusedError(unreadable(content))
    document: Mapping[str, Any] = jsontext.parse(content)
    governance = document.get("governance", {})
    source = document.get("schema", {}).get("description")
    return ListedDataset(
        urn=document["urn"],
        path=shown(path),
        name=document["name"],
        platform=document["platform"],
        kind=document.get("kind"),
        format=document.get("storage", {}).get("format"),
        columns=len(document.get("schema", {}).get("fields", ())),
        owners=_owners(document),
        tags=tuple(governance.get("tags", ())),
        domain=governance.get("domain"),
        description=document.get("documentation", {}).get("description", source),
        schema_version=document.get("versioning", {}).get("schema_version"),
    )


def _owners(document: Mapping[str, Any]) -> tuple[str, ...]:
    owners = document.get("ownership", {}).get("owners", ())
    return tuple(dict.fromkeys(owner.get("user") or owner["group"] for owner in owners))


def _why(path: str, content: Content) -> tuple[Finding, ...]:
    problems = read(content, Snapshot).problems if isinstance(content, bytes) else ()
    return tuple(finding(path, problem) for problem in problems[:1])
