"""Rules about type changes. The sort of change selects the rule; engines judge the severity."""

from lumos_snap.diff import Action
from lumos_snap.rules.columns import NODES
from lumos_snap.rules.conditions import sort_is
from lumos_snap.rules.rule import Bump, Family, Level, Levels, Rule

# Rules about details of a type: branches, symbol defaults, physical and native types.


ADDED, REMOVED, CHANGED, REORDERED = Action.ADDED, Action.REMOVED, Action.CHANGED, Action.REORDERED
X, N, I = Level.BREAKING, Level.NON_BREAKING, Level.INFORMATIONAL  # noqa: E741 - columns of a table
_ANY = (ADDED, REMOVED, CHANGED)

DETAILS: tuple[Rule, ...] = (
    Rule(
        "TY021",
        "branch-added",
        ("branch",),
        (ADDED,),
        Levels(N, N, X),
        Family.READERS,
        Bump.MINOR,
        message="{path} was added to a union",
        why="Consumers that do not know the branch fail on its values.",
        fix="tell consumers before such values are written",
    ),
    Rule(
        "TY030",
        "branch-removed",
        ("branch",),
        (REMOVED,),
        Levels(X, X, N),
        Family.READERS,
        Bump.MINOR,
        message="{path} was removed from a union",
        why="Stored values of the branch can no longer be read.",
        fix="keep the branch as long as stored rows hold its values",
    ),
    Rule(
        "TY031",
        "branches-reordered",
        ("branch",),
        (REORDERED,),
        Levels(I, I, I),
        Family.READERS,
        Bump.PATCH,
        message="the branches of a union{within} stand in another order: {old} → {new}",
        why="Readers find a branch by its type or name.",
        fix="nothing to do",
    ),
    Rule(
        "TY032",
        "branch-renamed",
        ("branch.name",),
        _ANY,
        Levels(N, N, X),
        Family.READERS,
        Bump.MINOR,
        message="the branch {path} is called {new} instead of {old}",
        why="Code that is generated from the names of branches no longer fits.",
        fix="keep the name",
    ),
    Rule(
        "TY023",
        "physical-type-changed",
        tuple(f"{node}.physical" for node in NODES),
        _ANY,
        Levels(N, N, N),
        Family.READERS,
        Bump.MINOR,
        message="{path} is stored as {new} instead of {old}",
        why="Old and new files store the values differently; old readers may not know the new way.",
        fix="check that the oldest reader knows it",
    ),
    Rule(
        "TY026",
        "native-name-changed",
        tuple(f"{node}.native" for node in NODES),
        _ANY,
        Levels(I, I, I),
        Family.READERS,
        Bump.PATCH,
        message="the source calls the type of {path} {new} instead of {old}",
        why="The portable type is as it was.",
        fix="nothing to do",
    ),
    Rule(
        "TY024",
        "collation-changed",
        tuple(f"{node}.collation" for node in NODES),
        _ANY,
        Levels(N, N, N),
        Family.READERS,
        Bump.MINOR,
        message="{path} is compared by {new} instead of {old}",
        why="Joins, sorting and equality come out differently.",
        fix="tell consumers that join or sort by the column",
    ),
    Rule(
        "EN005",
        "symbol-default-removed",
        tuple(f"{node}.symbol_default" for node in NODES),
        (REMOVED,),
        Levels(X, X, X),
        Family.READERS,
        Bump.MINOR,
        message="{path} no longer says which symbol to take for an unknown one: it was {old}",
        why="Readers fail on symbols that they do not know.",
        fix="restore `symbol_default`",
    ),
    Rule(
        "EN009",
        "symbol-default-changed",
        tuple(f"{node}.symbol_default" for node in NODES),
        (ADDED, CHANGED),
        Levels(N, N, N),
        Family.READERS,
        Bump.MINOR,
        message="an unknown symbol of {path} is read as {new}, and was read as {old}",
        why="Only symbols that a reader does not know are read otherwise.",
        fix="nothing to do",
    ),
    Rule(
        "TY033",
        "definition-changed",
        ("definition",),
        (ADDED, REMOVED),
        Levels(I, I, I),
        Family.READERS,
        Bump.PATCH,
        message="the named type {path} was {action}",
        why="A named type matters where a column refers to it, and that is judged there.",
        fix="nothing to do",
    ),
)


ADDED, REMOVED, CHANGED, REORDERED = Action.ADDED, Action.REMOVED, Action.CHANGED, Action.REORDERED
X, N, I = Level.BREAKING, Level.NON_BREAKING, Level.INFORMATIONAL  # noqa: E741 - columns of a table

# Partition columns have rules of their own: their values come from the path.
_TYPES = tuple(f"{node}.type" for node in NODES if node != "partition")

_UNREAD = "Stored values are of the old type; what a reader does with them is its own affair."
_KEEP = "add a column of the new type beside this one, or rewrite the stored data"


def _row(
    id: str,  # noqa: A002 - as the column is called
    slug: str,
    why: str = _UNREAD,
    fix: str = _KEEP,
    floor: Levels = Levels(N, N, N),  # noqa: B008 - a constant
) -> Rule:
    """A rule for one sort of change; the floor applies whatever engines answer."""
    return Rule(
        id, slug, _TYPES, (CHANGED,), floor, Family.READERS, Bump.MINOR,
        message="{path} was {old} and is {new}",
        why=why, fix=fix, when=sort_is(slug), asks_readers=True,
    )  # fmt: skip


ROWS: tuple[Rule, ...] = (
    Rule(
        "TY007",
        "map-key-changed",
        ("key.type",),
        (CHANGED,),
        Levels(X, X, X),
        Family.READERS,
        Bump.MINOR,
        message="the keys {path} were {old} and are {new}",
        why="Lookups by key miss: equal keys of two types are not equal.",
        fix="add a map with the new key type beside this one",
        asks_readers=True,
    ),
    _row(
        "TY001",
        "type-widened",
        why="The new type holds every value of the old one; readers that widen lose nothing.",
        fix="nothing to do, where every reader widens",
        floor=Levels(N, N, X),
    ),
    _row(
        "TY002",
        "type-widened-lossy",
        why="A floating-point number does not hold every integer of this size: digits are lost.",
        fix="use DECIMAL, or a wider floating-point type",
        floor=Levels(N, N, X),
    ),
    _row(
        "TY003",
        "type-narrowed",
        why="Stored values may not fit into the new type.",
        fix="keep the wider type; or check the largest stored value and rewrite the stored data",
        floor=Levels(X, X, N),
    ),
    _row(
        "TY034",
        "type-crossed",
        why="Each type has numbers that the other does not hold: a sign, a size or a fraction.",
        fix="take a type that holds the numbers of both, as a wider signed integer or DECIMAL",
        floor=Levels(X, X, X),
    ),
    _row("TY004", "type-family-changed"),
    _row(
        "TY005",
        "type-kind-changed",
        why="A scalar, a list, a map and a struct are laid out differently in files.",
        fix="add a column of the new shape beside this one, and deprecate the old one",
        floor=Levels(X, X, X),
    ),
    _row(
        "TY022",
        "union-crossed",
        why="A value of one type and a choice of several are told apart by readers.",
        fix="make it a union from the start of a new column, and deprecate this one",
        floor=Levels(X, X, X),
    ),
    _row(
        "TY009",
        "decimal-widened",
        why="The new type holds every value of the old one; readers that widen lose nothing.",
        fix="nothing to do, where every reader widens",
        floor=Levels(N, N, X),
    ),
    _row(
        "TY010",
        "decimal-narrowed",
        why="Stored values may have more digits than the new type.",
        fix="keep the precision; or check the longest stored value and rewrite the stored data",
        floor=Levels(X, X, N),
    ),
    _row(
        "TY011",
        "decimal-scale-raised",
        why="Stored numbers must be rescaled when they are read; not every reader does.",
        fix="keep the scale, or rewrite the stored data before readers are told the new one",
        floor=Levels(N, N, X),
    ),
    _row(
        "TY012",
        "decimal-digits-lost",
        why="Stored values lose digits, or do not fit.",
        fix="keep the scale and the digits before the point; round in a column beside this one",
        floor=Levels(X, X, N),
    ),
    _row(
        "TY035",
        "decimal-digits-traded",
        why="Stored values lose digits after the point, or do not fit before it.",
        fix="raise the precision by as much as the scale",
        floor=Levels(X, X, X),
    ),
    _row(
        "TY013",
        "time-unit-changed",
        why="A reader that takes stored ticks for ticks of the new unit is off by a thousand.",
        fix="keep the unit, or rewrite the stored data before readers are told the new one",
    ),
    _row(
        "TY014",
        "timezone-flipped",
        why="An instant and a local time are not the same thing: readers shift one into the other.",
        fix="keep it as it is, and convert into a column beside it where the zone is known",
        floor=Levels(X, X, X),
    ),
    Rule(
        "TY027",
        "timezone-renamed",
        _TYPES,
        (CHANGED,),
        Levels(I, I, I),
        Family.READERS,
        Bump.PATCH,
        message="{path} was {old} and is {new}",
        why="The stored instants are the same; they are shown in another zone.",
        fix="nothing to do",
        when=sort_is("timezone-renamed"),
    ),
    _row(
        "TY015",
        "date-to-timestamp",
        why="Not every reader makes midnight of a stored date.",
        fix="add a timestamp column beside the date, or rewrite the stored data",
    ),
    _row(
        "TY016",
        "type-reinterpreted",
        why="Dates and times are stored as integers: taken for one another, values are nonsense.",
        fix="convert the values into a column of the new type; never only the declaration",
        floor=Levels(X, X, X),
    ),
    _row(
        "TY017",
        "text-bytes-changed",
        why="Bytes that are no valid text are replaced or refused.",
        fix="decode or encode the values into a column beside this one",
    ),
    _row(
        "TY018",
        "fixed-length-changed",
        why="Values of fixed length are stored and compared at that length.",
        fix="keep the length; or use VARCHAR or BINARY, which do not fix it",
        floor=Levels(X, X, X),
    ),
    _row(
        "TY019",
        "length-raised",
        why="Every stored value fits; tables that consumers made with the old length truncate.",
        fix="nothing to do; tell consumers that copy the column",
    ),
    _row(
        "TY020",
        "length-lowered",
        why="Stored values may be longer than the new length.",
        fix="keep the length; or check the longest stored value, then have the change waived",
        floor=Levels(X, X, N),
    ),
    _row(
        "EN004",
        "became-enum",
        why="Stored texts may be none of the symbols.",
        fix="check that every stored text is a symbol, then have the change waived",
        floor=Levels(X, X, N),
    ),
    _row(
        "EN006",
        "no-longer-enum",
        why="Values may now be none of the symbols that consumers know.",
        fix="tell consumers that list the symbols; keep the enumeration where they rely on it",
        floor=Levels(N, N, X),
    ),
    _row(
        "TY025",
        "null-typed",
        why="The column held nothing but nulls.",
        fix="nothing to do",
    ),
    _row(
        "TY036",
        "became-null",
        why="A column of nothing but nulls has no place for the values that are stored.",
        fix="keep the type: it holds where every value is null, too",
    ),
    _row(
        "TY028",
        "native-type-changed",
        floor=Levels(X, X, X),
        fix="ask who knows the source's type whether stored values still mean the same",
    ),
    _row("TY029", "type-parameter-changed", floor=Levels(X, X, X)),
    *DETAILS,
)
