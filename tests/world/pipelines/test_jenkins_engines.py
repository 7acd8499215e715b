"""The library and the example in Jenkins' own engines, with real git and a real shell."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.lake import Lake, git
from tests.world.pipelines.conftest import Ended, ended, push, refuse_pushes
from tests.world.pipelines.engines import command
from tests.world.pipelines.jobs import WHO, workspace

pytestmark = pytest.mark.world

Engine = Callable[..., Ended]
EXAMPLE = "Jenkinsfile.example"


@pytest.fixture
def engine(root: Path, plain_environment: Mapping[str, str]) -> Engine:
    """Run a script of Jenkins in a workspace: by `Cps.groovy` or by `Unit.groovy`."""

    def build(name: str, folder: Path, file: Path, **variables: str) -> Ended:
        library = root / ("ci/jenkins/vars" if name == "Cps.groovy" else "ci/jenkins")
        given = [f"{key}={value}" for key, value in variables.items()]
        wanted = [*command(name), str(file), str(library), *given]
        return ended(wanted, folder, {**plain_environment, **WHO})

    return build


@pytest.fixture
def with_catalog(author: Lake) -> Lake:
    """The main line names a folder as its catalog."""
    with (author.folder / "lumos.yaml").open("a") as file:
        file.write("catalogs: [{name: copy, type: files, path: ../copy}]\n")
    push(author, "a", "id")
    author.git("push", "-q", "origin", "HEAD:main")
    return author


class TestRestartsAtEveryStep:
    """groovy-cps: between two steps a program exists only as bytes."""

    def cps(self, engine: Engine, folder: Path, tmp_path: Path, body: str) -> Ended:
        file = tmp_path / "program.groovy"
        file.write_text(body)
        return engine("Cps.groovy", folder, file)

    def test_changes_are_detected(
        self, engine: Engine, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id")
        folder = workspace(remote, tmp_path, "feature")
        body = """
Map found = lumosDetectChanges(base: 'origin/main')
echo "${found.success} ${found.count} ${found.breaking} ${found.bump} ${found.reports.junit}"
lumosDetectChanges(bas: 'x')
"""
        done = self.cps(engine, folder, tmp_path, body)
        assert "[echo] false 1 1 major lumos-reports/diff.xml" in done.log
        assert "ERROR: lumosDetectChanges: there is no parameter `bas`" in done.log
        assert done.code == 1

    def test_a_release_is_planned_and_made(
        self, engine: Engine, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id")
        push(author, "b", "id", "note", "more")
        author.git("push", "-q", "origin", "HEAD:main")
        folder = workspace(remote, tmp_path, "main")
        body = """
Map planned = lumosVersionUpdate(branch: 'main', autoIncrement: false)
echo "${planned.gitTag} ${planned.count} ${planned.pushed} ${planned.schemaVersions.size()}"
Map done = lumosVersionUpdate(branch: 'main')
echo "${done.gitTag} ${done.bump} ${done.pushed}"
"""
        done = self.cps(engine, folder, tmp_path, body)
        assert done.code == 0, done.log
        assert "[echo] S-2 2 false 2" in done.log
        assert "[echo] S-2 major true" in done.log
        assert git(remote, "tag").split() == ["S-1", "S-2"]
        assert "(echo fileExists sh), a restart at each" in done.log

    def test_catalogs_are_synced(
        self, engine: Engine, remote: Path, with_catalog: Lake, tmp_path: Path
    ) -> None:
        folder = workspace(remote, tmp_path, "main")
        body = """
Map one = lumosSync(sources: ['copy'])
echo "${one.success} ${one.changesDetected} ${one.count}"
Map again = lumosSync()
echo "${again.success} ${again.changesDetected} ${again.count}"
lumosSync(sources: ['nowhere'])
"""
        done = self.cps(engine, folder, tmp_path, body)
        assert "[echo] true true 1" in done.log
        assert "[echo] true false 1" in done.log
        assert "ERROR: lumosSync: the sync could not be carried out" in done.log
        assert done.code == 1
        assert "refs/lumos/sync/copy" in git(remote, "for-each-ref")

    @pytest.mark.parametrize(
        "body",
        [
            "for (one in [a: 1].keySet()) { echo one }",
            "def found = ('a1' =~ /a(.)/)\necho 'kept'\necho found.group(1)",
        ],
    )
    def test_what_jenkins_cannot_keep_is_refused_here_too(
        self, engine: Engine, tmp_path: Path, body: str
    ) -> None:
        done = self.cps(engine, tmp_path, tmp_path, body)
        assert done.code == 2
        assert "NOT SERIALIZABLE at step echo" in done.log


class TestExample:
    """JenkinsPipelineUnit: the whole pipeline as it stands, and the calls that it makes."""

    def test_a_pull_request_that_breaks_something_is_red(
        self, engine: Engine, root: Path, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id")
        folder = workspace(remote, tmp_path, "feature")
        pull = {"CHANGE_ID": "7", "CHANGE_TARGET": "main", "BRANCH_NAME": "PR-7"}
        done = engine("Unit.groovy", folder, root / EXAMPLE, **pull)
        assert done.code == 1, done.log
        assert "[echo] Lumos: red: 1 changed, 1 breaking, next: major" in done.log
        assert "[stage] Gate: failed" in done.log
        assert "[stage] Release: skipped" in done.log
        assert "lumosDetectChanges.sh(" in done.log
        assert git(remote, "tag").split() == ["S-1"]

    def test_the_main_line_is_released_and_synced(
        self, engine: Engine, root: Path, remote: Path, with_catalog: Lake, tmp_path: Path
    ) -> None:
        folder = workspace(remote, tmp_path, "main")
        done = engine("Unit.groovy", folder, root / EXAMPLE, BRANCH_NAME="main", CATALOGS="copy")
        assert done.code == 0, done.log
        assert "[stage] Detect: skipped" in done.log
        assert "[echo] Released S-2, datasets: 1, step: major" in done.log
        assert "[echo] Catalogs: 1, in line: true, changed: true" in done.log
        assert "lumosVersionUpdate.sh(" in done.log
        assert "lumosSyncRun.sh(" in done.log
        assert git(remote, "tag").split() == ["S-1", "S-2"]

    def test_a_step_that_fails_fails_the_pipeline(
        self, engine: Engine, root: Path, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id")
        author.git("push", "-q", "origin", "HEAD:main")
        refuse_pushes(remote)
        folder = workspace(remote, tmp_path, "main")
        done = engine("Unit.groovy", folder, root / EXAMPLE, BRANCH_NAME="main")
        assert done.code == 1
        assert "[stage] Release: failed" in done.log
        assert "[stage] Sync: skipped" in done.log
