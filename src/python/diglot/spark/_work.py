"""The folder of a run: what each step has written, and what it was made of."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from .._errors import DiglotError
from .._program import StrPath
from ._session import words_of

#: The file of what was kept of a step.
RECORD = "_diglot.json"
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")


def is_uri(path: str) -> bool:
    """True for what the engine reads, such as `s3a://…` and `hdfs://…`."""
    return _SCHEME.match(path) is not None and not path.startswith("file:")


def path_of(text: str) -> str:
    """A path that is given as such, or as a URI of this machine: `file:/…`, `file:///…`."""
    return text.removeprefix("file://").removeprefix("file:")


def uri_of(path: StrPath) -> str:
    """A path as Spark takes it; one without a scheme is a path of this machine, and of all others if there are any."""
    text = os.fspath(path)
    return text.rstrip("/") if is_uri(text) else "file://" + os.path.abspath(path_of(text))


# Spark takes paths for patterns.
SENSELESS = re.compile(r"[*?\[\]{}\\]")


class Folder:
    """A folder on any file system that Spark knows."""

    def __init__(self, spark: SparkSession, path: StrPath) -> None:
        self.uri = uri_of(path)
        inside = self.uri.split("://", 1)[-1]
        if SENSELESS.search(inside) or (self.uri.startswith("file:") and ":" in inside):
            raise DiglotError(f"{os.fspath(path)}: Spark cannot have a folder with * ? [ ] {{ }} \\ or : in its name; give another", 2)
        context: Any = spark.sparkContext
        self._hadoop = context._jvm.org.apache.hadoop
        self._io = context._jvm.org.apache.commons.io.IOUtils
        try:
            self._files = self._hadoop.fs.Path(self.uri).getFileSystem(context._jsc.hadoopConfiguration())
        except Py4JJavaError as error:
            raise DiglotError(f"{self.uri}: Spark cannot reach it: {words_of(error)}") from error

    def path(self, name: str) -> str:
        """A file or folder in it."""
        return f"{self.uri}/{name}"

    def on_disk(self, name: str) -> str | None:
        """A file or folder in it as this machine names it, and all others, if it is on a disk."""
        path = self.path(name)
        return path.removeprefix("file://") if path.startswith("file:///") else None

    def mark(self, name: str) -> None:
        """Says that a folder in it is whole, as Spark does."""
        with self._told():
            self._files.create(self._hadoop.fs.Path(self.path(f"{name}/_SUCCESS")), True).close()

    def has(self, name: str) -> bool:
        """True when there is one of that name."""
        with self._told():
            return bool(self._files.exists(self._hadoop.fs.Path(self.path(name))))

    def is_ours(self, name: str) -> bool:
        """True for a folder that a run has begun to write."""
        return self.has(f"{name}/{RECORD}")

    def listed(self, pattern: str) -> list[str]:
        """The files of a pattern, in order."""
        with self._told():
            found = self._files.globStatus(self._hadoop.fs.Path(self.path(pattern)))
        return sorted(str(status.getPath().toUri().toString()) for status in found or [])

    def record(self, name: str) -> dict[str, Any] | None:
        """What was kept of a step that was written to its end; of the folder itself, where the name is empty."""
        path = self._hadoop.fs.Path(self.path(f"{name}/{RECORD}"))
        with self._told():
            if not self._files.exists(path):
                return None
            stream = self._files.open(path)
        try:
            kept: dict[str, Any] = json.loads(str(self._io.toString(stream, "UTF-8")))
        except (ValueError, Py4JJavaError):
            # Cut by a crash, or not what it was when it was written.
            return None
        finally:
            stream.close()
        return kept

    def keep(self, name: str, record: dict[str, Any]) -> None:
        """Says that a step was written to its end."""
        with self._told():
            stream = self._files.create(self._hadoop.fs.Path(self.path(f"{name}/{RECORD}")), True)
            try:
                stream.write(bytearray(json.dumps(record, indent=1).encode()))
            finally:
                stream.close()

    def drop(self, name: str) -> None:
        """Takes away a file or a folder, if it is there."""
        with self._told():
            self._files.delete(self._hadoop.fs.Path(self.path(name)), True)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Has a file system that fails be told in one line."""
        try:
            yield
        except Py4JJavaError as error:
            raise DiglotError(f"{self.uri}: {words_of(error)}") from error
