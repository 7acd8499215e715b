"""`lumos snap predict`: judge a proposed schema, given in any of several forms."""

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.canonical.rules import find_violations
from lumos_snap.commands.import_reader import IncomingDocument
from lumos_snap.diff import compare
from lumos_snap.documents import DocumentRefusedError, Pointer, Position, Problem, json_text
from lumos_snap.errors import LumosError
from lumos_snap.history.findings import bump, changes, versions
from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.type_syntax import parse_type
from lumos_snap.model.types import Kind
from lumos_snap.report.history import PredictReport
from lumos_snap.rules.finding import FailOn, bump_of, fails
from lumos_snap.rules.judge import judge
from lumos_snap.rules.policy import check
from lumos_snap.rules.rule import Bump
from lumos_snap.schema import Document, document_of
from lumos_snap.tree import Tree
from lumos_snap.tree.selection import find_dataset
from lumos_snap.versioning.versions import FIRST, parse, step

_OF_A_SNAPSHOT = frozenset({"lumos_version", "urn", "platform"})
_FORMS = "give a snapshot, its `schema` section, or a list of fields"
_KINDS = frozenset(kind.value for kind in Kind)
_REQUIRED = re.compile(r"\s+NOT\s+NULL\s*\Z", re.IGNORECASE)
_INSIDE = ("element", "key", "value")


@dataclass(frozen=True, slots=True)
class _Form:
    """A proposal as a snapshot; the text covers the part below a pointer."""

    document: Document
    at: Pointer
    said: frozenset[str] | None = None
    """Keys of the schema that the text contains; None where it is a whole snapshot."""

    def says(self, pointer: Pointer) -> bool:
        """Whether the text contains the value at a pointer; other values are unchanged."""
        if self.said is None:
            return True
        return pointer[:1] == ("schema",) and self.said.issuperset(map(str, pointer[1:2]))


def apply_proposal(proposal: IncomingDocument, present: JsonObject) -> Document:
    """Apply a proposal to the present snapshot; raises with the position of an error."""
    try:
        parsed = json_text.parse(proposal.raw)
    except DocumentRefusedError as exc:
        _refuse(proposal, exc.problem)
    for problem in json_text.find_repeated_keys(proposal.raw):
        _refuse(proposal, problem)
    try:
        form = _form(proposal, parsed, present)
        for pointer, message, hint in _faults(form):
            place = json_text.locate(proposal.raw, [_below(form.at, pointer)])
            _refuse(proposal, Problem(next(iter(place.values())), "", message, hint))
    except RecursionError:
        _refuse(proposal, Problem(json_text.deepest(proposal.raw), "", "is nested too deeply"))
    return canonical_document(form.document, Snapshot)


def _refuse(proposal: IncomingDocument, problem: Problem) -> NoReturn:
    where = f"{proposal.name}:{problem.place.line}:{problem.place.column}"
    raise LumosError(f"{where}: {problem.message}", hint=problem.hint or _FORMS)


def _below(at: Pointer, pointer: Pointer) -> Pointer:
    """Convert a pointer into the snapshot to one into the text."""
    return pointer[len(at) :] if pointer[: len(at)] == at else ()


def _faults(form: _Form) -> Iterator[tuple[Pointer, str, str]]:
    from lumos_snap.schema.validation import misfits  # noqa: PLC0415 - the validator takes its time to load

    wrong = misfits(form.document, Snapshot)
    yield from ((one.pointer, one.message, one.hint) for one in wrong)
    if not wrong:
        # Keys that refer to a dropped column are left to the compatibility rules.
        found = (one for one in find_violations(form.document, Snapshot) if form.says(one.pointer))
        yield from ((one.pointer, one.message, one.law.fix) for one in found)


def _form(proposal: IncomingDocument, parsed: object, present: JsonObject) -> _Form:
    """Place a proposal in a snapshot; parts of the schema that it omits stay unchanged."""
    if isinstance(parsed, list):
        return _with_schema(proposal, {"fields": parsed}, present, ("schema", "fields"))
    if isinstance(parsed, dict) and not _OF_A_SNAPSHOT.isdisjoint(parsed):
        return _whole(proposal, parsed, present)
    if isinstance(parsed, dict) and isinstance(parsed.get("schema"), dict):
        return _with_schema(proposal, parsed["schema"], present, ())
    if isinstance(parsed, dict) and "fields" in parsed:
        return _with_schema(proposal, parsed, present, ("schema",))
    _refuse(proposal, Problem(Position(), "", "is no schema"))


def _whole(proposal: IncomingDocument, parsed: Document, present: JsonObject) -> _Form:
    if parsed.get("urn") != present["urn"]:
        place = json_text.locate(proposal.raw, [("urn",)])[("urn",)]
        message = f"describes {parsed.get('urn')}, not {present['urn']}"
        _refuse(proposal, Problem(place, "", message, "name the dataset that it describes"))
    schema = parsed.get("schema")
    found = (
        {**parsed, "schema": _schema(proposal, schema, ())} if isinstance(schema, dict) else parsed
    )
    kept = {"versioning": present["versioning"]} if "versioning" in present else {}
    return _Form({**found, **kept}, ())


def _with_schema(
    proposal: IncomingDocument, schema: Document, present: JsonObject, at: Pointer
) -> _Form:
    merged = {**present.get("schema", {}), **_schema(proposal, schema, at)}
    return _Form({**present, "schema": merged}, at, frozenset(schema))


def _schema(proposal: IncomingDocument, schema: Document, at: Pointer) -> Document:
    """A schema section with its types expanded."""
    found = dict(schema)
    for name in ("fields", "key_fields", "definitions"):
        if isinstance(schema.get(name), list):
            above = _below(at, ("schema", name))
            found[name] = [
                _field(proposal, one, (*above, index), is_nullable=name != "definitions")
                for index, one in enumerate(schema[name])
            ]
    return found


def _field(
    proposal: IncomingDocument, held: object, at: Pointer, *, is_nullable: bool = True
) -> object:
    """A field with its type expanded; nullable by default."""
    if not isinstance(held, dict):
        return held
    found = {**held, **_expand_type(proposal, held.get("type"), at)}
    if is_nullable and "nullable" not in held:
        found.setdefault("nullable", True)
    for name in _INSIDE:
        if name in held:
            inner = held[name]
            found[name] = _field(proposal, inner, (*at, name), is_nullable=name != "key")
    for name in ("fields", "branches"):
        if isinstance(held.get(name), list):
            found[name] = [
                _field(proposal, one, (*at, name, index), is_nullable=name == "fields")
                for index, one in enumerate(held[name])
            ]
    return found


def _expand_type(proposal: IncomingDocument, written: object, at: Pointer) -> Document:
    """Expand a type in the notation to keys."""
    if not isinstance(written, str) or written in _KINDS:
        return {}
    text = _REQUIRED.sub("", written)
    try:
        found = document_of(parse_type(text)) if text not in _KINDS else {"type": text}
    except ValueError as exc:
        place = json_text.locate(proposal.raw, [(*at, "type")])[(*at, "type")]
        message = f"{written!r} is no type: {exc}"
        _refuse(proposal, Problem(place, "", message, "types are like DECIMAL(12,2) or INT64"))
    return {**found, "nullable": False} if text != written else found


def predict(
    tree: Tree,
    wanted: str,
    proposal: IncomingDocument,
    *,
    fail_on: FailOn | None,
    today: datetime.date,
) -> PredictReport:
    """Judge a proposal against the present snapshot of a dataset; nothing is written."""
    path = find_dataset(tree, wanted)
    present = canonical_document(document_of(tree.snapshot_at(path)), Snapshot)
    policy = tree.config.policy
    check(policy)
    comparison = compare(present["urn"], present, apply_proposal(proposal, present))
    findings = judge(comparison, policy, today)
    least = fail_on or policy.fail_on
    version, _ = versions(present)
    return PredictReport(
        source=tree.label,
        urn=present["urn"],
        path=path,
        proposal=proposal.name,
        verdict="fail" if any(fails(one, least) for one in findings) else "pass",
        fail_on=least,
        bump=bump(findings),
        schema_version=version,
        next_version=next_version(version, bump_of(findings)),
        changes=changes(findings),
    )


def next_version(version: str | None, bump: Bump) -> str | None:
    """The version after a change: the first one where there is none, None without a bump."""
    if bump is Bump.NONE:
        return None
    return str(FIRST if version is None else step(parse(version), bump))
