"""Versions of other programs on this machine."""

import re
import shutil
import subprocess
from dataclasses import dataclass

from lumos_snap.scan.spark.class_data_archive import java_program

_PATIENCE = 20  # seconds: a cold start of Java takes several of them


@dataclass(frozen=True, slots=True)
class Program:
    """A program, its version option, and the pattern of the version in its output."""

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
    """The version that a program prints; None where it cannot be run."""
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
    """Why Spark cannot start, and both fixes; None where Java is available."""
    version = version_of(JAVA)
    if version is None:
        return "there is no Java that runs", _WAYS_OUT
    if is_older(version, OLDEST_JAVA):
        return f"Java {version} is too old", _WAYS_OUT
    return None


_WAYS_OUT = f"{INSTALL_JAVA}; or scan without Java: `--engine local`"
