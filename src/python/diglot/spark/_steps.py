"""The steps: which rows each is given, how these are dealt out, and which steps need not be done again."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .._errors import DiglotError
from ._rows import COLUMNS, REPORT, deal, numbers, slots
from ._session import FEW_TASKS, ONE_FILE_A_TASK, set_to, words_of
from ._task import MARK, Task
from ._work import RECORD, Folder

# More parts than this, and what all of them propose is chosen from in two rounds.
_ONE_ROUND = 64
# Tasks for each core, at most, where every language pair could be one.
_TASKS_A_CORE = 4
# What helps where rows are missing, or are too many.
_ANEW = "no other run may work in this folder; where files of it were lost, delete the folders of the steps that wrote them, or all of it"
# Kinds of which each name is counted. There are few of them.
_NAMED = ("lesson", "text", "skipped", REPORT)
# Kinds of rows that are sent to all workers, as files. No step writes two of them: Spark gives the files of one task one name.
_SENT = {"archive", "chosen", "divided", "known", "language", "learnt", "model", "pattern"}


# The version of the plan, and of rows, that this package knows.
PLAN_VERSION = 7


class Deal(Enum):
    """What a task is given."""

    #: A file, as a step with one part in each task has written it.
    FILE = "file"
    #: The rows of one part, or of one bucket.
    PART = "part"
    #: The rows of one language pair, or of several.
    NAME = "name"
    #: All rows.
    ALL = "all"


@dataclass(frozen=True)
class Plan:
    """A step at its place in the work, as the program plans it. Rows are named by the step that has written them, and their kind."""

    name: str
    #: What the program calls it; nothing, where Spark does it by itself.
    step: str | None
    reads: tuple[tuple[str, str], ...]
    deal: Deal
    #: Rows that are sent to all workers.
    side: tuple[tuple[str, str], ...]
    #: Rows without which the step has nothing to do.
    needs: tuple[tuple[str, str], ...]
    #: When it is taken, if it is not always: `divided`, `explore`.
    only: str | None

    @property
    def is_of_part(self) -> bool:
        """True when each task has a part of the sites."""
        return any(kind == "store" for _, kind in self.reads)


def plan_of(program: str) -> dict[str, Plan]:
    """The order of the work, by the names of the steps."""

    def rows(listed: list[list[str]]) -> tuple[tuple[str, str], ...]:
        return tuple((name, kind) for name, kind in listed)

    command = [program, "exec", "--plan"]
    try:
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        if told["diglot.exec"] != PLAN_VERSION:
            raise DiglotError(f"{program} is of another version than this package: install the two together", 127)
        plans = [
            Plan(of["name"], of["step"], rows(of["reads"]), Deal(of["deal"]), rows(of["with"]), rows(of["needs"]), of["only"])
            for of in told["plan"]
        ]
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError, TypeError) as error:
        said = (getattr(error, "stderr", None) or "").strip().splitlines()
        raise DiglotError(f"{program} does not say its plan: {said[-1] if said else error}", 127) from error
    return {plan.name: plan for plan in plans}


@dataclass(frozen=True)
class Step:
    """What became of a step."""

    name: str
    #: Seconds that it took, when it was done.
    seconds: float
    #: Tasks that had rows.
    tasks: int
    rows_in: int
    #: Rows written, by kind.
    rows_out: dict[str, int]
    #: What was left out, by reason.
    left_out: dict[str, int]
    #: The longest task, in seconds.
    longest: float
    #: True when it had been done before.
    was_done: bool


@dataclass
class Steps:
    """Does steps, unless they were done with the same program, settings and inputs."""

    spark: SparkSession
    work: Folder
    #: The order of the work.
    plan: dict[str, Plan]
    #: A hash of everything that the results depend on so far.
    key: str
    #: A task of the program, without what differs between steps.
    task: Callable[[str, tuple[str, ...], tuple[str, ...], int], Task]
    hear: Callable[[str], object]
    cores: int
    #: The settings that a step depends on, beside those that earlier steps depend on.
    settings: Callable[[str], object] = lambda name: None
    #: A name of this run that no other has.
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    done: list[Step] = field(default_factory=list)
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    _sent: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def begin(
        self, name: str, *depends: object, is_good: Callable[[dict[str, Any]], bool] = lambda _: True, keeps: bool = False
    ) -> dict[str, Any] | None:
        """What is kept of a step that need not be done again; else, the step begins with an empty folder, unless it `keeps` what is there.

        A step that is done again has all later ones done again, since the key of a step depends on which time the ones before it were done.

        Raises `DiglotError` when another run has begun in the folder.
        """
        self.see_that_it_is_ours()
        self.key = hash_of([self.key, name, self.settings(name), *depends])
        record = self.work.record(name)
        if record is not None and record["key"] == self.key and is_good(record):
            self._tell(name, record, True)
            return record
        self.work.drop(f"{name}/{RECORD}" if keeps else name)
        return None

    def end(self, name: str, record: dict[str, Any] | None, **more: object) -> dict[str, Any]:
        """Keeps what a step has done: nothing, where there is no record."""
        self.see_that_it_is_ours()
        record = {"key": self.key, "id": uuid.uuid4().hex, **(record or _nothing()), **more}
        self.work.keep(name, record)
        self._tell(name, record, False)
        return record

    def take(self) -> None:
        """Makes the folder that of this run."""
        self.work.keep("", {"run": self.run_id})

    def see_that_it_is_ours(self) -> None:
        found = self.work.record("")
        if found is not None and found.get("run") != self.run_id:
            raise DiglotError(f"another run has begun in {self.work.uri}: let one of them end, or give each a folder of its own")

    def run(self, plan: Plan, *arguments: str, parts: int = 0) -> None:
        """Does a step of the program. `parts` is the number of parts, or of buckets, that rows are dealt to."""
        assert plan.step is not None, plan.name
        if self.begin(plan.name, arguments, parts) is not None:
            return
        fed = [(name, kind) for name, kind in plan.reads if self.rows(name, kind)]
        if not fed or not all(self.rows(name, kind) for name, kind in plan.needs):
            self.end(plan.name, None)
            return
        rows = [self.read(name, kind) for name, kind in fed]
        stores = sum(self.records[name]["tasks"] for name, kind in fed if kind == "store")
        dealt, tasks = self._dealt(plan, rows[0] if len(rows) == 1 else rows[0].unionAll(rows[1]), stores, parts)
        how = ONE_FILE_A_TASK if plan.deal is Deal.FILE else FEW_TASKS
        had: int | None = sum(self.rows(name, kind) for name, kind in fed)
        if self._is_sampled_twice(plan):
            # What the first round says of itself is not kept.
            with told(plan.name):
                found = sum(frame.count() for frame in rows)
            if found != had:
                raise DiglotError(f"step {plan.name}: {found} rows are there of {had}; {_ANEW}")
            had = None
        self.do(plan.name, plan.step, dealt, how, tasks, had, arguments, self.sent(plan.side), stores)

    def do(
        self,
        name: str,
        step: str,
        rows: DataFrame,
        how: dict[str, str],
        tasks: int,
        rows_in: int | None,
        arguments: tuple[str, ...] = (),
        side: tuple[str, ...] = (),
        stores: int = 0,
        **more: object,
    ) -> dict[str, Any]:
        """Has the program read rows, and writes, counts and keeps what comes. Of so many `stores`, as many must come, if any."""
        began = time.monotonic()
        record = self.made(name, rows.mapInArrow(self.task(step, arguments, side, tasks), COLUMNS), how, rows_in)
        if stores and record["rows_out"].get("store", 0) and record["tasks"] != stores:
            raise DiglotError(f"step {name}: {record['tasks']} parts came of {stores}")
        return self.end(name, record, seconds=round(time.monotonic() - began, 3), **more)

    def made(self, name: str, rows: DataFrame, how: dict[str, str], rows_in: int | None, portion: str = "") -> dict[str, Any]:
        """Writes and counts what tasks make of rows, of a whole step or of a portion of it."""
        self._write(name, rows, how, portion)
        record = self._counted(name, portion)
        _check(name, record, rows_in)
        return record

    def make(self, name: str, rows: DataFrame | None, **more: object) -> None:
        """Writes, counts and keeps rows that Spark makes alone, if there are any."""
        began = time.monotonic()
        if rows is None:
            self.end(name, None, **more)
            return
        self._write(name, rows, FEW_TASKS)
        self.end(name, self._counted(name), seconds=round(time.monotonic() - began, 3), **more)

    def side(self, name: str) -> tuple[str, ...]:
        """Sends the rows that all tasks of a step are given; gives the names of their files."""
        return self.sent(self.plan[name].side)

    def rows(self, name: str, kind: str) -> int:
        """How many rows of a kind a step has written; none, where there was no such step."""
        record = self.records.get(name)
        return 0 if record is None else int(record["rows_out"].get(kind, 0))

    @property
    def parts(self) -> int:
        """How many parts have pages."""
        return sum(int(self.records[name]["tasks"]) for name in ("03-keys", "04-join") if name in self.records)

    def read(self, name: str, kind: str) -> DataFrame:
        """Rows that a step has written."""
        portions = self.records.get(name, {}).get("portions", {"": [kind]})
        paths = [self.work.path(f"{name}{portion}/of={kind}") for portion, kinds in portions.items() if kind in kinds]
        try:
            return self.spark.read.schema(COLUMNS).parquet(*paths)
        except AnalysisException as error:
            raise DiglotError(f"step {name}: its rows of kind {kind} are missing; {_ANEW}") from error

    def _write(self, name: str, rows: DataFrame, how: dict[str, str], portion: str = "") -> None:
        """Writes the rows of a step: those of each task and kind as a file."""
        writer = rows.withColumn("of", F.col("kind")).write.mode("overwrite").partitionBy("of")
        writer = writer.option("compression", "none").option("parquet.enable.dictionary", "false")
        # The file system has checksums of its own.
        writer = writer.option("parquet.page.write-checksum.enabled", "false").option("parquet.block.size", 32 << 20)
        with self._watched(name), set_to(self.spark, how):
            self._label(name)
            writer.parquet(self.work.path(name + portion))

    @contextmanager
    def _watched(self, name: str) -> Iterator[None]:
        """Has failures be told in the words of the program, and first of all that another run has taken the folder away."""
        try:
            with told(name):
                yield
        except DiglotError:
            self.see_that_it_is_ours()
            raise

    def _counted(self, name: str, portion: str = "") -> dict[str, Any]:
        """Counts what was written, and adds up what tasks report of themselves."""
        schema = "name string, number bigint, count bigint, of string"
        rows = self.spark.read.schema(schema).parquet(self.work.path(name + portion))
        named_of = F.when(F.col("of").isin(*_NAMED), F.col("name"))
        number = F.sum(F.when(F.col("of") == REPORT, F.col("number")))
        counts = rows.groupBy("of", named_of).agg(F.count("*"), number, F.sum("count"), F.max("count"))
        with self._watched(name), set_to(self.spark, FEW_TASKS):
            self._label(name)
            found = counts.collect()
        record = _nothing()
        record["files"] = {kind: len(self.work.listed(f"{name}{portion}/of={kind}/*.parquet")) for kind in {row[0] for row in found} & _SENT}
        for kind, named, count, sum_number, sum_count, max_count in found:
            if kind == REPORT:
                _add_report(record, named, count, sum_number, max_count)
                continue
            record["rows_out"][kind] = record["rows_out"].get(kind, 0) + count
            record["counts"][kind] = record["counts"].get(kind, 0) + sum_count
            if named is not None:
                record["names"].setdefault(kind, {})[named] = sum_count if kind == "skipped" else count
        return record

    def sent(self, side: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """Sends rows to all workers, as files; gives the names of these."""
        return tuple(file for of in side for file in self._files_of(of))

    def _files_of(self, of: tuple[str, str]) -> tuple[str, ...]:
        if of not in self._sent:
            name, kind = of
            files = self.work.listed(f"{name}/of={kind}/*.parquet") if self.rows(name, kind) else []
            if len(files) != int(self.records.get(name, {}).get("files", {}).get(kind, 0)):
                raise DiglotError(f"step {name}: files of its rows of kind {kind} are missing, or too many; {_ANEW}")
            with told(name):
                for file in files:
                    self.spark.sparkContext.addFile(file)
            self._sent[of] = tuple(file.rsplit("/", 1)[1] for file in files)
        return self._sent[of]

    def _dealt(self, plan: Plan, rows: DataFrame, stores: int, parts: int) -> tuple[DataFrame, int]:
        """Rows such that each task has what the plan says, and how many tasks there are."""
        if plan.deal is Deal.PART:
            return deal(rows, parts), parts
        if plan.deal is Deal.FILE:
            return rows, stores
        if plan.deal is Deal.ALL:
            if self._is_sampled_twice(plan):
                assert plan.step is not None, plan.name
                rows = rows.mapInArrow(self.task(plan.step, ("--partial",), (), _ONE_ROUND), COLUMNS)
                rows = rows.where(F.col("kind") != REPORT)
            return rows.repartition(1), 1
        counts = self.records[plan.reads[0][0]]["names"][plan.reads[0][1]]
        names = sorted(counts, key=lambda name: (-counts[name], name))
        tasks = min(len(names), _TASKS_A_CORE * self.cores)
        of_tasks = slots(tasks)
        places = [of_tasks[at % tasks] for at in range(len(names))]
        at = F.call_function("array_position", F.array(*map(F.lit, names)), F.col("name")) - 1
        return rows.repartition(tasks, numbers(places)[at]), tasks

    def _is_sampled_twice(self, plan: Plan) -> bool:
        return plan.step == "sample" and self.parts > _ONE_ROUND

    def _label(self, name: str) -> None:
        self.spark.sparkContext.setJobDescription(f"diglot {name}")

    def _tell(self, name: str, record: dict[str, Any], was_done: bool) -> None:
        self.records[name] = record
        self.key = hash_of([self.key, record["id"]])
        told_of = ("seconds", "tasks", "rows_in", "rows_out", "left_out", "longest")
        step = Step(name=name, was_done=was_done, **{of: record[of] for of in told_of})
        self.done.append(step)
        how = "done before" if was_done else f"{step.seconds:.1f} s"
        self.hear(f"step {name}: {how}" + (f", tasks: {step.tasks}" if step.tasks else ""))


def hash_of(values: object) -> str:
    """A hash of what can be written as JSON."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


@contextmanager
def told(name: str) -> Iterator[None]:
    """Has failures of Spark and of tasks be told in the words of the program."""
    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        found = re.search(re.escape(MARK) + r"(\{.*\})", str(error))
        if found is None:
            raise DiglotError(f"step {name}: {words_of(error)}") from error
        about = json.loads(found[1])
        message = f"step {name}, {about['place']}: {about['error']}"
        raise DiglotError(message, about["exit"], about["stderr"], about["command"]) from error


def together(records: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What is kept of a step of which portions were done."""
    total = _nothing()
    for record in records:
        total["tasks"] += record["tasks"]
        total["rows_in"] += record["rows_in"]
        total["longest"] = max(total["longest"], record["longest"])
        for of in ("rows_out", "counts", "left_out", "files"):
            _add(total[of], record[of])
        for kind, names in record["names"].items():
            _add(total["names"].setdefault(kind, {}), names)
    return total


def _add(sums: dict[str, int], more: dict[str, int]) -> None:
    for name, number in more.items():
        sums[name] = sums.get(name, 0) + number


def _nothing() -> dict[str, Any]:
    empty: dict[str, Any] = {"seconds": 0.0, "tasks": 0, "rows_in": 0, "longest": 0.0}
    return {**empty, "rows_out": {}, "counts": {}, "left_out": {}, "names": {}, "reported": {}, "files": {}}


def _add_report(record: dict[str, Any], named: str, tasks: int, number: int, longest: int) -> None:
    if named == "in":
        record.update(tasks=tasks, rows_in=number, longest=longest / 1000)
        return
    what, name = named.split(" ", 1)
    record["left_out" if what == "left" else "reported"][name] = number


def _check(name: str, record: dict[str, Any], rows_in: int | None) -> None:
    reported = {kind: rows for kind, rows in record.pop("reported").items() if rows}
    if reported != record["rows_out"]:
        raise DiglotError(f"step {name}: its tasks wrote {reported}, and its files hold {record['rows_out']}; {_ANEW}")
    if rows_in is not None and record["rows_in"] != rows_in:
        raise DiglotError(f"step {name}: its tasks read {record['rows_in']} rows of {rows_in}; {_ANEW}")
