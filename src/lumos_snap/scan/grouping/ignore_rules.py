"""Rules for files that are never data: hidden, unfinished, and of unrelated types."""

import re
from functools import lru_cache

from lumos_snap.scan.grouping.suffixes import COMPRESSIONS

HIDDEN = "hidden"
UNFINISHED = "unfinished"
CHECKSUM = "checksum"
LEFT_OVER = "left over by an editor or a desktop"
NOT_DATA = "not data"
MARKER = "marks a folder"

_HIVE = re.compile(r"[^=]+=", re.DOTALL)
_ENDINGS = {
    ".tmp": UNFINISHED,
    ".temp": UNFINISHED,
    ".inprogress": UNFINISHED,
    ".part": UNFINISHED,  # unfinished downloads; engines name finished files part-…, never ….part
    ".partial": UNFINISHED,
    ".filepart": UNFINISHED,
    ".crdownload": UNFINISHED,
    "._copying_": UNFINISHED,
    ".crc": CHECKSUM,
    ".md5": CHECKSUM,
    ".sha1": CHECKSUM,
    ".sha256": CHECKSUM,
    ".sha512": CHECKSUM,
    ".swp": LEFT_OVER,
    ".swo": LEFT_OVER,
    ".bak": LEFT_OVER,
}
_LAST = {"~": LEFT_OVER, "_$folder$": MARKER}  # EMR's marker of an empty folder
_NAMES = {"thumbs.db": LEFT_OVER, "desktop.ini": LEFT_OVER}
_NOT_DATA_WORDS = (
    # documents and pages
    "md markdown rst adoc html htm css pdf doc docx ppt pptx rtf tex"
    # images, audio and video
    " png jpg jpeg gif bmp svg tif tiff webp ico mp3 mp4 wav mov avi mkv"
    # source code and build results
    " py pyc pyi ipynb scala java class jar war kt go rs c h cpp hpp cs js ts jsx tsx rb php pl"
    " sql hql sh bash bat cmd ps1 so dll dylib exe o whl egg"
    # settings, logs and schemas
    " yaml yml toml ini cfg conf properties env lock log out err xml xsd xsl avsc proto thrift"
    " metadata manifest index"
    # archives, keys and models
    " zip tar tgz tbz2 txz 7z rar rpm deb iso pem key crt cer p12 jks pkl pickle pt pth onnx"
    " joblib h5 hdf5 safetensors"
)
_NOT_DATA = frozenset(_NOT_DATA_WORDS.split())


def ignore_reason(path: str) -> str | None:
    """Return why a file is never data; None if it may be.

    A path is checked folder by folder. With a trailing slash it is a folder, which only its name
    can hide: `site.zip/` may contain data. A hive folder such as `_date=2024-01-15` is data.
    """
    folder, _, name = path.rpartition("/")
    return (_folder_reason(folder) if folder else None) or _file_reason(name)


@lru_cache(maxsize=8192)
def _folder_reason(path: str) -> str | None:
    return next(filter(None, map(_name_reason, path.split("/"))), None)


def _name_reason(name: str) -> str | None:
    if name.startswith(".") or (name.startswith("_") and not _HIVE.match(name)):
        return HIDDEN
    return UNFINISHED if name.lower().endswith((".tmp", ".temp", ".inprogress")) else None


def _file_reason(name: str) -> str | None:
    if not name:
        return None
    if name[0] in "._" and (name[0] == "." or not _HIVE.match(name)):
        return HIDDEN
    lower = name.lower()
    rest, _, last = lower.rpartition(".")
    if last in COMPRESSIONS:
        rest, _, last = rest.rpartition(".")
    if rest and last in _NOT_DATA:
        return NOT_DATA
    by_end = next((why for end, why in _LAST.items() if name.endswith(end)), None)
    return by_end or _ENDINGS.get(f".{last}") or _NAMES.get(lower)
