"""The folder of one run's work files, which the server removes.

Spark Connect has no verb for files. A database has: its folder is the one that it was made with,
and to drop it removes that folder with all that is in it, in Spark's own catalogue
(`InMemoryCatalog.dropDatabase`) and in Hive's (`HiveMetaStore`, `drop_database_core`). So a
database is made over the folder of the run, and dropped.
"""

import posixpath
import shlex
import shutil
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote
from uuid import uuid4

import grpc
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

_PREFIX = "netplan-"
_HERE = "file://"
_PAUSES_S = (0.0, 0.5, 1.5)
"""Before each try: what a stopped job still writes comes within moments."""
_ERRORS = (PySparkException, grpc.RpcError)
_COMMANDS = {"gs": "gcloud storage rm --recursive", "s3a": "hadoop fs -rm -r", "file": "rm -r"}


class WorkFolder:
    """A folder of a new name in the one that the user named; nothing else is ever removed."""

    def __init__(self, parent: str) -> None:
        self._name = f"{_PREFIX}{uuid4().hex}"
        self.path = posixpath.join(parent, self._name)
        self._was_here = False
        self._has_database = False

    def remove(self, session: SparkSession, *, is_settled: bool) -> str | None:
        """Remove the folder; return what to tell the user if it may still be there.

        Args:
            session: A session of the server, which may have gone.
            is_settled: Whether everything that wrote there has ended.
        """
        was_gone = False
        for pause in _PAUSES_S:
            time.sleep(pause)
            is_gone = self._is_removed(session)
            if is_gone is None:
                break
            if is_gone and (is_settled or was_gone):
                return None
            was_gone = is_gone
        if was_gone:
            return None
        place = self.path.partition(":")[0]
        shown = unquote(self.path.removeprefix(_HERE)) if place == "file" else self.path
        return (
            f"work files may be left in {self.path}: remove them where the server sees them"
            f" ({_COMMANDS[place]} {shlex.quote(shown)})"
        )

    def _is_removed(self, session: SparkSession) -> bool | None:
        """Remove the folder once; return whether it is gone, None if the server does not say."""
        if self._is_removed_here():
            return True
        name = f"spark_catalog.`{self._name.replace('-', '_')}`"
        location = self.path.replace("\\", "\\\\").replace("'", "\\'")
        with suppress(*_ERRORS):
            # None is dropped but one that was made here, be it by a try before.
            if not self._has_database:
                session.sql(f"CREATE DATABASE {name} LOCATION '{location}'").collect()
            self._has_database = True
            session.sql(f"DROP DATABASE IF EXISTS {name} CASCADE").collect()
            self._has_database = False
        try:
            return not session.read.format("binaryFile").load(self.path).inputFiles()
        except PySparkException as exc:
            if is_missing_path(exc):
                return True
            return None
        except grpc.RpcError:
            return None

    def _is_removed_here(self) -> bool:
        """Remove the folder where it is on this machine; return whether it was, and is gone."""
        if not self.path.startswith(_HERE):
            return False
        # Not taken apart as a URL: what follows # or ? there is no part of the path, and the rest
        # would be a folder of the user's.
        here = Path(unquote(self.path.removeprefix(_HERE)))
        if here.is_dir():
            self._was_here = True
            shutil.rmtree(here, ignore_errors=True)
        return self._was_here and not here.exists()


def is_missing_path(error: PySparkException) -> bool:
    """Return whether a server says that a path is not there."""
    return error.getCondition() == "PATH_NOT_FOUND" or "PATH_NOT_FOUND" in str(error)
