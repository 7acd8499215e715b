"""Rules about storage: keys, partitions, formats, locations, options."""

from lumos_snap.diff import Action
from lumos_snap.rules import conditions
from lumos_snap.rules.rule import Bump, Family, Level, Levels, Rule

ADDED, REMOVED, CHANGED = Action.ADDED, Action.REMOVED, Action.CHANGED
S, X, N = Level.SILENT, Level.BREAKING, Level.NON_BREAKING
I = Level.INFORMATIONAL  # noqa: E741 - columns of a table
_ANY = (ADDED, REMOVED, CHANGED)

_REFERENCES = (
    "schema.primary_key", "storage.bucketing.columns", "partition.source", "quality.checks.field",
)  # fmt: skip
_LAYOUT = (
    "partition.transform", "partition.argument", "partition.source", "partition.format",
    "partition.style",
)  # fmt: skip
_WHOLE = (ADDED, REMOVED, Action.RENAMED, Action.REORDERED)

ROWS = (
    Rule(
        "KY009", "key-follows-rename", _REFERENCES, (CHANGED,), Levels(I, I, I),
        Family.READERS, Bump.PATCH,
        message="{part} names {new}, as the column is called now",
        why="The column was renamed, and what refers to it goes along; the rename is judged apart.",
        fix="nothing to do",
        when=conditions.follows_rename,
    ),
    Rule(
        "KY001", "primary-key-changed", ("schema.primary_key",), (CHANGED,), Levels(X, X, X),
        Family.READERS, Bump.MINOR,
        message="the primary key went from {old} to {new}",
        why="Another thing is a row now: joins multiply or drop rows.",
        fix="publish the new grain as another dataset",
    ),
    Rule(
        "KY002", "primary-key-removed", ("schema.primary_key",), (REMOVED,), Levels(X, N, X),
        Family.READERS, Bump.MINOR,
        message="the primary key {old} is gone",
        why="Rows may repeat: joins multiply them.",
        fix="keep the key, or tell consumers to remove duplicates",
    ),
    Rule(
        "KY006", "primary-key-added", ("schema.primary_key",), (ADDED,), Levels(N, X, N),
        Family.READERS, Bump.MINOR,
        message="the primary key is {new} now",
        why="Stored rows may break it; new ones do not.",
        fix="check that no stored rows repeat",
    ),
    Rule(
        "KY007", "unique-key-removed", ("schema.unique",), (REMOVED,), Levels(X, N, X),
        Family.READERS, Bump.MINOR,
        message="{item} may repeat now",
        why="Joins on these columns multiply rows.",
        fix="keep the key, or tell consumers to remove duplicates",
    ),
    Rule(
        "KY008", "unique-key-added", ("schema.unique",), (ADDED,), Levels(N, X, N),
        Family.READERS, Bump.MINOR,
        message="{item} never repeats now",
        why="Stored rows may break it; new ones do not.",
        fix="check that no stored rows repeat",
    ),
    Rule(
        "KY004", "foreign-key-changed", ("schema.foreign_keys", "schema.foreign_keys.to"), _ANY,
        Levels(N, N, N), Family.READERS, Bump.MINOR,
        message="{piece}foreign key {item} was {action}{change}",
        why="Joins that follow it lead elsewhere, or miss.",
        fix="tell consumers that join by it",
    ),
    Rule(
        "EN010", "constraint-changed", ("schema.constraints", "schema.constraints.expression"),
        _ANY, Levels(N, N, N), Family.READERS, Bump.MINOR,
        message="{piece}constraint {item} was {action}{change}",
        why="What rows may hold is not the same.",
        fix="tell consumers that rely on the condition",
    ),
    Rule(
        "KY010", "key-renamed", ("schema.unique.name", "schema.foreign_keys.name"), _ANY,
        Levels(I, I, I), Family.READERS, Bump.PATCH,
        message="the constraint on {item} is called {new} instead of {old}",
        why="It holds as before.",
        fix="nothing to do",
    ),
    Rule(
        "KY005", "sorting-changed", ("storage.sorting",), _ANY, Levels(I, I, I),
        Family.READERS, Bump.PATCH,
        message="files are sorted by {new} instead of {old}",
        why="Only speed changes.",
        fix="nothing to do",
    ),
    Rule(
        "PT006", "bucketing-changed",
        ("storage.bucketing", "storage.bucketing.count", "storage.bucketing.columns"), _ANY,
        Levels(N, N, X), Family.READERS, Bump.MINOR,
        message="rows are spread over buckets otherwise: {part} {old} → {new}",
        why="Joins that rely on equal buckets are slow or refused.",
        fix="change all tables of such joins together",
    ),
    Rule(
        "PT009", "hidden-partition-changed", ("partition", *_LAYOUT, "partition.type"),
        (*_WHOLE, CHANGED), Levels(X, I, X), Family.READERS, Bump.PATCH,
        message="the table is divided otherwise: {where} was {action}",
        why="Queries go on as before; jobs that address or overwrite single partitions do not.",
        fix="check such jobs, then have the change waived; a policy can allow it",
        when=conditions.is_hidden,
    ),
    Rule(
        "PT001", "partition-removed", ("partition",), (REMOVED,), Levels(X, N, X),
        Family.READERS, Bump.MINOR,
        message="partition column {path} was removed",
        why="Queries that name it fail, and those that filtered by it read everything.",
        fix="keep the partition column, or publish another dataset",
    ),
    Rule(
        "PT002", "partition-added", ("partition",), (ADDED,), Levels(X, N, X),
        Family.READERS, Bump.MINOR,
        message="partition column {path} was added",
        why="Those who read paths find other folders than before.",
        fix="publish the new layout as another dataset, or move consumers first",
    ),
    Rule(
        "PT003", "partition-moved", ("partition",),
        (Action.RENAMED, Action.REORDERED), Levels(X, X, X),
        Family.READERS, Bump.MINOR,
        message="partition columns changed: {old} → {new}",
        why="Those who read paths find other folders than before, and stored ones no longer fit.",
        fix="publish the new layout as another dataset",
    ),
    Rule(
        "PT004", "partition-layout-changed", _LAYOUT, _ANY, Levels(X, X, X),
        Family.READERS, Bump.MINOR,
        message="{part} of partition column {path} went from {old} to {new}",
        why="Stored folders follow the old layout, new ones the new.",
        fix="publish the new layout as another dataset",
    ),
    Rule(
        "PT005", "partition-retyped", ("partition.type",), (CHANGED,), Levels(S, S, S),
        Family.READERS, Bump.MINOR,
        message="partition column {path} was {old} and is {new}",
        why="Values come from folder names: `007` is a text or the number 7, and filters miss.",
        fix="keep the type, and cast in queries",
        when=conditions.is_from_path,
    ),
    Rule(
        "PT010", "derived-partition-retyped", ("partition.type",), (CHANGED,), Levels(X, X, X),
        Family.READERS, Bump.MINOR,
        message="partition column {path} was {old} and is {new}",
        why="Stored partitions hold values of the old type.",
        fix="publish the new layout as another dataset",
    ),
    Rule(
        "PT011", "partition-inference-changed", ("partition.inferred",), _ANY, Levels(N, N, N),
        Family.READERS, Bump.MINOR,
        message="whether the type of {path} was guessed from paths went from {old} to {new}",
        why="A guessed type may change with the next folder.",
        fix="declare the type where the table is defined",
    ),
    Rule(
        "ST001", "format-changed", ("storage.format",), (CHANGED,), Levels(X, N, X),
        Family.READERS, Bump.MINOR,
        message="the format went from {old} to {new}",
        why="Readers of the old format cannot read the new files.",
        fix="publish the new format as another dataset until consumers have moved",
    ),
    Rule(
        "ST003", "scheme-changed", ("storage.location",), (CHANGED,), Levels(I, I, I),
        Family.READERS, Bump.PATCH,
        message="the address is written {new} instead of {old}",
        why="Both lead to the same bytes.",
        fix="nothing to do",
        when=conditions.is_scheme_only,
    ),
    Rule(
        "ST002", "location-moved", ("storage.location",), (CHANGED,), Levels(X, N, X),
        Family.READERS, Bump.MINOR,
        message="the data moved from {old} to {new}",
        why="Those who read the path find nothing, or data that is no longer written.",
        fix="keep a copy in the old place until consumers have moved",
    ),
    Rule(
        "ST012", "storage-noted", ("storage.format", "storage.location"), (ADDED, REMOVED),
        Levels(I, I, I), Family.READERS, Bump.PATCH,
        message="{part} went from {old} to {new}",
        why="It was not known before, or is no longer said: the data is as it was.",
        fix="nothing to do",
    ),
    Rule(
        "ST004", "reader-version-raised", ("storage.reader_version",), _ANY, Levels(X, I, X),
        Family.READERS, Bump.MINOR,
        message="readers must know protocol {new} instead of {old}",
        why="Older readers refuse the table, and there is no way back.",
        fix="upgrade every reader first, then have the change waived",
        when=conditions.rose,
    ),
    Rule(
        "ST013", "reader-version-lowered", ("storage.reader_version",), _ANY, Levels(I, I, I),
        Family.READERS, Bump.PATCH,
        message="readers must know protocol {new} instead of {old}",
        why="Every reader that knew the old protocol knows the new one.",
        fix="nothing to do",
    ),
    Rule(
        "ST014", "column-mapping-changed", ("storage.column_mapping",), _ANY, Levels(X, I, X),
        Family.READERS, Bump.MINOR,
        message="columns are mapped to files by {new} instead of {old}",
        why="Older readers and streams refuse the table, and there is no way back.",
        fix="upgrade every reader first, then have the change waived",
    ),
    Rule(
        "ST015", "table-protocol-changed", ("storage.writer_version", "storage.features"), _ANY,
        Levels(N, N, N), Family.READERS, Bump.MINOR,
        message="{part} of the table was {action}: {value}",
        why="Writers, and readers of some features, must know it.",
        fix="check that every writer and reader knows it",
    ),
    Rule(
        "ST006", "text-options-changed", ("storage.options", "storage.encoding"), _ANY,
        Levels(S, S, S), Family.READERS, Bump.MINOR,
        message="{part} {item} of text files was {action}{change}",
        why="Text files say nothing of themselves: read with other options, values are others.",
        fix="rewrite the stored files the same way, or publish another dataset",
        when=conditions.is_text,
    ),
    Rule(
        "ST016", "options-changed", ("storage.options", "storage.encoding", "storage.files"), _ANY,
        Levels(N, N, N), Family.READERS, Bump.MINOR,
        message="{part} {item} was {action}{change}",
        why="Readers that are told these options read otherwise.",
        fix="check what the option does in each reader",
    ),
    Rule(
        "ST007", "archived", ("storage.storage_class",), (ADDED, CHANGED), Levels(X, X, X),
        Family.READERS, Bump.PATCH,
        message="the data was archived: {old} → {new}",
        why="Reads fail until the data is restored, which takes hours.",
        fix="keep what is read in a tier that can be read",
        when=conditions.is_archive,
    ),
    Rule(
        "ST005", "storage-tuned",
        ("storage.compression", "storage.storage_class", "storage.id"), _ANY, Levels(I, I, I),
        Family.READERS, Bump.PATCH,
        message="{part} went from {old} to {new}",
        why="Readers read it as before.",
        fix="nothing to do",
    ),
    Rule(
        "ST008", "files-changed",
        ("storage.encryption", "storage.file_format", "storage.definition", "schema.inferred"),
        _ANY, Levels(N, N, N), Family.READERS, Bump.MINOR,
        message="{part} went from {old} to {new}",
        why="The columns are as they were; how they come about, or who can read them, is not.",
        fix="check with those who read the data",
    ),
)  # fmt: skip
