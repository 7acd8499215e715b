"""The class-data archive: Java classes that a scan loads, stored for a faster next start.

An archive is valid for one build of Java, one class path and one set of options; its name is a hash
of them and its own size. So a truncated archive, or one of another machine, is not used. Java
checks the content; if it cannot use the archive, Spark is started once more without it.
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

from lumos_snap.scan.spark.settings import cache_folder, is_ours, make_private

QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""The C1 compiler and the serial collector: each saves a second at the start, on two cores.

Nothing here runs long enough to profit from the others.
"""

TRUSTING_JVM = (
    f"{QUICK_JVM} -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions"
    " -XX:-BytecodeVerificationRemote"
)
"""Options without an archive: do not verify the bytecode of Spark's own jars at each start.

A session and a first job take 5.4 s instead of 6.3 s, medians of three on two busy cores. A Java
that does not know the option ignores it.
"""

_CHECKED = (
    "-XX:+VerifySharedSpaces -Xshare:auto -Xlog:disable -Xlog:all=error:stderr"
    # If Java crashes nevertheless, report it once, and leave no error file or core dump.
    f" -XX:ErrorFile={os.devnull} -XX:-CreateCoredumpOnCrash"
)
_PATIENCE = 20  # seconds: a cold Java may need several
_SUFFIX = ".jsa"
_ABANDONED = 3600  # seconds after which an unfinished archive counts as abandoned


@dataclass(frozen=True, slots=True)
class Archive:
    """A class-data archive that fits the installed Java and Spark."""

    path: Path
    bytes: int

    @property
    def options(self) -> str:
        """Java options that use the archive."""
        return f'{QUICK_JVM} -XX:SharedArchiveFile="{self.path}" {_CHECKED}'

    def remove(self) -> None:
        """Remove an unusable archive, so that the next start does not try it again."""
        with contextlib.suppress(OSError):
            self.path.unlink()


def folder() -> Path:
    """Return the folder of this user's archives."""
    return cache_folder("java")


def find_archive() -> Archive | None:
    """Find the archive for the installed Java and Spark: complete, and this user's own."""
    try:
        kept = [one for one in folder().iterdir() if one.suffix == _SUFFIX]
        if not kept or not is_ours(folder()):
            return None
        key = fingerprint()
        for path in kept:
            name, _, size = path.stem.partition("-")
            if name == key and is_ours(path) and str(path.stat().st_size) == size:
                return Archive(path, int(size))
    except OSError:  # missing or unreadable: the scan only starts later
        return None
    return None


def fingerprint() -> str | None:
    """Hash everything that an archive depends on; None if Java or Spark is missing."""
    said, jars = _java(), _jars()
    if said is None or jars is None:
        return None
    digest = hashlib.sha256()
    for part in (said, QUICK_JVM, *jars):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()[:32]


def recording_options(target: Path) -> str:
    """Return the Java options that write an archive at exit."""
    return f'{QUICK_JVM} -XX:ArchiveClassesAtExit="{target}" -Xlog:disable -Xlog:all=error:stderr'


@contextlib.contextmanager
def prepare_target() -> Iterator[Path]:
    """Yield a temporary path beside the archives for a new one; it is removed in any case."""
    place = make_private(folder())  # Java executes its content: no other user may write there
    target = place / f"making-{os.getpid()}"
    try:
        yield target
    finally:
        target.unlink(missing_ok=True)


def keep_archive(made: Path, key: str) -> Archive:
    """Move a finished archive to where scans find it, and remove outdated ones."""
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
    """Return the path of the Java that Spark will start; None if there is none."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(f"{home}/bin/java" if home else "java")


def suggest() -> bool:
    """Whether to suggest an archive: none fits, and this user has not seen the suggestion yet."""
    if find_archive() is not None or fingerprint() is None:
        return False
    with contextlib.suppress(OSError):
        (make_private(folder()) / "suggested").touch(exist_ok=False)
        return True
    return False


def _java() -> str | None:
    """Return the version output of the Java that Spark will find."""
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
    """Return what an archive depends on in Spark's class path; None if Spark is missing."""
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
    # Java compares sizes and times too; times in seconds, as many archivers store only those.
    told = (f"{name} {is_at.st_size} {int(is_at.st_mtime)}" for name, is_at in jars)
    return (version, home, *told)
