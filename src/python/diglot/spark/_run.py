"""A run on a cluster: from archives to tables."""

from __future__ import annotations

import atexit
import hashlib
import math
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .._errors import DiglotError
from .._program import FILES, VARIABLE, Setting, StrPath, options, program
from .._run import SWITCHES, Progress, listener
from ._inputs import Inputs, find
from ._inputs import rows as rows_of
from ._results import TABLES, Filed, Unpacked, columns, partitions
from ._rows import COLUMNS, deal, numbers
from ._session import FEW_TASKS, NEEDED, ONE_FILE_A_TASK, set_to
from ._steps import EXPLORE, PLANS, Plan, Step, Steps, hash_of, told
from ._task import Task, version
from ._work import Folder

# Parts are not made smaller than this to give every core some.
_SMALL_PART = 1000
# Parts for each core, where the pages suffice.
_PARTS_A_CORE = 4
# Parts for each bucket of sentence pairs, which are much smaller than pages.
_PARTS_A_BUCKET = 4
# Captures for each bucket: a large site is a single part.
_CAPTURES_A_BUCKET = 80_000
# Steps of which each task has a part of the sites.
_OF_PARTS = {plan.step for plan in PLANS if plan.is_of_part}
# How much of a table is written by one task.
_TABLE = {"spark.sql.files.maxPartitionBytes": str(256 << 20), "spark.sql.files.openCostInBytes": "65536"}
# Options of `diglot run` that a run without a store has not, or that Spark has.
_NOT_HERE = {"dry_run", "no_compact", "quiet", "reread", "reset", "store", "threads", "until", "verbose"}
# Settings that name folders, which all machines see.
_FOLDERS = ("archives",)
#: The tables that are written unless others are asked for.
WHAT = ("pairs", "bitext", "keys")
# What a table is made of that the program does not write with those of its part.
_MADE_OF = {"explore": "web"}
# What the rows of a table are called in the counts, where they are not called like it.
_COUNTED = {"bitext": "sentence_pairs", "explore": "sites_to_explore"}


@dataclass(frozen=True)
class SparkResult:
    """What a run has done, and its tables, which are read when they are asked."""

    spark: SparkSession = field(repr=False)
    #: The folder of the tables.
    out: str
    #: Numbers of `archives`, `records`, `captures` and `parts`, and of the rows of each table: `pairs`, `sentence_pairs`, `keys`, …
    counts: dict[str, int]
    #: What was left out of the archives, by reason.
    left_out: dict[str, int]
    #: Inputs that could not be read, with the reason.
    refused: tuple[str, ...]
    #: What became of each step.
    steps: tuple[Step, ...]
    #: The tables that were written.
    tables: tuple[str, ...]

    def pairs(self) -> DataFrame:
        """The pairs of pages, with the columns of `Store.pairs`, and `langs`, such as `en-fr`."""
        return self._table("pairs")

    def bitext(self) -> DataFrame:
        """The sentence pairs, with the columns of `Store.bitext`, and `langs`."""
        return self._table("bitext")

    def keys(self) -> DataFrame:
        """The keys, with the columns of `Store.keys`, and `langs`."""
        return self._table("keys")

    def fetch(self) -> DataFrame:
        """The captures to fetch where an index named them: `warc_filename`, `offset`, `length`, `url`."""
        return self._table("fetch")

    def explore(self) -> DataFrame:
        """The sites to crawl next, with the columns of `diglot explore`."""
        return self._table("explore")

    def _table(self, name: str) -> DataFrame:
        if name not in self.tables:
            raise ValueError(f"the run has not written {name}: name it in `what`")
        return self.spark.read.schema(columns(name)).parquet(f"{self.out}/{name}")


def run(
    spark: SparkSession,
    inputs: StrPath | Iterable[StrPath],
    *,
    work: StrPath,
    out: StrPath,
    what: Iterable[str] = WHAT,
    by_domain: bool = False,
    pages_per_part: int = 20000,
    buckets: int | None = None,
    memory: str = "1G",
    keep_going: bool = False,
    progress: Progress = None,
    **settings: Setting,
) -> SparkResult:
    """Reads archives and writes tables, or resumes what was interrupted.

    `inputs` are those of `diglot.run`, and also URIs that Spark reads, such as `s3a://bucket/crawl/*.warc.gz`. Each step leaves its rows
    in the folder `work`; when the run breaks off, the same call goes on behind the last step that was done. `out` gets a folder of Parquet
    for each table. Both may be URIs; a path without a scheme is one that all machines must see.

    `what` names the tables: `pairs`, `bitext`, `keys`; `fetch`, what to fetch of the archives that an index names; `explore`, the sites to crawl
    next, which are hosts, or with `by_domain` registrable domains.

    Sites are dealt out to parts of some `pages_per_part` pages, a site being in one part. `buckets` is the number of tasks that look for
    sentence pairs that several parts have. `memory` is what one task of the program may take. `settings` are those of `diglot.run`.
    Results depend neither on the parts nor on these two.

    A table that is there is written anew; a folder of its name that no run has written is refused. Only one run at a time works in `work`.

    Raises `DiglotError`, with the step, the part and the words of the program: with exit code 2 for a wrong setting, with 3 for inputs that
    cannot be read (`keep_going=True` goes on without them), with 5 for a part that needs more than `memory`.
    """
    if wrong := sorted(_NOT_HERE & settings.keys()):
        raise ValueError(f"{', '.join(wrong)}: no setting of a run on Spark (threads: set spark.task.cpus)")
    if pages_per_part < 1 or (buckets is not None and buckets < 1):
        raise ValueError("pages_per_part and buckets are numbers of 1 or more")
    tables = tuple(dict.fromkeys([what] if isinstance(what, str) else what))
    if not tables or not set(tables) <= set(TABLES):
        raise ValueError(f"what is {', '.join(tables) or 'empty'}, expected some of {', '.join(TABLES)}")
    with set_to(spark, NEEDED):
        try:
            asked = _Run(spark, work, out, tables, by_domain, memory, keep_going, progress, settings)
            return asked.done(inputs, pages_per_part, buckets)
        finally:
            spark.sparkContext.setLocalProperty("spark.job.description", "")


class _Run:
    def __init__(
        self,
        spark: SparkSession,
        work: StrPath,
        out: StrPath,
        tables: tuple[str, ...],
        by_domain: bool,
        memory: str,
        keep_going: bool,
        progress: Progress,
        settings: dict[str, Setting],
    ) -> None:
        self._spark, self._out = spark, Folder(spark, out)
        self._what, self._by_domain = tables, by_domain
        self._memory, self._keep_going = memory, keep_going
        self._program = program()
        self._version = version(self._program)
        # The program of `$DIGLOT` may lie at the same place elsewhere.
        self._named = self._program if os.environ.get(VARIABLE) else None
        for name in _FOLDERS:
            folder = settings.get(name)
            if isinstance(folder, (str, os.PathLike)):
                settings[name] = os.path.abspath(folder)
        self._settings = options(settings, SWITCHES)
        self._plain = tuple(options({n: value for n, value in settings.items() if n not in FILES}, SWITCHES))
        self._files = {f"--{name}": _paths(settings[name]) for name in FILES if settings.get(name) is not None}
        for path in chain.from_iterable(self._files.values()):
            if not os.path.isfile(path):
                raise DiglotError(f"{path}: no such file", 2)
        context = spark.sparkContext
        self._is_local = str(context.master).startswith("local")
        self._task_cores = int(context.getConf().get("spark.task.cpus", "1") or 1)
        cores = max(1, context.defaultParallelism)
        self._steps = Steps(spark, Folder(spark, work), "", self._task, listener(progress), cores)

    def done(self, inputs: StrPath | Iterable[StrPath], pages_per_part: int, buckets: int | None) -> SparkResult:
        """Does all steps."""
        for table in self._what:
            # What is not ours is not written over.
            if self._out.has(table) and self._out.record(table) is None:
                raise DiglotError(f"{self._out.path(table)} is there, and is no table of a run: name another folder for tables", 2)
        refused = self._pages(inputs)
        self._archives()
        parts = self._keys(pages_per_part)
        captures = int(self._steps.records["02-pages"]["counts"].get("page", 0))
        buckets = buckets or max(1, math.ceil(max(parts / _PARTS_A_BUCKET, captures / _CAPTURES_A_BUCKET)))
        self._patterns()
        for plan in PLANS:
            self._steps.run(plan, *self._options(plan, buckets), parts=buckets if plan.step == "merge" else parts)
        if "explore" in self._what:
            self._steps.run(EXPLORE, *(["--by-domain"] if self._by_domain else []))
        self._tables()
        return self._result(refused)

    def _options(self, plan: Plan, buckets: int) -> list[str]:
        """Options that one step alone has."""
        if plan.step == "align":
            return [f"--buckets={buckets}"]
        if plan.step == "finish":
            # Those that the program does not write are made of others.
            return [f"--what={','.join(sorted(_MADE_OF.get(table, table) for table in self._what))}"]
        return []

    def _pages(self, inputs: StrPath | Iterable[StrPath]) -> tuple[str, ...]:
        """Reads the archives; gives those that cannot be read."""
        steps, name = self._steps, "02-pages"
        sent = {path: _copied(path) for path in chain.from_iterable(self._files.values())}
        for path in set(sent.values()):
            self._spark.sparkContext.addFile(path)
        found = find(self._spark, inputs, [*self._settings, f"--memory={self._memory}"], self._keep_going)
        steps.key = self._key(found)
        self._files = {option: tuple(sent[path] for path in paths) for option, paths in self._files.items()}
        steps.take()
        for passed in found.passed:
            steps.hear(f"skipped: {passed}")
        # What could not be read before, perhaps can be read by now.
        if steps.begin(name, is_good=lambda record: self._keep_going or not record["rows_out"].get("refused")) is None:
            rows, tasks = rows_of(self._spark, found.archives, steps.cores)
            goes_on = ("--keep-going",) if self._keep_going else ()
            steps.do(name, "pages", rows, ONE_FILE_A_TASK, tasks, len(found.archives), goes_on)
        refused = list(found.refused)
        if steps.rows(name, "refused"):
            rows = steps.read(name, "refused").orderBy("number").select("name", F.col("data").cast("string"))
            refused += [f"{path}: {reason}" for path, reason in rows.collect()]
        if refused and not self._keep_going:
            more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
            raise DiglotError(f"step {name}: {refused[0]}{more}; mend it, or go on without it by keep_going (--keep-going)", 3)
        return tuple(refused)

    def _archives(self) -> None:
        """Brings what is known of the archives into one file."""
        steps, name = self._steps, "02-archives"
        if steps.begin(name) is None:
            steps.make(name, steps.read("02-pages", "archive").repartition(1) if steps.rows("02-pages", "archive") else None)

    def _keys(self, pages_per_part: int) -> int:
        """Decides what the parts are, and has the keys of each found; gives the number of parts."""
        steps, name = self._steps, "03-keys"
        record = steps.begin(name, pages_per_part)
        if record is None:
            captures = int(steps.records["02-pages"]["counts"].get("page", 0))
            rows = steps.read("02-pages", "page") if captures else None
            if rows is None:
                record = steps.end(name, None, parts=0, wide=0)
            else:
                giants, wide, parts = self._parts(rows, pages_per_part)
                side = steps.sent([("02-archives", "archive")])
                dealt = deal(_numbered(self._spark, rows, giants, parts), parts)
                had = steps.rows("02-pages", "page")
                record = steps.do(name, "keys", dealt, FEW_TASKS, parts, had, side=side, parts=parts, wide=wide)
        return int(record["parts"])

    def _parts(self, rows: DataFrame, pages_per_part: int) -> tuple[list[int], int, int]:
        """The hashes of the sites that are parts of their own, the largest first; how many of them would keep a core longer than all cores
        have to do, and how many parts there are.
        """
        pages, is_giant = F.col("pages"), F.col("pages") * 2 >= pages_per_part
        sites = rows.groupBy("part").agg(F.sum("count").alias("pages"))
        giant = F.collect_list(F.when(is_giant, F.struct(pages, "part")))
        with told("03-keys"), set_to(self._spark, FEW_TASKS):
            found = sites.agg(giant, F.sum(F.when(~is_giant, pages))).collect()[0]
        sizes = sorted(found[0], reverse=True)
        giants, rest = [site.part for site in sizes], found[1] or 0
        total = rest + sum(site.pages for site in sizes)
        wide = sum(site.pages * self._steps.cores >= total for site in sizes)
        parts = min(_PARTS_A_CORE * self._steps.cores, math.ceil(rest / _SMALL_PART))
        return giants, wide, len(giants) + max(parts, math.ceil(rest / pages_per_part))

    def _patterns(self) -> None:
        """Adds up how each pattern did, over all parts."""
        steps, name = self._steps, "03-patterns"
        if steps.begin(name) is None:
            rows = steps.read("03-keys", "pattern") if steps.rows("03-keys", "pattern") else None
            if rows is not None:
                sums = F.sum("number").alias("number"), F.sum("count").alias("count")
                rows = rows.groupBy("name").agg(*sums).repartition(1)
                part, kind = F.lit(-1).alias("part"), F.lit("pattern").alias("kind")
                data, check = F.lit(None).cast("binary").alias("data"), F.lit(None).cast("bigint").alias("check")
                rows = rows.select(part, kind, "name", "number", "count", data, check)
            steps.make(name, rows)

    def _tables(self) -> None:
        """Unpacks the tables."""
        steps, name = self._steps, "16-tables"
        if steps.begin(name, self._out.uri, self._what, is_good=lambda _: self._are_there()) is not None:
            return
        began = time.monotonic()
        for table in self._what:
            self._out.drop(table)
            self._out.keep(table, {"run": steps.run_id})
            with told(name), set_to(self._spark, _TABLE):
                self._table(name, table)
            self._out.keep(table, {"run": steps.run_id, "key": steps.key})
        rows_out = {table: steps.records[self._made(table)]["counts"].get(table, 0) for table in self._what}
        steps.end(name, None, seconds=round(time.monotonic() - began, 3), rows_out=rows_out)

    def _are_there(self) -> bool:
        """Whether the tables are those of this run; another may have written there since."""
        return all((self._out.record(table) or {}).get("key") == self._steps.key for table in self._what)

    def _table(self, name: str, table: str) -> None:
        """Unpacks a table."""
        steps, made = self._steps, self._made(table)
        is_empty = not steps.rows(made, table)
        rows = self._spark.createDataFrame([], COLUMNS) if is_empty else steps.read(made, table)
        packed = rows.drop("part")
        folder = self._out.on_disk(table)
        expected = steps.records[made]["counts"].get(table, 0)
        if folder is None:
            writer = packed.mapInArrow(Unpacked(table), columns(table)).write.mode("append")
            writer.partitionBy(*partitions(table)).option("compression", "zstd").parquet(self._out.path(table))
        else:
            packed.mapInArrow(Filed(table, folder), "langs string, count bigint").collect()
            self._out.mark(table)
        # What is there, not what tasks say: another machine may have written on a disk of its own.
        found = self._spark.read.schema(columns(table)).parquet(self._out.path(table)).count()
        if found != expected:
            raise DiglotError(f"step {name}: {self._out.path(table)} has {found} rows of {expected}; all machines must see that folder")

    def _made(self, table: str) -> str:
        """The step that has made a table."""
        return EXPLORE.name if table == EXPLORE.step else PLANS[-1].name

    def _result(self, refused: tuple[str, ...]) -> SparkResult:
        records = self._steps.records
        pages = records["02-pages"]
        counts = {
            "archives": pages["rows_out"].get("archive", 0),
            "records": pages["counts"].get("archive", 0),
            "captures": pages["counts"].get("page", 0),
            "parts": records["03-keys"]["tasks"],
        }
        for table in self._what:
            counts[_COUNTED.get(table, table)] = records[self._made(table)]["counts"].get(table, 0)
        left_out = dict(sorted(pages["names"].get("skipped", {}).items(), key=lambda item: (-item[1], item[0])))
        return SparkResult(self._spark, self._out.uri, counts, left_out, refused, tuple(self._steps.done), self._what)

    def _task(self, step: str, arguments: tuple[str, ...], side: tuple[str, ...], tasks: int) -> Task:
        # On one machine, cores that no task has are for the others.
        spare = self._steps.cores // tasks if self._is_local else 1
        threads = max(spare, self._task_cores)
        wide = self._steps.records["03-keys"].get("wide", 0) if self._is_local and step in _OF_PARTS else 0
        sent = tuple((option, tuple(map(os.path.basename, paths))) for option, paths in self._files.items())
        options = (*arguments, f"--memory={self._memory}", *self._plain)
        return Task(step, options, threads, side, sent, self._named, self._version, wide, self._steps.cores)

    def _key(self, found: Inputs) -> str:
        """A hash of what all results depend on."""
        listed = [(archive.name, archive.size, archive.changed) for archive in found.archives]
        files = [self._program, *chain.from_iterable(self._files.values())]
        contents = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
        return hash_of([self._version, contents, sorted(self._plain), listed])


def _numbered(spark: SparkSession, rows: DataFrame, giants: list[int], parts: int) -> DataFrame:
    """Rows with the numbers of parts in the place of hashes of sites."""
    others = parts - len(giants)
    number = F.pmod(F.col("part"), F.lit(max(others, 1))) + len(giants)
    if giants:
        at = spark.range(len(giants)).select(numbers(giants)[F.col("id")].cast("int").alias("part"), F.col("id").alias("giant"))
        rows = rows.join(F.broadcast(at), "part", "left")
        number = F.coalesce(F.col("giant"), number)
    return rows.select(number.cast("int").alias("part"), "kind", "name", "number", "count", "data", "check")


def _copied(path: str) -> str:
    """A copy of a file under a name that says what it holds: Spark sends a file of a name once a session."""
    content = Path(path).read_bytes()
    folder = tempfile.mkdtemp(prefix="diglot-")
    atexit.register(shutil.rmtree, folder, True)
    copy = os.path.join(folder, f"{hashlib.sha256(content).hexdigest()[:16]}.{os.path.basename(path)}")
    Path(copy).write_bytes(content)
    return copy


def _paths(value: Setting) -> tuple[str, ...]:
    if isinstance(value, (str, os.PathLike)):
        return (os.fspath(value),)
    return tuple(os.fspath(path) for path in value) if isinstance(value, Iterable) else ()
