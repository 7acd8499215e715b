"""Java, launched while files are still being listed: by the time that it is needed, it is there.

Only the Java of a scan on this machine is launched so, and only where it is certain to be needed:
the rest of a session is made when the files are known.
"""

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path

from lumos_snap.scan import archive, pyspark_internals
from lumos_snap.scan.ending import end_java, failures, java_runs

OPTIONS = "spark.driver.extraJavaOptions"


class HeadStart:
    """A Java that is on its way."""

    def __init__(self, settings: Mapping[str, str], log: Path) -> None:
        self.log = log
        self.kept: archive.Archive | None = None
        """The class-data archive that it was told to use."""
        self.is_used = False
        """Whether a session was started in it: it ends with this process then."""
        self._settings = settings
        self._thread = threading.Thread(target=self._launch, daemon=True)
        self._thread.start()

    def awaited(self) -> bool:
        """Wait for it; whether it runs. Whoever starts a session finds out why it does not."""
        self._thread.join()
        return java_runs()

    def end(self) -> None:
        """End it, if no session did."""
        self._thread.join()
        if not self.is_used and java_runs():
            end_java()

    def _launch(self) -> None:
        with contextlib.suppress(ImportError, OSError, ValueError):
            known = failures()
            with contextlib.suppress(*known):
                self._launched()

    def _launched(self) -> None:
        from pyspark.sql import SparkSession  # noqa: F401 - loaded meanwhile

        said: dict[str, str] = dict(self._settings)
        if said.get(OPTIONS) == archive.TRUSTING_JVM:
            self.kept = archive.matching()
        if self.kept is not None:
            said[OPTIONS] = self.kept.options
        pyspark_internals.launch(said, self.log)
