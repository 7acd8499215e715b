"""Other programs on this machine, asked for their version."""

import re
import shutil
import subprocess
from dataclasses import dataclass

from lumos_snap.scan.spark.class_data_archive import java_program

_PATIENCE = 20  # seconds: a cold Java may take some of them


@dataclass(frozen=True, slots=True)
class Program:
    """A program, how it is asked for its version, and where in the answer that stands."""

    name: str
    asked: tuple[str, ...]
    says: str


GIT = Program("git", ("--version",), r"git version (\d[\d.]*\d|\d)")
JAVA = Program("java", ("-version",), r'version "(\d[\d.]*\d|\d)')


OLDEST_JAVA = (17,)
INSTALL_JAVA = (
    "install Java 17 or newer: `apt install openjdk-17-jre-headless`, `brew install openjdk@17`"
)


def is_older(version: str, oldest: tuple[int, ...]) -> bool:
    """Whether a version is too old."""
    return tuple(map(int, version.split("."))) < oldest


def version_of(program: Program) -> str | None:
    """The version that a program prints of itself, or nothing where it cannot be run."""
    found = java_program() if program is JAVA else shutil.which(program.name)
    if found is None:
        return None
    command = (found, *program.asked)
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = (done.stdout + done.stderr).decode(errors="replace")
    version = re.search(program.says, text)
    return version.group(1) if version and done.returncode == 0 else None


def explain_missing_java() -> tuple[str, str] | None:
    """Why Spark cannot start here, and both ways out; nothing where Java is as it should be."""
    version = version_of(JAVA)
    if version is None:
        return "there is no Java that runs", _WAYS_OUT
    if is_older(version, OLDEST_JAVA):
        return f"Java {version} is too old", _WAYS_OUT
    return None


_WAYS_OUT = f"{INSTALL_JAVA}; or scan without Java: `--engine local`"
