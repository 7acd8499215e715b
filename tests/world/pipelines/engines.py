"""Jenkins' own engines, from Maven Central: downloaded once, verified, and cached."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.world.servers.processes import installed

POM = Path(__file__).parent / "engines.xml"
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
CHECKSUMS = {
    "assertj-core-3.4.1": "af1208bf1d891f0d762a0149b4ce740d79d48669c40d6e7db785850ff7828470",
    "commons-io-2.5": "a10418348d234968600ccb1d988efcbbd08716e1d96936ccc1880e7d22513474",
    "groovy-all-2.4.21": "de65260cf2070442e99882f2f3d72e7531725c1e6a257446cc0cea525c607bd0",
    "groovy-cps-1.31": "ecfd4e43d75ca8204e278ff01d27c10d4b0d7b3ee781a18d1c363fc04c5c3e7e",
    "guava-11.0.1": "aa7cef9d2ba0110a2db7be0fb6e679cd71f6a26fc3ba9da7715f41d3300def1d",
    "ivy-2.4.0": "ce81cb234406b093b5b8de9f6f5b2a50ed0824d6a235891353e8d3e941a53970",
    "jenkins-pipeline-unit-1.1": (
        "db8c05a36b4ba6d480ea1dd9acc40411789ee5541cbcb9fe8eb12e2764898f4f"
    ),
    "jsr305-1.3.9": "905721a0eea90a81534abb7ee6ef4ea2e5e645fa1def0a5cd88402df1b46c9ed",
}
_OPEN = ("java.lang", "java.util", "java.io")  # Groovy 2.4 is older than the modules of Java


def jars() -> Path:
    """The folder of the jars; skips the test where they cannot be had."""
    for program in ("java", "mvn"):
        if not shutil.which(program):
            pytest.skip(f"not run: {program} is not installed")
    return installed("jenkins-engines-1", _download)


def _download(folder: Path) -> None:
    done = subprocess.run(
        ["mvn", "-q", "-B", "-C", "-f", str(POM), PLUGIN, f"-DoutputDirectory={folder}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    if done.returncode:
        first = next(iter(done.stdout.splitlines()), "Maven fails")
        pytest.skip(f"not run: the engines of Jenkins cannot be downloaded: {first}")
    found = {
        path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.jar")
    }
    assert found == CHECKSUMS


def command(script: str) -> list[str]:
    """How Groovy runs a script of this folder with these jars."""
    opened = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPEN]
    known = (*opened, "-XX:TieredStopAtLevel=1", "-cp", f"{jars()}/*")
    return ["java", *known, "groovy.ui.GroovyMain", str(Path(__file__).parent / script)]
