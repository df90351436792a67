"""Archives that Spark alone can reach, brought as streams to the disk of the task that reads them.

A Python worker has no file systems of Hadoop, so another process of Java has: `FsShell -cat`, with the classes of the worker and the settings of
the driver. It holds a buffer in memory, however large an archive is.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from pyspark import SparkFiles

from .._errors import DiglotError
from ._rows import SCHEMA

# What Java takes, beside its classes: some 100 MB in all.
_JAVA = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
# Nothing but the bytes of archives comes to stdout.
_LOGGING = """status = off
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %m%n
"""
_CHUNK = 1 << 20


def fetched(batches: Iterable[pa.RecordBatch], folder: str, settings: str, goes_on: bool) -> Iterator[pa.RecordBatch]:
    """Rows of archives; `data` of those that say there how Java is started becomes the path of a copy in the folder.

    `settings` are those of Hadoop, as XML. What cannot be read fails the task, or, where it `goes_on`, becomes a row of kind `refused`.
    """
    _write(folder, "core-site.xml", settings)
    _write(folder, "log4j2.properties", _LOGGING)
    for batch in batches:
        rows = batch.to_pylist()
        far = [row for row in rows if row["data"] is not None]
        try:
            _fetch(far, folder)
        except DiglotError:
            # Which it is, is seen when each is read by itself.
            for row in far:
                try:
                    _fetch([row], folder)
                except DiglotError as error:
                    if not goes_on:
                        raise
                    row.update(kind="refused", data=str(error).removeprefix(f"{row['name']}: ").encode())
        yield pa.RecordBatch.from_pylist(rows, schema=SCHEMA)


def _write(folder: str, name: str, text: str) -> None:
    # There may be keys of a store among the settings.
    with open(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def _fetch(rows: list[dict[str, Any]], folder: str) -> None:
    """Copies archives one after the other, which takes one start of Java."""
    if not rows:
        return
    home, classes = rows[0]["data"].decode().split("\n")
    names = [str(row["name"]) for row in rows]
    command = [os.path.join(home, "bin", "java"), *_JAVA, f"-Dlog4j2.configurationFile={folder}/log4j2.properties"]
    command += ["org.apache.hadoop.fs.FsShell", "-conf", f"{folder}/core-site.xml", "-cat", *names]
    environment = {**os.environ, "CLASSPATH": _classes(folder, classes)}
    with tempfile.TemporaryFile() as stderr:
        java = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=environment)
        assert java.stdout is not None
        try:
            paths = [_copy(java.stdout, folder, row) for row in rows]
            has_more = bool(java.stdout.read(1))
        finally:
            java.stdout.close()
            code = java.wait()
        stderr.seek(0)
        said = stderr.read().decode(errors="replace")
    whole = all(path.stat().st_size == row["count"] for path, row in zip(paths, rows))
    if code != 0 or has_more or not whole:
        why = "it was changed while it was read" if code == 0 else _why(said) or f"Java ended with exit code {code}"
        raise DiglotError(f"{', '.join(names)}: {why}", 4, said, command)
    for row, path in zip(rows, paths):
        row["data"] = os.fsencode(path)


def _copy(stream: IO[bytes], folder: str, row: dict[str, Any]) -> Path:
    """The next bytes of a stream, as many as an archive has, in a file of its name."""
    below = Path(folder, f"input-{row['number']}")
    below.mkdir(exist_ok=True)
    path = below / (str(row["name"]).rstrip("/").rsplit("/", 1)[-1] or "archive")
    left = int(row["count"])
    with path.open("wb") as file:
        while left and (chunk := stream.read(min(_CHUNK, left))):
            file.write(chunk)
            left -= len(chunk)
    return path


def _classes(folder: str, classes: str) -> str:
    """Where Java finds its classes: settings, those of the worker, and those that were sent to it. Archives of a folder are named by it, which is shorter."""
    listed = [os.path.join(os.path.dirname(path), "*") if path.endswith(".jar") else path for path in classes.split(os.pathsep)]
    return os.pathsep.join(dict.fromkeys([folder, *listed, os.path.join(SparkFiles.getRootDirectory(), "*")]))


def _why(said: str) -> str:
    """The first line of what Java says that tells something."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith(("\tat ", "-cat: Fatal"))]
    return lines[0].removeprefix("cat: ") if lines else ""
