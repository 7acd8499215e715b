"""The class-data archive: what Java loads for a scan, kept so that the next one starts sooner.

It holds for one build of Java, one class path and one set of options, and its name is made of them
and of its own size. So one that is cut off, or of another machine, is not taken; Java itself checks
what is in it, and where it cannot be used after all, Spark is started once more without it.
"""

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumos_snap.scan.spark.cache_folder import cache_folder, is_ours, make_private

QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""The quick compiler and the simple collector start a second sooner each, and nothing here runs
long enough to profit from the others: measured on two cores."""

TRUSTING_JVM = (
    f"{QUICK_JVM} -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions"
    " -XX:-BytecodeVerificationRemote"
)
"""Without an archive, Java would verify the bytecode of Spark's own jars at each start. A session
and a first job take 5.4 s instead of 6.3 s, medians of three on two busy cores. A Java that does
not know the option ignores it."""

_CHECKED = (
    "-XX:+VerifySharedSpaces -Xshare:auto -Xlog:disable -Xlog:all=error:stderr"
    # Where Java ends by it all the same, that is told once, and leaves nothing lying about.
    f" -XX:ErrorFile={os.devnull} -XX:-CreateCoredumpOnCrash"
)
_PATIENCE = 20  # seconds: a cold Java may take some of them
_SUFFIX = ".jsa"
_ABANDONED = 3600  # seconds: what was begun before that is not finished any more


@dataclass(frozen=True, slots=True)
class Archive:
    """A class-data archive that fits the Java and the Spark that are installed here."""

    path: Path
    bytes: int

    @property
    def options(self) -> str:
        """How Java is told to use it."""
        return f'{QUICK_JVM} -XX:SharedArchiveFile="{self.path}" {_CHECKED}'

    def remove(self) -> None:
        """It could not be used: the next start must not try again."""
        with contextlib.suppress(OSError):
            self.path.unlink()


def folder() -> Path:
    """Where this user's archives lie."""
    return cache_folder("java")


def find_archive() -> Archive | None:
    """The archive for what is installed here, whole, and made by nobody else."""
    try:
        kept = [one for one in folder().iterdir() if one.suffix == _SUFFIX]
        if not kept or not is_ours(folder()):
            return None
        key = fingerprint()
        for path in kept:
            name, _, size = path.stem.partition("-")
            if name == key and is_ours(path) and str(path.stat().st_size) == size:
                return Archive(path, int(size))
    except OSError:  # there is none, or it cannot be read: a scan only starts later
        return None
    return None


def fingerprint() -> str | None:
    """What an archive depends on, as a few letters; nothing where Java or Spark is missing."""
    said, jars = _java(), _jars()
    if said is None or jars is None:
        return None
    digest = hashlib.sha256()
    for part in (said, QUICK_JVM, *jars):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()[:32]


def recording_options(target: Path) -> str:
    """How Java is told to make an archive when it ends."""
    return f'{QUICK_JVM} -XX:ArchiveClassesAtExit="{target}" -Xlog:disable -Xlog:all=error:stderr'


@contextlib.contextmanager
def prepare_target() -> Iterator[Path]:
    """A place beside the archives for one that is being made; it goes, whatever happens."""
    place = make_private(folder())  # Java runs what lies there: it is nobody else's to write
    target = place / f"making-{os.getpid()}"
    try:
        yield target
    finally:
        target.unlink(missing_ok=True)


def keep_archive(made: Path, key: str) -> Archive:
    """Put a finished archive where scans find it; those for anything else are removed."""
    with made.open("rb") as file:
        os.fsync(file.fileno())
    found = made.stat()
    path = made.replace(made.with_name(f"{key}-{found.st_size}{_SUFFIX}"))
    for other in path.parent.iterdir():
        is_old = other.suffix == _SUFFIX or found.st_mtime - other.stat().st_mtime > _ABANDONED
        if is_old and other != path:
            other.unlink(missing_ok=True)
    return Archive(path, found.st_size)


def java_program() -> str | None:
    """The Java that Spark will start; nothing where there is none."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(f"{home}/bin/java" if home else "java")


def suggest() -> bool:
    """Whether to suggest an archive: none fits, and this user was not told before."""
    if find_archive() is not None or fingerprint() is None:
        return False
    with contextlib.suppress(OSError):
        (make_private(folder()) / "suggested").touch(exist_ok=False)
        return True
    return False


def _java() -> str | None:
    """Which build of Java Spark will find, in Java's own words."""
    program = java_program()
    if program is None:
        return None
    command = (program, "-version")
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return (done.stdout + done.stderr).decode(errors="replace")


def _jars() -> Sequence[str] | None:
    """The class path of Spark, as far as an archive depends on it; nothing where it is missing."""
    home = os.environ.get("SPARK_HOME")
    if not home:
        found = importlib.util.find_spec("pyspark")
        if found is None or not found.submodule_search_locations:
            return None
        home = found.submodule_search_locations[0]
    try:
        jars = sorted((one.name, one.stat()) for one in os.scandir(Path(home, "jars")))
    except OSError:
        return None
    version = importlib.metadata.version("pyspark")
    # Java compares sizes and times too, and times in seconds: that is what many archivers keep.
    told = (f"{name} {is_at.st_size} {int(is_at.st_mtime)}" for name, is_at in jars)
    return (version, home, *told)
