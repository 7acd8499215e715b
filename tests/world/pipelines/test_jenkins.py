"""The example pipeline and the shared library of Jenkins: real Groovy, shell, git and remote."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.lake import Lake, git
from tests.world.pipelines.conftest import REPORTS, Jenkins, push, refuse_pushes
from tests.world.pipelines.jobs import workspace

pytestmark = pytest.mark.world

PARAMETERS = f"REPORTS={' '.join(REPORTS)}"


class TestPullRequest:
    PULL = {"CHANGE_ID": "7", "CHANGE_TARGET": "main", "BRANCH_NAME": "PR-7"}  # noqa: RUF012

    def test_what_breaks_turns_the_gate_red_and_leaves_reports(
        self, jenkins: Jenkins, root: Path, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id")
        folder = workspace(remote, tmp_path, "feature")
        ended = jenkins(folder, root / "Jenkinsfile.example", PARAMETERS, **self.PULL)
        assert ended.code == 1, ended.log
        assert "SC001 field-removed: note was removed" in ended.log
        assert "[echo] Lumos: red: 1 changed, 1 breaking, next: major" in ended.log
        assert "ERROR: the gate is red" in ended.log
        assert "[stage] Release" not in ended.log
        written = {path.name for path in (folder / "lumos-reports").iterdir()}
        endings = {"json": "diff.json", "junit": "diff.xml", "html": "diff.html"}
        assert written == {"diff.env", *(endings[name] for name in REPORTS)}
        assert f"[archived] {' '.join(sorted(written))}" in ended.log

    def test_what_breaks_nothing_leaves_it_green(
        self, jenkins: Jenkins, root: Path, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id", "note", "more")
        folder = workspace(remote, tmp_path, "feature")
        ended = jenkins(folder, root / "Jenkinsfile.example", PARAMETERS, **self.PULL)
        assert ended.code == 0, ended.log
        assert "[echo] Lumos: green: 1 changed, 0 breaking, next: minor" in ended.log
        assert "[skipped] Release" in ended.log

    def test_a_base_that_there_is_not_is_never_green(
        self, jenkins: Jenkins, root: Path, remote: Path, tmp_path: Path
    ) -> None:
        folder = workspace(remote, tmp_path, "feature")
        away = {**self.PULL, "CHANGE_TARGET": "nowhere"}
        ended = jenkins(folder, root / "Jenkinsfile.example", PARAMETERS, **away)
        assert ended.code == 1
        assert "nowhere" in ended.log
        assert "green" not in ended.log

    def test_settings_that_cannot_be_read_are_never_green(
        self, jenkins: Jenkins, root: Path, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        (author.folder / "lumos.yaml").write_text("version: 1\npolcy: {}\n")
        push(author, "a", "id", "note", "more")
        folder = workspace(remote, tmp_path, "feature")
        ended = jenkins(folder, root / "Jenkinsfile.example", PARAMETERS, **self.PULL)
        assert ended.code == 1
        assert "polcy" in ended.log
        assert "lumos cannot decide (exit 2)" in ended.log


class TestMainLine:
    MAIN = {"BRANCH_NAME": "main"}  # noqa: RUF012

    def test_a_release_is_committed_tagged_and_pushed_and_a_second_run_does_nothing(
        self, jenkins: Jenkins, root: Path, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id")
        author.git("push", "-q", "origin", "HEAD:main")
        folder = workspace(remote, tmp_path, "main")
        ended = jenkins(folder, root / "Jenkinsfile.example", PARAMETERS, **self.MAIN)
        assert ended.code == 0, ended.log
        assert "[echo] Released S-2, datasets: 1, step: major" in ended.log
        assert git(remote, "tag").split() == ["S-1", "S-2"]
        assert git(remote, "rev-parse", "main") == git(remote, "rev-parse", "S-2^{commit}")
        before = git(remote, "for-each-ref")
        again = workspace(remote, tmp_path, "main")
        ended = jenkins(again, root / "Jenkinsfile.example", PARAMETERS, **self.MAIN)
        assert ended.code == 0, ended.log
        assert "[echo] Nothing to release" in ended.log
        assert git(remote, "for-each-ref") == before

    def test_a_remote_that_refuses_fails_the_build(
        self, jenkins: Jenkins, root: Path, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id")
        author.git("push", "-q", "origin", "HEAD:main")
        refuse_pushes(remote)
        folder = workspace(remote, tmp_path, "main")
        ended = jenkins(folder, root / "Jenkinsfile.example", PARAMETERS, **self.MAIN)
        assert ended.code == 1
        assert git(remote, "tag").split() == ["S-1"]


def script(tmp_path: Path, body: str) -> Path:
    file = tmp_path / "Jenkinsfile"
    file.write_text(f"library 'lumos-snap'\n{body}\n")
    return file


class TestCatalogs:
    MAIN = {"BRANCH_NAME": "main"}  # noqa: RUF012

    def test_after_a_release_catalogs_hold_it(
        self, jenkins: Jenkins, root: Path, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id")
        with (author.folder / "lumos.yaml").open("a") as file:
            file.write("catalogs: [{name: copy, type: files, path: ../copy}]\n")
        author.commit("A copy")
        author.git("push", "-q", "origin", "HEAD:main")
        for changed in ("true", "false"):
            folder = workspace(remote, tmp_path, "main")
            wanted = (PARAMETERS, "CATALOGS=copy")
            ended = jenkins(folder, root / "Jenkinsfile.example", *wanted, **self.MAIN)
            assert ended.code == 0, ended.log
            assert f"[echo] Catalogs: 1, in line: true, changed: {changed}" in ended.log
        assert '"S-2"' in (tmp_path / "copy/snapshots/s3/lake/a.json").read_text()
        folder = workspace(remote, tmp_path, "main")
        ended = jenkins(folder, root / "Jenkinsfile.example", PARAMETERS, **self.MAIN)
        assert "[skipped] Sync" in ended.log

    def test_a_catalog_that_a_person_must_decide_about_turns_the_build_red(
        self, jenkins: Jenkins, root: Path, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        with (author.folder / "lumos.yaml").open("a") as file:
            file.write("catalogs: [{name: copy, type: files, path: ../copy}]\n")
        author.put("a", governance={"domain": "one"})
        author.commit("A copy")
        author.git("push", "-q", "origin", "HEAD:main")
        wanted = (PARAMETERS, "CATALOGS=copy")
        folder = workspace(remote, tmp_path, "main")
        assert jenkins(folder, root / "Jenkinsfile.example", *wanted, **self.MAIN).code == 0
        theirs = tmp_path / "copy/snapshots/s3/lake/a.json"
        theirs.write_text(theirs.read_text().replace('"one"', '"theirs"'))
        author.git("pull", "-q", "--rebase", "origin", "main")
        author.put("a", governance={"domain": "ours"})
        author.commit("Another domain")
        author.git("push", "-q", "origin", "HEAD:main")
        folder = workspace(remote, tmp_path, "main")
        ended = jenkins(folder, root / "Jenkinsfile.example", *wanted, **self.MAIN)
        assert ended.code == 1
        assert "ERROR: a person has to decide about a catalog" in ended.log


class TestSteps:
    def test_versions_are_those_of_each_dataset_and_of_the_highest_step(
        self, jenkins: Jenkins, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id", "note", "more")
        push(author, "b", "id")
        author.git("push", "-q", "origin", "HEAD:main")
        body = """
Map done = lumosVersionUpdate(branch: 'main', autoIncrement: false)
echo "${done.success} ${done.changesDetected} ${done.count} ${done.cloudVersion} ${done.gitTag}"
echo "${done.schemaVersion} ${done.bump} ${done.pushed}"
for (one in done.schemaVersions) { echo "${one.urn} ${one.schemaVersion} ${one.bump}" }
"""
        folder = workspace(remote, tmp_path, "main")
        ended = jenkins(folder, script(tmp_path, body))
        assert ended.code == 0, ended.log
        said = [line for line in ended.log.splitlines() if line.startswith("[echo]")]
        assert said == [
            "[echo] true true 2 S-2 S-2",
            "[echo] 2.0.0 major false",
            "[echo] lumos://s3/lake/b 2.0.0 major",
            "[echo] lumos://s3/lake/a 1.1.0 minor",
        ]
        assert git(remote, "tag").split() == ["S-1"]
        assert git(folder, "status", "--porcelain") == ""

    def test_another_prefix_than_the_settings_say_stops_before_anything_is_written(
        self, jenkins: Jenkins, remote: Path, author: Lake, tmp_path: Path
    ) -> None:
        push(author, "a", "id")
        author.git("push", "-q", "origin", "HEAD:main")
        folder = workspace(remote, tmp_path, "main")
        body = "lumosVersionUpdate(branch: 'main', tagPrefix: 'metadata/')"
        ended = jenkins(folder, script(tmp_path, body))
        assert ended.code == 1
        assert "say `versions.tag_prefix` in lumos.yaml" in ended.log
        assert git(remote, "tag").split() == ["S-1"]
        assert git(folder, "log", "--format=%s", "-1") == "Change a"

    @pytest.mark.parametrize(
        ("body", "says"),
        [
            ("lumosDetectChanges(bas: 'x')", "there is no parameter `bas`; it takes configPath,"),
            ("lumosDetectChanges(configPath: 'no/lumos.yaml')", "there is no no/lumos.yaml"),
            ("lumosDetectChanges(configPath: 'lumos.yml')", "lumos.yml is no lumos.yaml"),
            ("lumosVersionUpdate(createGitTag: false)", "say push: false as well"),
            ("lumosSync()", "the sync could not be carried out"),
        ],
    )
    def test_what_cannot_be_done_is_one_line(
        self, jenkins: Jenkins, remote: Path, tmp_path: Path, body: str, says: str
    ) -> None:
        folder = workspace(remote, tmp_path, "main")
        ended = jenkins(folder, script(tmp_path, body))
        assert ended.code == 1
        (line,) = [one for one in ended.log.splitlines() if one.startswith("ERROR:")]
        assert says in line

    def test_catalogs_are_brought_in_line(
        self, jenkins: Jenkins, remote: Path, tmp_path: Path
    ) -> None:
        folder = workspace(remote, tmp_path, "main")
        git(folder, "config", "user.name", "Jenkins")
        git(folder, "config", "user.email", "jenkins@example.com")
        with (folder / "lumos.yaml").open("a") as file:
            file.write("catalogs: [{name: copy, type: files, path: ../the copy}]\n")
        body = """
Map one = lumosSync(sources: ['copy'])
echo "${one.success} ${one.changesDetected} ${one.count}"
Map again = lumosSync()
echo "${again.success} ${again.changesDetected} ${again.count}"
"""
        ended = jenkins(folder, script(tmp_path, body))
        assert ended.code == 0, ended.log
        assert "[echo] true true 1" in ended.log
        assert "[echo] true false 1" in ended.log
        assert list((tmp_path / "the copy").rglob("*.json"))
        assert "refs/lumos/sync/copy" in git(remote, "for-each-ref")

    def test_words_are_data_to_the_shell(
        self, jenkins: Jenkins, remote: Path, tmp_path: Path
    ) -> None:
        folder = workspace(remote, tmp_path, "main")
        body = """lumosDetectChanges(base: "x'; touch pwned; '\\$(touch pwned)`touch pwned`")"""
        ended = jenkins(folder, script(tmp_path, body))
        assert ended.code == 1
        assert not (folder / "pwned").exists()

    def test_sources_are_scanned_first(
        self, jenkins: Jenkins, remote: Path, tmp_path: Path
    ) -> None:
        folder = workspace(remote, tmp_path, "main")
        lake = folder / "lake"
        lake.mkdir()
        (lake / "people.csv").write_text("id,name\n1,Jane\n2,Joe\n")
        body = f"""
Map found = lumosDetectChanges(sources: ['lake'], reports: {REPORTS!r})
echo "${{found.success}} ${{found.changesDetected}} ${{found.count}} ${{found.bump}}"
"""
        ended = jenkins(folder, script(tmp_path, body))
        assert ended.code == 0, ended.log
        assert "[echo] true true 1 minor" in ended.log


class TestHarness:
    """What stands in for Jenkins refuses what Jenkins refuses."""

    @pytest.mark.parametrize(
        ("body", "says"),
        [
            ("publishHTML(target: [:])", "publishHTML"),
            ("'ls'.execute()", "sandbox"),
            ("new File('/etc/passwd').text", "sandbox"),
            ("readJSON(text: '{}')", "readJSON"),
        ],
    )
    def test_no_other_plugin_and_nothing_that_the_sandbox_stops(
        self, jenkins: Jenkins, tmp_path: Path, body: str, says: str
    ) -> None:
        ended = jenkins(tmp_path, script(tmp_path, body))
        assert ended.code == 1
        assert says in ended.log


def test_files_of_groovy_are_without_blame(root: Path, groovy_home: Path) -> None:
    done = subprocess.run(
        [
            *("node", str(groovy_home / "lib/index.js"), "--noserver", "--failon", "warning"),
            *("-c", "recommended-jenkinsfile", "Jenkinsfile.example"),
            *(str(p.relative_to(root)) for p in sorted((root / "ci/jenkins").rglob("*.groovy"))),
        ],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
