"""A real Gitea with a runner on the loopback: started in a folder, ended by their ids."""

import base64
import http.cookiejar
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.forge.build import GITEA, RUNNER
from tests.world.servers.processes import answers, free_ports, run, started

PASSWORD = "secret-of-a-test-12"  # noqa: S105 - of a server that lives for minutes
ADMIN = "root1"
PATIENCE = 180  # seconds for a run of a workflow: two cores may be busy
_SETTINGS = """\
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
RUN_USER = {user}
RUN_MODE = prod
WORK_PATH = {folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = {port}
ROOT_URL = http://127.0.0.1:{port}/
STATIC_ROOT_PATH = {source}
DISABLE_SSH = true
OFFLINE_MODE = true
GRACEFUL_HAMMER_TIME = 1s
[database]
DB_TYPE = sqlite3
PATH = {folder}/gitea.db
[security]
INSTALL_LOCK = true
SECRET_KEY = 0123456789012345678901234567890123456789
PASSWORD_HASH_ALGO = pbkdf2$1000$50
[actions]
ENABLED = true
DEFAULT_ACTIONS_URL = self
[indexer]
ISSUE_INDEXER_TYPE = db
[cron]
ENABLED = false
[log]
LEVEL = warn
MODE = console
[repository]
DEFAULT_BRANCH = main
ENABLE_PUSH_CREATE_USER = true
DEFAULT_PUSH_CREATE_PRIVATE = false
"""


class Answer(NamedTuple):
    """What came back."""

    status: int
    body: Any


@dataclass
class Forge:
    """The server, and how it is asked."""

    url: str
    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    log_of_runner: Path | None = None

    def ask(self, method: str, path: str, content: object = None, user: str = ADMIN) -> Answer:
        """A request to the API, by name and password."""
        name = base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()
        request = urllib.request.Request(  # noqa: S310 - our own server
            f"{self.url}/api/v1{path}",
            method=method,
            data=None if content is None else json.dumps(content).encode(),
            headers={"Authorization": f"Basic {name}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - likewise
                return Answer(answer.status, _parsed(answer.read()))
        except urllib.error.HTTPError as refused:
            return Answer(refused.code, _parsed(refused.read()))

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status == 200, answer
        return answer.body

    def add_user(self, name: str) -> None:
        content = {
            "username": name, "password": PASSWORD, "email": f"{name}@example.com",
            "must_change_password": False,
        }  # fmt: skip
        assert self.ask("POST", "/admin/users", content).status == 201

    def token(self, user: str, *scopes: str) -> str:
        content = {"name": f"t{time.monotonic_ns()}", "scopes": list(scopes)}
        answer = self.ask("POST", f"/users/{user}/tokens", content, user=user)
        assert answer.status == 201, answer
        found: str = answer.body["sha1"]
        return found

    def address(self, repository: str, user: str) -> str:
        """Where git pushes to, with the name and the password of a user."""
        return self.url.replace("http://", f"http://{user}:{PASSWORD}@") + f"/{repository}.git"

    def push(self, folder: Path, repository: str, user: str, refs: str = "HEAD:main") -> str:
        """Push a commit; the repository is made where it is not there. Returns the commit."""
        address = self.address(repository, user)
        git(self, folder, "push", "-q", "--force", address, refs)
        return git(self, folder, "rev-parse", refs.partition(":")[0])

    def has_runner(self) -> bool:
        return any(
            one["status"] in ("idle", "online")
            for one in self.get("/admin/actions/runners")["runners"]
        )

    def runs(self, repository: str, commit: str) -> list[dict[str, Any]]:
        found = self.get(f"/repos/{repository}/actions/runs?head_sha={commit}")
        return list(found["workflow_runs"] or [])

    def ended(self, repository: str, commit: str) -> dict[str, Any]:
        """The run of a commit's workflow, when it is over."""
        run: dict[str, Any] = self.wait(lambda: self._over(repository, commit))
        return run

    def _over(self, repository: str, commit: str) -> dict[str, Any] | None:
        return next((r for r in self.runs(repository, commit) if r["status"] == "completed"), None)

    def wait(self, known: Callable[[], Any]) -> Any:
        until = time.monotonic() + PATIENCE
        while not (found := known()):
            if time.monotonic() > until:
                log = self.log_of_runner
                said = log.read_text(errors="replace")[-3000:] if log else ""
                raise AssertionError(f"nothing came of it:\n{said}")
            time.sleep(0.3)
        return found

    def log(self, repository: str, run: Mapping[str, Any]) -> str:
        """What the jobs of a run printed."""
        jobs = self.get(f"/repos/{repository}/actions/runs/{run['id']}/jobs")["jobs"]
        return "".join(
            str(self.get(f"/repos/{repository}/actions/jobs/{job['id']}/logs")) for job in jobs
        )

    def approve(self, repository: str, run: Mapping[str, Any]) -> None:
        """Let the run of a fork start: Gitea 1.26 has a page for that, and no API."""
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        browser = urllib.request.build_opener(jar)
        browser.addheaders = [("Origin", self.url)]
        login = urllib.parse.urlencode({"user_name": ADMIN, "password": PASSWORD}).encode()
        browser.open(f"{self.url}/user/login", login, timeout=60).close()
        page = f"{self.url}/{repository}/actions/runs/{run['id']}/approve"
        browser.open(page, b"", timeout=60).close()


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode("utf-8", "replace")


def git(forge: Forge, folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=dict(forge.environment),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@contextmanager
def running(folder: Path, variables: Mapping[str, str]) -> Iterator[Forge]:
    """A server with one runner, which runs two jobs at a time on this machine."""
    (port,) = free_ports(1)
    address = f"127.0.0.1:{port}"
    (folder / "home").mkdir(parents=True)
    # A home of its own: both programs write git's configuration there, and clone with it.
    environment = {
        "PATH": f"{Path(sys.base_prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder / "home"),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GITEA_WORK_DIR": str(folder),
        **{f"GIT_{who}_NAME": "Jane Smith" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "jane@example.com" for who in ("AUTHOR", "COMMITTER")},
    }
    forge = Forge(f"http://{address}", folder, environment)
    _configure(folder, port, environment)
    # Never this process's environment: Gitea writes to the file that GIT_CONFIG_GLOBAL names, and
    # where that is /dev/null it replaces the device.
    with started([GITEA.binary, "web"], lambda: answers(address), only=environment):
        command = _runner(forge, variables)
        with started(command, forge.has_runner, only=environment) as home:
            forge.log_of_runner = home / "log"
            yield forge


def _configure(folder: Path, port: int, environment: Mapping[str, str]) -> None:
    settings = folder / "custom/conf/app.ini"
    settings.parent.mkdir(parents=True)
    user = run("id", "-un").strip()
    settings.write_text(_SETTINGS.format(user=user, folder=folder, port=port, source=GITEA.source))
    admin = ("admin", "user", "create", "--username", ADMIN, "--password", PASSWORD)
    more = ("--email", f"{ADMIN}@example.com", "--admin", "--must-change-password=false")
    for arguments in (("migrate",), (*admin, *more)):
        done = subprocess.run(
            [str(GITEA.binary), *arguments], env=dict(environment), cwd=folder,
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def _runner(forge: Forge, variables: Mapping[str, str]) -> list[object]:
    """Register a runner; returns the command that runs it."""
    home = forge.folder / "runner"
    (home / "work").mkdir(parents=True)
    settings = {
        "log": {"level": "info"},
        "runner": {
            "file": str(home / ".runner"), "capacity": 2, "envs": dict(variables),
            "fetch_interval": "1s", "labels": ["ubuntu-latest:host"],
            "log_report_interval": "1s", "state_report_interval": "1s",
        },
        "cache": {"enabled": False},
        "host": {"workdir_parent": str(home / "work")},
    }  # fmt: skip
    (home / "config.yaml").write_text(json.dumps(settings))
    path = "/admin/actions/runners/registration-token"
    token = forge.ask("POST", path).body["token"]
    command = [str(RUNNER.binary), "-c", str(home / "config.yaml")]
    register = ["register", "--no-interactive", "--instance", forge.url, "--token", token]
    done = subprocess.run(
        [*command, *register, "--name", "host", "--labels", "ubuntu-latest:host"],
        env=dict(forge.environment), cwd=home, capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return [*command, "daemon"]
