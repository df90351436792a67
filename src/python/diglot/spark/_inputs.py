"""What a run reads: archives that the program finds, and those that only Spark can read."""

from __future__ import annotations

import glob
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from .._errors import DiglotError
from .._program import StrPath, program, tied
from .._tables import Tail
from ._session import FEW_TASKS, set_to, words_of
from ._task import failure
from ._work import SENSELESS, is_uri, path_of

# A comment of a list begins a line, or stands behind a space.
_COMMENT = re.compile(r"(^|\s)#.*")
# What a command line has room for.
_COMMAND_CHARACTERS = 100_000
# Tasks that list files: one for each would take longer to begin than to end.
_LISTING_TASKS = "64"
# Inputs that an error names.
_NAMED = 3


@dataclass(frozen=True)
class Archive:
    """An archive, with its number."""

    number: int
    name: str
    size: int
    #: When it was changed, or the files of a mirror were, as far as the file system tells.
    changed: object
    #: True when Spark reads it.
    is_remote: bool = False


@dataclass(frozen=True)
class Inputs:
    """The archives of a run, in order, and the inputs that are not archives."""

    archives: tuple[Archive, ...]
    #: What cannot be read, and why.
    refused: tuple[str, ...]
    #: What lies in folders and is no archive.
    passed: tuple[str, ...]
    #: Hashes of settings, by the first steps that depend on them.
    settings: dict[str, int]


def find(
    spark: SparkSession, inputs: StrPath | Iterable[StrPath], settings: Sequence[str], keep_going: bool
) -> Inputs:
    """Finds the archives.

    Raises `DiglotError` where something is no archive or a setting is wrong; with `keep_going`, not for the former.
    """
    given = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    named = [name for path in given for name in _of_list(os.fspath(path))]
    local = [path_of(name) for name in named if not is_uri(name)]
    archives, refused, passed, hashes = _local(local, settings, keep_going)
    remote = [name for name in named if is_uri(name)]
    if remote:
        found, missing = _remote(spark, remote, len(archives), keep_going)
        archives += found
        refused += missing
    if not archives and (refused or passed):
        left_out = [*refused, *passed]
        raise DiglotError(f"no archives: {'; '.join(left_out[:_NAMED])}{'; …' if len(left_out) > _NAMED else ''}", 3)
    if not archives:
        raise DiglotError("no archives: nothing was given to read", 2)
    return Inputs(tuple(archives), tuple(refused), tuple(passed), hashes)


def _of_list(name: str, met: tuple[str, ...] = ()) -> list[str]:
    """The lines of a list that has URIs, which the program does not know; any other list is left to it."""
    if not name.startswith("@") or is_uri(name[1:]):
        return [name]
    try:
        lines = [_COMMENT.sub("", line).strip() for line in Path(name[1:]).read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        return [name]
    if not any(is_uri(line) for line in lines):
        return [name]
    path = os.path.realpath(name[1:])
    if path in met:
        raise DiglotError(f"{name[1:]}: the list names itself", 2)
    found: list[str] = []
    for line in filter(None, lines):
        beside = _beside(os.path.dirname(os.path.abspath(name[1:])), line)
        found += _of_list(beside, (*met, path)) if line.startswith("@") else [beside]
    return found


def _beside(folder: str, line: str) -> str:
    """What a line of a list names: beside the list, where it is there, else as it is."""
    if is_uri(line):
        return line
    mark = "@" if line.startswith("@") else ""
    path = path_of(line.removeprefix(mark))
    beside = os.path.join(folder, path)
    return mark + (beside if os.path.exists(beside) or glob.has_magic(path) else path)


def _local(
    names: list[str], settings: Sequence[str], keep_going: bool
) -> tuple[list[Archive], list[str], list[str], dict[str, int]]:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="surrogateescape", suffix=".txt") as listing:
        if sum(map(len, names)) > _COMMAND_CHARACTERS:
            listing.write("".join(f"{name}\n" for name in names))
            listing.flush()
            names = [f"@{listing.name}"]
        command = [program(), "exec", "inputs", *settings, *(["--keep-going"] if keep_going else []), "--", *names]
        # Also without any, since the program refuses wrong settings here.
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, **tied())
    stderr = ended.stderr.decode(errors="replace")
    if ended.returncode != 0:
        raise failure(command, ended.returncode, stderr)
    tail = Tail(pa.BufferReader(ended.stdout))
    try:
        found = pa.ipc.open_stream(tail).read_all().to_pylist()
    except pa.ArrowException as error:
        raise DiglotError(f"the answer of the program is not whole: {error}", 0, stderr, command) from error
    if not tail.is_whole():
        raise DiglotError("the answer of the program is not whole: it has no end", 0, stderr, command)
    archives = [Archive(r["number"], r["name"], r["count"], _changed(r["name"])) for r in found if r["kind"] == "input"]
    refused = [r for r in found if r["kind"] == "refused"]
    reasons = [f"{r['name']}: {(r['data'] or b'').decode(errors='replace')}" for r in refused]
    hashes = {r["name"]: r["number"] for r in found if r["kind"] == "settings"}
    # What lies in a folder and is no archive is nobody's mistake.
    faults = [why for r, why in zip(refused, reasons) if r["count"]]
    return archives, faults, [why for r, why in zip(refused, reasons) if not r["count"]], hashes


def _changed(path: str) -> object:
    """Lengths and times of a file, or of all files of a mirror."""
    def stamp(path: str) -> list[int]:
        try:
            found = os.stat(path)
        except OSError:
            return []
        return [found.st_size, found.st_mtime_ns, found.st_ctime_ns]

    below = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    return [stamp(path), *([file, stamp(file)] for file in below)]


def _remote(spark: SparkSession, names: list[str], number: int, keep_going: bool) -> tuple[list[Archive], list[str]]:
    with set_to(spark, {**FEW_TASKS, "spark.sql.sources.parallelPartitionDiscovery.parallelism": _LISTING_TASKS}):
        listed, refused = _listed(spark, names)
    # By their names they are read, and names are taken for patterns.
    senseless = sorted(path for path, *_ in listed if SENSELESS.search(path))
    refused += [f"{path}: Spark cannot read a file with * ? [ ] {{ }} or \\ in its name; rename it" for path in senseless]
    if refused and not keep_going:
        raise DiglotError("; ".join(refused), 3)
    found = enumerate(sorted(file for file in listed if not SENSELESS.search(file[0])))
    return [Archive(number + at, path, length, int(changed * 1000), True) for at, (path, length, changed) in found], refused


def _listed(spark: SparkSession, names: list[str]) -> tuple[set[tuple[str, int, float]], list[str]]:
    """The files of URIs: path, length, time of change; and those URIs that cannot be read, which are found by halving."""
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    try:
        found = files.load(names).select("path", "length", F.col("modificationTime").cast("double"))
        return set(map(tuple, found.collect())), []
    except (Py4JError, PySparkException) as error:
        if len(names) == 1:
            return set(), [f"{names[0]}: Spark cannot read it: {words_of(error)}"]
    middle = len(names) // 2
    (left, of_left), (right, of_right) = _listed(spark, names[:middle]), _listed(spark, names[middle:])
    return left | right, of_left + of_right
