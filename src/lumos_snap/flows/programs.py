"""Other programs on this machine, asked for their version."""

import re
import shutil
import subprocess

_PATIENCE = 20  # seconds: a cold Java may take some of them


def version_of(program: str, *arguments: str) -> str | None:
    """The version that a program prints of itself, or nothing where it cannot be run."""
    found = shutil.which(program)
    if found is None:
        return None
    try:
        done = subprocess.run(
            (found, *arguments), capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = (done.stdout + done.stderr).decode(errors="replace")
    version = re.search(r"\d+(\.\d+)+|\d+", text)
    return version.group() if version and done.returncode == 0 else None
