"""The partition folder for a time: where the data of the next day is expected."""

import re
from collections.abc import Sequence
from datetime import datetime

from lumos_snap.model.snapshot import Partition
from lumos_snap.scan.grouping.dates import parse_date_format

_AGAIN = re.compile(r"(.+)_[0-9]+", re.DOTALL)
# The characters that Hive and Spark escape in folder names.
_ESCAPED = re.compile(r"""[\x00-\x1f\x7f"#%'*/:=?\\{\[\]^]""")


def build_partition_path(partitioning: Sequence[Partition], moment: datetime) -> str | None:
    """Build the path of a time's partition, as in `year=2024/month=01/day=16` or `2024/01/16`.

    None if a column is not a date or a part of one, if its format is unknown, or if it occurs twice
    and was renamed.
    """
    names = {partition.name for partition in partitioning}
    if any((found := _AGAIN.fullmatch(name)) and found[1] in names for name in names):
        return None
    folders = [_folder(partition, moment) for partition in partitioning]
    known = [folder for folder in folders if folder is not None]
    return "/".join(known) if folders and len(known) == len(folders) else None


def _folder(partition: Partition, moment: datetime) -> str | None:
    if partition.format is None or partition.style is None:
        return None
    text = parse_date_format(partition.format).write(moment)
    if partition.style == "path":
        return text
    return f"{_escape_name(partition.name)}={_escape_name(text)}"


def _escape_name(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"%{ord(found.group()):02X}", text)
