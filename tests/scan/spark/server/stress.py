"""Starts and ends a Spark server many times, by its command and by killing what it consists of.

    python -m tests.scan.spark.server.stress [ROUNDS] [SEED]

After each round no process is left; each scan writes what the first one wrote, whatever happens to
the server meanwhile; no file that other users can read has a token in it.
"""

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.scan.spark.server.conftest import make_user
from tests.scan.spark.server.machine import User, processes, soon


def _stop(user: User, _chance: random.Random) -> None:
    assert user.run("spark", "stop").returncode == 0


def _kill_keeper(user: User, _chance: random.Random) -> None:
    user.kill(user.server()["pid"])


def _kill_java(user: User, _chance: random.Random) -> None:
    user.kill(user.server()["java"])


def _kill_in_a_scan(user: User, chance: random.Random) -> None:
    """The scan succeeds, or says that the job failed: it never writes anything else."""
    server = user.server()
    _forget(user)
    scanning = user.started("snap", "scan", "lake", "-C", "tree")
    time.sleep(chance.uniform(0.2, 3))
    user.kill(server[chance.choice(("pid", "java"))])
    out, err = scanning.communicate(timeout=120)
    assert scanning.returncode in {0, 3}, out + err
    assert "Traceback" not in err, err
    assert server["token"] not in out + err


End = Callable[[User, random.Random], None]
ENDS: tuple[End, ...] = (
    _stop,
    _kill_keeper,
    _kill_java,
    _kill_in_a_scan,
)


def _kill_in_the_start(user: User, chance: random.Random) -> None:
    starting = user.started("spark", "start")
    time.sleep(chance.uniform(0, 4))
    for pid in processes(str(user.home)):
        if pid != starting.pid:
            try:
                user.kill(pid)
            except ProcessLookupError:
                continue
    _, err = starting.communicate(timeout=120)
    assert starting.returncode in {0, 3}, err
    if starting.returncode == 0:  # nothing was there to kill yet: a server runs, rightly
        assert user.run("spark", "stop").returncode == 0


def _forget(user: User) -> None:
    (user.home / "tree/.lumos/scan/lake.gz").unlink(missing_ok=True)


def _snapshots(user: User) -> dict[str, bytes]:
    top = user.home / "tree/snapshots"
    return {str(one.relative_to(top)): one.read_bytes() for one in top.rglob("*.json")}


def main() -> None:
    """Go through all rounds, and print what was done."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance, done = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="lumos-stress-") as name:
        user = make_user(Path(name) / "user")
        user.scanned()
        right = _snapshots(user)
        for number in range(rounds):
            end: End = _kill_in_the_start if chance.random() < 0.2 else chance.choice(ENDS)
            if end is not _kill_in_the_start:
                assert user.run("spark", "start").returncode == 0
                if chance.random() < 0.3:
                    done["scans"] += 1
                    assert "warm server" in user.scanned()["engine"]["place"]
            end(user, chance)
            done[end.__name__.strip("_").replace("_", " ")] += 1
            _wait_for_the_end(user, f"round {number}, {end.__name__}")
            assert user.run("spark", "status").returncode == 1
            assert _snapshots(user) == right, f"round {number}"
            _nothing_to_read_for_others(user.home / "cache")
        print(f"{rounds} rounds, seed {seed}: {dict(done)}; nothing was left, nothing was wrong")


def _wait_for_the_end(user: User, when: str) -> None:
    """No process of the user stays; one that does is named."""
    try:
        soon(lambda: not processes(str(user.home)))
    except AssertionError:
        for pid in processes(str(user.home)):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
            print(f"{when}: {pid} is left: {command.decode(errors='replace')[:300]}")
        raise


def _nothing_to_read_for_others(cache: Path) -> None:
    for path in cache.rglob("*"):
        if path.is_file() and b'"token"' in path.read_bytes():
            assert path.stat().st_mode & 0o077 == path.parent.stat().st_mode & 0o077 == 0


if __name__ == "__main__":
    main()
