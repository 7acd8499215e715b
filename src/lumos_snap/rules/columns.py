"""Rules about columns: existence, names, order, nullability, defaults, ids and enum symbols."""

from lumos_snap.diff import Action
from lumos_snap.rules import conditions
from lumos_snap.rules.rule import Levels, Rule
from lumos_snap.rules.severity import Bump, Family, Level

ADDED, REMOVED, CHANGED = Action.ADDED, Action.REMOVED, Action.CHANGED
RENAMED, MOVED, REORDERED = Action.RENAMED, Action.MOVED, Action.REORDERED
S, X, N = Level.SILENT, Level.BREAKING, Level.NON_BREAKING
I = Level.INFORMATIONAL  # noqa: E741 - columns of a table
_ANY = (ADDED, REMOVED, CHANGED)

_NULLABLE = ("field.nullable", "element.nullable", "value.nullable")
_DEFAULT = ("field.default", "contract.fields.default")
NODES = ("field", "element", "key", "value", "branch", "partition", "definition")
"""All subjects that have a type."""
_IDS = ("field.id", "element.id", "key.id", "value.id")
_SYMBOLS = tuple(f"{node}.symbols" for node in NODES)

ROWS = (
    Rule(
        "SC002", "field-removed-after-sunset", ("field",), (REMOVED,), Levels(N, I, N),
        Family.READERS, Bump.MINOR,
        message="{path} was removed after its announced sunset",
        why="Consumers were told the day, and it has passed.",
        fix="nothing to do",
        when=conditions.is_past_sunset,
    ),
    Rule(
        "SC018", "field-cut-out", ("field",), (REMOVED,), Levels(S, S, S),
        Family.READERS, Bump.MINOR,
        message="{path} was removed from the middle of files that are read by position",
        why="Readers count columns: in stored files, later ones are read from their neighbours.",
        fix="leave the column in place, empty; or write a header, and set `enforceSchema: false`",
        when=conditions.is_cut_out,
    ),
    Rule(
        "SC001", "field-removed", ("field",), (REMOVED,), Levels(X, I, X),
        Family.READERS, Bump.MINOR,
        message="{path} was removed{like}",
        why="Every query that names the column fails.",
        fix="keep it and deprecate it in `contract.fields` with a `sunset`; "
        "if it was renamed, say `renamed_from`",
    ),
    Rule(
        "SC028", "field-name-repeated", ("field",), (ADDED, RENAMED), Levels(X, X, X),
        Family.READERS, Bump.MINOR,
        message="{path} has the same name as another column",
        why="A query that names the column fails, or reads either of the two.",
        fix="give one of the two another name",
        when=conditions.is_repeated,
    ),
    Rule(
        "SC009", "case-collision", ("field",), (ADDED, RENAMED), Levels(X, X, X),
        Family.READERS, Bump.MINOR,
        message="{path} differs from another column only in its letter case",
        why="Readers that ignore case find two columns of one name, and refuse both.",
        fix="give it a name that differs in more than case",
        when=conditions.collides,
    ),
    Rule(
        "SC011", "field-inserted", ("field",), (ADDED,), Levels(S, S, S),
        Family.READERS, Bump.MINOR,
        message="{path} was inserted before {before} in files that are read by position",
        why="Readers count columns: in stored files, later ones are read from their neighbours.",
        fix="add the column at the end; or write a header, and set `enforceSchema: false`",
        when=conditions.is_inserted,
    ),
    Rule(
        "SC027", "field-added-unreadable", ("field",), (ADDED,), Levels(X, X, X),
        Family.READERS, Bump.MINOR,
        message="{path} was added: {new}, which a declared engine cannot read",
        why="The engine refuses the whole schema: not even the other columns can be read.",
        fix="use a type that every engine has: for Spark, Iceberg and Delta at most 38 digits",
        when=conditions.is_unreadable,
    ),
    Rule(
        "SC003", "field-added", ("field",), (ADDED,), Levels(N, N, N),
        Family.READERS, Bump.MINOR,
        message="{path} was added: {new}{like}",
        why="Stored data has no values for it, and it may be null.",
        fix="nothing to do",
        when=conditions.is_nullable,
    ),
    Rule(
        "SC005", "required-field-added-with-default", ("field",), (ADDED,), Levels(N, N, N),
        Family.READERS, Bump.MINOR,
        message="{path} was added: {new}, with a default{like}",
        why="Stored data has no values for it, and its readers take the default.",
        fix="nothing to do",
        when=conditions.has_default,
    ),
    Rule(
        "SC004", "required-field-added", ("field",), (ADDED,), Levels(X, X, N),
        Family.READERS, Bump.MINOR,
        message="{path} was added: {new}, and may not be null{like}",
        why="Stored data has no values for it: readers fail, or find nulls where none may be.",
        fix="let it be null, or give it a default that every reader takes",
    ),
    Rule(
        "SC008", "field-case-changed", ("field",), (RENAMED,), Levels(N, N, N),
        Family.READERS, Bump.MINOR,
        message="{was} is written {path} now",
        why="Its readers ignore letter case.",
        fix="nothing to do; declare readers that do not ignore case in `contract.readers`",
        when=conditions.case_is_ignored,
    ),
    Rule(
        "SC022", "field-case-unmatched", ("field",), (RENAMED,), Levels(S, S, X),
        Family.READERS, Bump.MINOR,
        message="{was} is written {path} now, and a reader tells letter case apart",
        why="Stored data has the column under its old name: it is read as null, and nothing fails.",
        fix="keep the old spelling, or rewrite the stored data",
        when=conditions.case_matters,
    ),
    Rule(
        "SC006", "field-renamed", ("field",), (RENAMED,), Levels(X, N, X),
        Family.READERS, Bump.MINOR,
        message="{was} was renamed to {path}",
        why="Stored data is found under the new name, but every query that says the old one fails.",
        fix="keep the old name, or serve it in a view until consumers have moved",
        when=conditions.is_followed,
    ),
    Rule(
        "SC023", "field-renamed-unread", ("field",), (RENAMED,), Levels(S, S, X),
        Family.READERS, Bump.MINOR,
        message="{was} was renamed to {path}, and a reader looks for columns by name",
        why="Stored data has the column under its old name: it is read as null, and nothing fails.",
        fix="add a new column and fill both for a while, or rewrite the stored data",
    ),
    Rule(
        "SC012", "field-moved", ("field",), (MOVED,), Levels(X, X, X),
        Family.READERS, Bump.MINOR,
        message="{was} stands at {path} now",
        why="No reader looks for a column under another parent: stored data is not found there.",
        fix="add a new column and fill both for a while",
    ),
    Rule(
        "SC024", "field-shuffled", ("field",), (REORDERED,), Levels(S, S, S),
        Family.READERS, Bump.MINOR,
        message="columns changed places in files that are read by position: {old} → {new}",
        why="Readers count columns: stored values are read into the wrong ones.",
        fix="keep the old order; or write a header, and set `enforceSchema: false`",
        when=conditions.is_positional,
    ),
    Rule(
        "SC010", "field-reordered", ("field",), (REORDERED,), Levels(I, I, I),
        Family.READERS, Bump.PATCH,
        message="columns{within} stand in another order: {old} → {new}",
        why="Readers find columns by name; `SELECT *` shows them in another order.",
        fix="nothing to do",
    ),
    Rule(
        "SC013", "field-id-changed", _IDS, (CHANGED,),
        Levels(S, S, N), Family.READERS, Bump.MINOR,
        message="{path} has field id {new} instead of {old}",
        why="Readers find columns by id: stored values are no longer read, and nothing fails.",
        fix="restore the id; a column that is dropped and added again is another column",
        when=conditions.finds_by_id,
    ),
    Rule(
        "SC014", "field-id-lost", _IDS, (REMOVED,),
        Levels(X, X, X), Family.READERS, Bump.MINOR,
        message="{path} lost its field id {old}",
        why="Readers find columns by id: without one, stored values are not found.",
        fix="restore the id",
        when=conditions.finds_by_id,
    ),
    Rule(
        "SC025", "field-id-noted",
        (*_IDS, "branch.id", "partition.id"), _ANY, Levels(I, I, I),
        Family.READERS, Bump.PATCH,
        message="the field id of {path} went from {old} to {new}",
        why="Readers find stored values as they did before.",
        fix="nothing to do",
    ),
    Rule(
        "SC015", "physical-name-changed", ("field.physical_name",), _ANY, Levels(S, S, S),
        Family.READERS, Bump.MINOR,
        message="{path} is looked for as {new} in files, and was written as {old}",
        why="Stored values are under the old physical name: they are read as null.",
        fix="restore the physical name; a table format never changes it",
        when=conditions.is_mapped,
    ),
    Rule(
        "SC026", "physical-name-noted", ("field.physical_name",), _ANY, Levels(I, I, I),
        Family.READERS, Bump.PATCH,
        message="the physical name of {path} went from {old} to {new}",
        why="Columns are not mapped: readers find them by their own names.",
        fix="nothing to do",
    ),
    Rule(
        "SC016", "generated-changed", ("field.generated",), _ANY, Levels(N, N, N),
        Family.READERS, Bump.MINOR,
        message="how {path} is computed went from {old} to {new}",
        why="New rows are computed otherwise than stored ones.",
        fix="tell consumers of the column if its meaning changed",
    ),
    Rule(
        "SC020", "alias-removed", ("field.aliases",), (REMOVED,), Levels(X, X, N),
        Family.READERS, Bump.MINOR,
        message="{path} can no longer be read as {item}",
        why="Data that was written under the alias is not found any more.",
        fix="keep the alias as long as such data is stored",
        when=conditions.follows_aliases,
    ),
    Rule(
        "SC021", "alias-changed", ("field.aliases",), (ADDED, REMOVED), Levels(N, N, N),
        Family.READERS, Bump.MINOR,
        message="alias {item} of {path} was {action}",
        why="It is another name for the column; no stored data is lost by it.",
        fix="nothing to do",
    ),
    Rule(
        "NU001", "became-nullable", _NULLABLE, (CHANGED,), Levels(X, N, X),
        Family.READERS, Bump.MINOR,
        message="{path} may be null now",
        why="Consumers that never met a null fail, or count wrong.",
        fix="keep it required, or tell consumers and have the change waived",
        when=conditions.became_true,
    ),
    Rule(
        "NU002", "became-required", _NULLABLE, (CHANGED,), Levels(X, X, N),
        Family.READERS, Bump.MINOR,
        message="{path} may no longer be null",
        why="Stored rows may hold nulls: readers fail on them, or return them all the same.",
        fix="check that no stored row holds a null, then have the change waived",
    ),
    Rule(
        "NU007", "default-added", _DEFAULT, (ADDED,), Levels(N, N, N),
        Family.READERS, Bump.MINOR,
        message="{path} has the default {new} now",
        why="Rows that were written without the column gain a value.",
        fix="nothing to do",
    ),
    Rule(
        "NU006", "required-default-removed", _DEFAULT, (REMOVED,), Levels(X, X, N),
        Family.READERS, Bump.MINOR,
        message="{path} may not be null and lost its default {old}",
        why="Rows that were written without the column can no longer be read.",
        fix="restore the default",
        when=conditions.is_required_field,
    ),
    Rule(
        "NU004", "default-changed", _DEFAULT, (REMOVED, CHANGED), Levels(S, S, N),
        Family.READERS, Bump.MINOR,
        message="the default of {path} went from {old} to {new}",
        why="Rows that were written without the column are read with another value.",
        fix="restore the default; a new one for new rows is `write_default`",
    ),
    Rule(
        "NU005", "write-default-changed", ("field.write_default",), _ANY, Levels(N, N, N),
        Family.READERS, Bump.MINOR,
        message="what writers put into {path} went from {old} to {new}",
        why="New rows hold another value where nothing is given; stored ones are as they were.",
        fix="nothing to do",
    ),
    Rule(
        "EN001", "symbol-added",
        _SYMBOLS, (ADDED,), Levels(N, N, N), Family.READERS, Bump.MINOR,
        message="symbol {item} of {path} was added",
        why="Readers that do not know it take the default symbol.",
        fix="nothing to do",
        when=conditions.has_symbol_default,
    ),
    Rule(
        "EN007", "unknown-symbol-added",
        _SYMBOLS, (ADDED,), Levels(N, N, X), Family.READERS, Bump.MINOR,
        message="symbol {item} of {path} was added",
        why="Readers that do not know it have no default symbol to take, and fail on it.",
        fix="give the enumeration a `symbol_default`, or tell consumers before it is written",
    ),
    Rule(
        "EN008", "symbol-retired",
        _SYMBOLS, (REMOVED,), Levels(N, N, N), Family.READERS, Bump.MINOR,
        message="symbol {item} of {path} was removed, and a default symbol stands in for it",
        why="Stored rows that hold it are read with the default symbol.",
        fix="keep the symbol as long as stored rows hold it",
        when=conditions.has_symbol_default,
    ),
    Rule(
        "EN002", "symbol-removed",
        _SYMBOLS, (REMOVED,), Levels(X, X, N), Family.READERS, Bump.MINOR,
        message="symbol {item} of {path} was removed",
        why="Stored rows that hold it can no longer be read.",
        fix="keep the symbol as long as stored rows hold it, or give a `symbol_default`",
    ),
    Rule(
        "EN003", "symbols-reordered",
        _SYMBOLS, (REORDERED,), Levels(I, I, I), Family.READERS, Bump.PATCH,
        message="the symbols of {path} stand in another order: {old} → {new}",
        why="Readers find symbols by name; who sorts by their order sorts otherwise.",
        fix="nothing to do",
    ),
)  # fmt: skip
