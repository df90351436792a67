"""What runs on the workers: the program, fed with the rows of a task."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import IO, Any
from zipimport import zipimporter

import pyarrow as pa
from pyspark import SparkFiles, TaskContext

from .._errors import DiglotError, error_of
from .._program import program, tied
from .._tables import Tail
from ._fetch import fetched
from ._rows import REPORT, SCHEMA

# What stands before a failure in the text of an exception that has come through Spark.
MARK = "diglot-task "


class TaskError(Exception):
    """A failure in a task, told on one line, since Spark passes on nothing but text."""

    def __init__(self, step: str, place: str, error: DiglotError) -> None:
        about = {"step": step, "place": place, "error": str(error), "exit": error.exit_code, "stderr": error.stderr[-4000:]}
        super().__init__(MARK + json.dumps({**about, "command": error.command}))


@dataclass(frozen=True)
class Task:
    """A step of the program, as a function for `mapInArrow`: rows in, rows out, and behind them the rows of its report.

    Without rows, nothing is run.
    """

    step: str
    #: Options of the step.
    arguments: tuple[str, ...]
    #: Threads of the program.
    threads: int
    #: Files that were sent to every worker, by name: side inputs, and those of settings by their options.
    side: tuple[str, ...] = ()
    sent: tuple[tuple[str, tuple[str, ...]], ...] = ()
    #: The program that `$DIGLOT` names where the run was begun, and the version that every worker must have.
    named: str | None = None
    version: str = ""
    #: Parts below this number have these threads.
    wide: int = 0
    wide_threads: int = 1
    #: From this attempt on, what cannot be read is left out: it may be read elsewhere. `None`: it never is.
    patience: int | None = None
    #: Settings of Hadoop, as XML, where rows name what only Java can read.
    hadoop: str | None = field(default=None, repr=False)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        batches = iter(batches)
        first = next((batch for batch in batches if batch.num_rows > 0), None)
        if first is None:
            return
        _lighten()
        try:
            yield from self._ran(chain([first], batches), first["part"][0].as_py())
        except DiglotError as error:
            raise TaskError(self.step, _place(first), error) from None

    def _ran(self, batches: Iterator[pa.RecordBatch], part: int) -> Iterator[pa.RecordBatch]:
        began = time.monotonic()
        found = _program(self.named)
        if _version(found) != self.version:
            raise DiglotError(f"{found} is {_version(found)}, and the run was begun with {self.version}; install one version")
        scratch = tempfile.mkdtemp(prefix="diglot-", dir=_scratch_folder())
        try:
            if self.hadoop is not None:
                batches = fetched(batches, scratch, self.hadoop, self._goes_on())
            child = _Child([found, "exec", self.step, *self._options(part, scratch)], batches)
            rows_out = 0
            for batch in child.batches():
                rows_out += batch.num_rows
                yield batch
            said = child.report(rows_out)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        yield _report(part, said, time.monotonic() - began)

    def _options(self, part: int, scratch: str) -> list[str]:
        threads = self.wide_threads if 0 <= part < self.wide else self.threads
        files = [f"--with={SparkFiles.get(name)}" for name in self.side]
        settings = [f"{option}={SparkFiles.get(name)}" for option, names in self.sent for name in names]
        goes_on = ["--keep-going"] if self._goes_on() else []
        return [*self.arguments, *goes_on, f"--threads={threads}", f"--scratch={scratch}", *settings, *files]

    def _goes_on(self) -> bool:
        context = TaskContext.get()
        return self.patience is not None and context is not None and context.attemptNumber() >= self.patience


class _Child:
    """The program, while it reads rows and writes others."""

    def __init__(self, command: list[str], batches: Iterator[pa.RecordBatch]) -> None:
        self._command = command
        self._stderr = tempfile.TemporaryFile()
        # Where Spark kills a task, its program goes too.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, **tied()
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._output = self._process.stdout
        self._feeder = _Feeder(batches, self._process.stdin)
        self._feeder.start()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """What it writes, to its end; whoever stops before has ended it."""
        tail = Tail(self._output)
        try:
            reader: Any = None
            try:
                reader = pa.ipc.open_stream(tail)
                while True:
                    yield reader.read_next_batch()
            except StopIteration:
                pass
            except (pa.ArrowException, OSError) as error:
                self._finish()
                raise self._broken(str(error)) from error
            self._finish()
            if not tail.is_whole():
                raise self._broken("it has no end")
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()

    def report(self, rows: int) -> dict[str, Any]:
        """What it says at its end, which must agree with what was fed and read."""
        lines = self._said().rstrip().rsplit("\n", 1)
        try:
            said: dict[str, Any] = json.loads(lines[-1])
            fed, written = said["rows_in"], sum(said["rows_out"].values())
        except (ValueError, KeyError, TypeError, AttributeError):
            raise self._broken("it has no report") from None
        if (fed, written) != (self._feeder.rows, rows):
            what = f"it read {fed} of {self._feeder.rows} rows, and {rows} rows came of the {written} that it wrote"
            raise self._broken(what)
        return said

    def _finish(self) -> None:
        while self._output.read(1 << 20):
            pass
        exit_code = self._process.wait()
        self._feeder.join()
        # Rows that Spark could not bring are no fault of the program.
        if self._feeder.error is not None:
            raise self._feeder.error
        if exit_code != 0:
            raise failure(self._command, exit_code, self._said())

    def _broken(self, why: str) -> DiglotError:
        return DiglotError(f"the answer of the program is not whole: {why}", 0, self._said(), self._command)

    def _said(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace")


class _Feeder(threading.Thread):
    """Passes rows to the program while others are read from it."""

    def __init__(self, batches: Iterator[pa.RecordBatch], sink: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._batches, self._sink = batches, sink
        self.rows = 0
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            writer = pa.ipc.new_stream(self._sink, SCHEMA)
            for batch in self._batches:
                writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=SCHEMA))
                self.rows += batch.num_rows
            # Not where the rows broke off: the program must not take them for whole.
            writer.close()
        except BrokenPipeError:
            # It has ended, and its exit code says why.
            pass
        except BaseException as error:
            self.error = error
        finally:
            try:
                self._sink.close()
            except BrokenPipeError:
                pass


def failure(command: list[str], exit_code: int, stderr: str) -> DiglotError:
    try:
        message = json.loads(stderr.rstrip().rsplit("\n", 1)[-1])["error"]
    except (ValueError, KeyError, TypeError):
        return error_of(command, exit_code, stderr)
    return DiglotError(str(message), exit_code, stderr, command)


def _report(part: int, said: dict[str, Any], seconds: float) -> pa.RecordBatch:
    """Rows whose sums are the report of a step: rows read, rows written by kind, and what was left out by reason."""
    counts = {"in": said["rows_in"]}
    counts.update({f"out {kind}": rows for kind, rows in said["rows_out"].items()})
    counts.update({f"left {reason}": rows for reason, rows in said.get("left_out", {}).items()})
    size = len(counts)
    times = [round(seconds * 1000)] + [0] * (size - 1)
    columns = [[part] * size, [REPORT] * size, list(counts), list(counts.values()), times, [None] * size, [None] * size]
    return pa.RecordBatch.from_arrays([pa.array(c, f.type) for c, f in zip(columns, SCHEMA)], schema=SCHEMA)


def _place(batch: pa.RecordBatch) -> str:
    part, name = batch["part"][0].as_py(), batch["name"][0].as_py()
    return f"part {part}" if part >= 0 else name


def _program(named: str | None) -> str:
    """The program on this machine: that of the run, where it is here too, one that was sent, or the installed one."""
    if named is not None and os.access(named, os.X_OK):
        return named
    sent = SparkFiles.get("diglot")
    return sent if os.access(sent, os.X_OK) and os.path.isfile(sent) else program()


@lru_cache
def _version(path: str) -> str:
    return version(path)


def version(path: str) -> str:
    """What a program says it is."""
    try:
        return subprocess.run([path, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise DiglotError(f"{path} does not run: {error}", 127) from error


def _lighten() -> None:
    """Saves a tenth of a second of each task that a worker is used for again.

    Before it, Spark has all objects looked through for garbage, and Python reads the lists of the zip files that it has imported from.
    """
    gc.freeze()
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter):
            del sys.path_importer_cache[path]


def _scratch_folder() -> str | None:
    """A disk of this worker that Spark was told to use."""
    folders = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    return next((folder for folder in folders if os.path.isdir(folder)), None)
