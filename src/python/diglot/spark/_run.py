"""A run on a cluster: from archives to tables."""

from __future__ import annotations

import atexit
import hashlib
import math
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable
from dataclasses import astuple, dataclass, field, replace
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from .._errors import DiglotError
from .._program import FILES, VARIABLE, Setting, StrPath, options, program
from .._run import SWITCHES, Progress, listener
from ._division import Divided, Division, without
from ._inputs import Inputs, find
from ._portions import Portions
from ._results import TABLES, Filed, Unpacked, columns, partitions
from ._rows import COLUMNS, deal, numbered, numbers
from ._session import FEW_TASKS, NEEDED, set_to
from ._steps import Plan, Step, Steps, hash_of, plan_of, told
from ._task import Task, version
from ._work import Folder, path_of

# Parts are not made smaller than this to give every core some.
_SMALL_PART = 1000
# Parts for each core, where the pages suffice.
_PARTS_A_CORE = 4
# Parts for each bucket of sentence pairs, which are much smaller than pages.
_PARTS_A_BUCKET = 4
# Captures for each bucket: a large site is a single part.
_CAPTURES_A_BUCKET = 80_000
# Domains from which a language is learnt, at most: as many as the program looks at.
_DOMAINS_A_LANGUAGE = 8
# The first of the steps that follow on the keys of all sites, whole and divided.
_AFTER_KEYS = "04-rescue"
# How much of a table is written by one task.
_TABLE = {"spark.sql.files.maxPartitionBytes": str(256 << 20), "spark.sql.files.openCostInBytes": "65536"}
# Options of `diglot run` that a run without a store has not, or that Spark has.
_NOT_HERE = {"dry_run", "no_compact", "quiet", "reread", "reset", "store", "threads", "until", "verbose"}
# Up to which step steps depend on which settings alone, as the program names them; later ones depend on all.
_SETTINGS = (("pages", "02-pages~"), ("keys", "03~"), ("judge", "08-judge"), ("align", "13-merge"))
# Settings that name folders, which all machines see.
_FOLDERS = ("archives",)
_OF_FOLDERS = tuple(f"--{name}=" for name in _FOLDERS)
# Damaged places that are named.
_NAMED = 1000
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
    #: Where archives are damaged or cut off, and how: the first places of each. What they lack is in `left_out`.
    damaged: tuple[str, ...]
    #: What became of each step.
    steps: tuple[Step, ...] = field(repr=False)
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

    def documents(self) -> DataFrame:
        """The pairs of pages with their texts and aligned sentences, with the columns of `diglot export --what documents`, and `langs`."""
        return self._table("documents")

    def units(self) -> DataFrame:
        """Sentences of documents in several languages, with the columns of `diglot export --what units`."""
        return self._table("units")

    def pages(self) -> DataFrame:
        """The pages with their texts, with the columns of `diglot export --what pages`."""
        return self._table("pages")

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
    split_over: int | None = None,
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

    `what` names the tables: `pairs`, `bitext`, `keys`; `documents`, `units`, `pages`, which have texts; `fetch`, what to fetch of the archives that an index names; `explore`, the sites to crawl
    next, which are hosts, or with `by_domain` registrable domains.

    Sites are dealt out to parts of some `pages_per_part` pages, a site being in one part. With `split_over`, a domain of more captures than
    that (all domains of one name together) is divided into parts of about as many: its keys are those of the whole domain, but what is done
    after them each part does by itself, so that scores are nearly those of `diglot.run`, and not the very same. `buckets` is the number of tasks that look for
    sentence pairs that several parts have. `memory` is what one task of the program may take. `settings` are those of `diglot.run`.
    Results depend on none of these but `split_over`.

    A table that is there is written anew; a folder of its name that no run has written is refused. Only one run at a time works in `work`.

    With `keep_going`, what cannot be read is left out, after as many tries as Spark makes; it is in `refused`, and stays left out until it
    changes.

    Raises `DiglotError`, with the step, the part and the words of the program: with exit code 2 for a wrong setting, with 3 for inputs that
    cannot be read, with 5 for a part that needs more than `memory`. Raises `ValueError` where an argument of this function makes no sense.
    """
    if wrong := sorted(_NOT_HERE & settings.keys()):
        raise ValueError(f"{', '.join(wrong)}: no setting of a run on Spark (threads: set spark.task.cpus)")
    if any(number is not None and number < 1 for number in (pages_per_part, split_over, buckets)):
        raise ValueError("pages_per_part, split_over and buckets are numbers of 1 or more")
    if split_over is not None and settings.get("across_suffixes") not in (None, False, "no"):
        raise ValueError("split_over does not go with across_suffixes: which domains are one is not known of a part")
    tables = tuple(dict.fromkeys([what] if isinstance(what, str) else what))
    if not tables or not set(tables) <= set(TABLES):
        raise ValueError(f"what is {', '.join(tables) or 'empty'}, expected some of {', '.join(TABLES)}")
    with set_to(spark, NEEDED):
        try:
            asked = _Run(spark, work, out, tables, by_domain, memory, keep_going, progress, settings)
            return asked.done(inputs, pages_per_part, split_over, buckets)
        finally:
            spark.sparkContext.setLocalProperty("spark.job.description", "")


@dataclass(frozen=True)
class _Dealing:
    """How pages are dealt out to parts."""

    #: The hashes of the sites that are parts of their own, the largest first.
    giants: list[int] = field(default_factory=list)
    #: How many of them would keep a core longer than all cores have to do.
    wide: int = 0
    #: How many parts there are of domains that are not divided.
    parts: int = 0
    divided: list[Divided] = field(default_factory=list)


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
                settings[name] = os.path.abspath(path_of(os.fspath(folder)))
        self._settings = options(settings, SWITCHES)
        self._plain = tuple(options({n: value for n, value in settings.items() if n not in FILES}, SWITCHES))
        self._files = {f"--{name}": _paths(settings[name]) for name in FILES if settings.get(name) is not None}
        for path in chain.from_iterable(self._files.values()):
            if not os.path.isfile(path):
                raise DiglotError(f"{path}: no such file", 2)
        context = spark.sparkContext
        self._is_local = str(context.master).startswith("local")
        # How often a task may fail. `local[4,3]` says it, and `local[4]` is once.
        local = re.fullmatch(r"local(?:\[[^,\]]+(?:,\s*(\d+))?\])?", str(context.master))
        self._failures = int(local[1] or 1) if local else int(context.getConf().get("spark.task.maxFailures", "4") or 4)
        self._task_cores = int(context.getConf().get("spark.task.cpus", "1") or 1)
        cores = max(1, context.defaultParallelism)
        passed_on = Folder(spark, work)
        if not passed_on.is_ours("") and passed_on.listed("*"):
            raise DiglotError(f"{passed_on.uri} has files, and no run has worked in it: name another folder for what steps pass on", 2)
        self._steps = Steps(spark, passed_on, plan_of(self._program), "", self._task, listener(progress), cores)
        after = list(self._steps.plan.values())
        self._after_keys = after[[plan.name for plan in after].index(_AFTER_KEYS) :]
        # Steps of which each task has a part of the sites.
        self._of_parts = {plan.step for plan in self._after_keys if plan.only is None and plan.is_of_part}

    def done(
        self, inputs: StrPath | Iterable[StrPath], pages_per_part: int, split_over: int | None, buckets: int | None
    ) -> SparkResult:
        """Does all steps."""
        for table in self._what:
            # What is not ours is not written over.
            if self._out.has(table) and not self._out.is_ours(table):
                raise DiglotError(f"{self._out.path(table)} is there, and is no table of a run: name another folder for tables", 2)
        refused = self._pages(inputs)
        self._archives()
        whole, divided = self._keys(pages_per_part, split_over)
        division = Division(self._spark, self._steps, whole, divided)
        parts = whole + division.count
        captures = int(self._steps.records["02-pages"]["counts"].get("page", 0))
        buckets = buckets or max(1, math.ceil(max(parts / _PARTS_A_BUCKET, captures / _CAPTURES_A_BUCKET)))
        if divided:
            division.keys()
        self._patterns()
        self._languages()
        if divided:
            division.join()
        taken = {None: True, "divided": bool(divided) and "keys" in self._what, "explore": "explore" in self._what}
        for plan in self._after_keys:
            if plan.step is not None and taken[plan.only]:
                options = self._options(plan, buckets, whole if divided else None)
                # By these numbers a later run knows whether it deals out rows as this one does.
                count = 0 if plan.only else buckets if plan.step == "merge" else parts
                self._steps.run(plan, *options, parts=count)
        self._tables()
        return self._result(refused)

    def _options(self, plan: Plan, buckets: int, shares_from: int | None) -> list[str]:
        """Options that one step alone has. Parts from `shares_from` on are parts of domains that are divided."""
        if plan.step == "align":
            return [f"--buckets={buckets}"]
        if plan.step == "finish":
            # Those that the program does not write are made of others.
            what = f"--what={','.join(sorted(_MADE_OF.get(table, table) for table in self._what))}"
            return [what] if shares_from is None else [what, f"--shares-from={shares_from}"]
        if plan.step == "explore":
            return ["--by-domain"] if self._by_domain else []
        return []

    def _pages(self, inputs: StrPath | Iterable[StrPath]) -> tuple[str, ...]:
        """Reads the archives; gives those that cannot be read."""
        steps, name = self._steps, "02-pages"
        sent = {path: _copied(path) for path in chain.from_iterable(self._files.values())}
        for path in set(sent.values()):
            self._spark.sparkContext.addFile(path)
        found = find(self._spark, inputs, [*self._settings, f"--memory={self._memory}"], self._keep_going)
        steps.key = self._key(found)
        contents = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in sent]
        self._files = {option: tuple(sent[path] for path in paths) for option, paths in self._files.items()}
        steps.settings = lambda step: self._settings_of(step, found, contents)
        steps.take()
        for passed in found.passed:
            steps.hear(f"skipped: {passed}")

        # What could not be read before, perhaps can be read by now.
        def is_good(record: dict[str, Any]) -> bool:
            return self._keep_going or not record["rows_out"].get("refused")

        if steps.begin(name, is_good=is_good, keeps=True) is None:
            began = time.monotonic()
            portions = Portions(steps, name, hash_of([self._of_program(), self._settings_of(name, found, contents)]), is_good)
            hadoop = _xml(self._spark) if any(archive.is_remote for archive in found.archives) else None
            record = portions.read(found.archives, lambda tasks: replace(self._task("pages", (), (), tasks), hadoop=hadoop))
            steps.end(name, record, seconds=round(time.monotonic() - began, 3))
        refused = list(found.refused)
        if steps.rows(name, "refused"):
            rows = steps.read(name, "refused").orderBy("number").select("name", F.col("data").cast("string"))
            refused += [f"{path}: {reason}" for path, reason in rows.collect()]
        if refused and not self._keep_going:
            more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
            raise DiglotError(f"step {name}: {refused[0]}{more}; mend it, or go on without it by keep_going (--keep-going)", 3)
        return tuple(refused)

    def _settings_of(self, step: str, found: Inputs, files: list[str]) -> object:
        """The settings that a step depends on, beside those of the steps before it."""
        of = next((name for name, last in _SETTINGS if step <= last), None)
        if of is None:
            return sorted(self._plain), files
        if of == "pages":
            return found.settings[of], [option for option in self._plain if option.startswith(_OF_FOLDERS)]
        # What a lexicon says is learnt from.
        return found.settings[of], files if of == "judge" else None

    def _archives(self) -> None:
        """Brings what is known of the archives into one file."""
        steps, name = self._steps, "02-archives"
        if steps.begin(name) is None:
            rows = steps.read("02-pages", "archive").repartition(1) if steps.rows("02-pages", "archive") else None
            steps.make(name, rows, again=self._again())

    def _again(self) -> dict[str, dict[str, int]]:
        """What was counted of archives whose bytes are those of an earlier one: rows, counts, and reasons."""
        steps, name = self._steps, "02-pages"
        if not steps.rows(name, "fingerprint"):
            return {}
        first: dict[str, int] = {}
        rows = steps.read(name, "fingerprint").select("number", "name").collect()
        again = [number for number, fingerprint in sorted(rows) if first.setdefault(fingerprint, number) != number]
        if not again:
            return {}
        of_again = F.array_contains(numbers(again), F.col("number"))
        found: dict[str, dict[str, int]] = {"counts": {}, "left_out": {}}
        for kind in ("archive", "page"):
            if steps.rows(name, kind):
                found["counts"][kind] = steps.read(name, kind).where(of_again).agg(F.sum("count")).collect()[0][0] or 0
        if steps.rows(name, "skipped"):
            reasons = steps.read(name, "skipped").where(of_again).groupBy("name").agg(F.sum("count"))
            found["left_out"] = dict(map(tuple, reasons.collect()))
        found["archives"] = {"again": len(again)}
        return found

    def _keys(self, pages_per_part: int, split_over: int | None) -> tuple[int, list[Divided]]:
        """Decides what the parts are, and has the keys of each found; gives their number, and the domains that are divided besides."""
        steps, name = self._steps, "03-keys"
        record = steps.begin(name, pages_per_part, split_over)
        if record is None:
            captures = int(steps.records["02-pages"]["counts"].get("page", 0))
            rows = steps.read("02-pages", "page") if captures else None
            dealing = _Dealing() if rows is None else self._dealing(rows, pages_per_part, split_over)
            more: dict[str, Any] = {"parts": dealing.parts, "wide": dealing.wide, "divided": [astuple(domain) for domain in dealing.divided]}
            had = steps.rows("02-pages", "page") - sum(domain.rows for domain in dealing.divided)
            if rows is None or had == 0:
                record = steps.end(name, None, **more)
            else:
                side = steps.side(name)
                rows = numbered(self._spark, without(rows, dealing.divided), dealing.giants, dealing.parts)
                record = steps.do(name, "keys", deal(rows, dealing.parts), FEW_TASKS, dealing.parts, had, side=side, **more)
        return int(record["parts"]), [Divided(*domain) for domain in record["divided"]]

    def _dealing(self, rows: DataFrame, pages_per_part: int, split_over: int | None) -> _Dealing:
        """Decides which sites are divided, or parts of their own, and how many parts there are."""
        pages, count = F.col("pages"), F.col("rows")
        is_large = pages * 2 >= pages_per_part
        if split_over is not None:
            is_large = is_large | (pages > split_over)
        sites = rows.groupBy("part").agg(F.sum("count").alias("pages"), F.count("*").alias("rows"))
        large = F.collect_list(F.when(is_large, F.struct(pages, "part", count)))
        with told("03-keys"), set_to(self._spark, FEW_TASKS):
            found = sites.agg(large, F.sum(F.when(~is_large, pages))).collect()[0]
        sizes = sorted(found[0], reverse=True)
        divided = [site for site in sizes if split_over is not None and site.pages > split_over]
        # They are the largest.
        giants, rest = sizes[len(divided) :], found[1] or 0
        total = rest + sum(site.pages for site in sizes)
        wide = sum(site.pages * self._steps.cores >= total for site in giants)
        parts = min(_PARTS_A_CORE * self._steps.cores, math.ceil(rest / _SMALL_PART))
        return _Dealing(
            [site.part for site in giants],
            wide,
            len(giants) + max(parts, math.ceil(rest / pages_per_part)),
            [Divided(site.part, site.rows, math.ceil(site.pages / (split_over or 1))) for site in divided],
        )

    def _patterns(self) -> None:
        """Adds up how each pattern did, over all parts."""
        steps, name = self._steps, "03-patterns"
        if steps.begin(name) is None:
            found = [steps.read(*of) for of in steps.plan[name].reads if steps.rows(*of)]
            rows = reduce(DataFrame.unionAll, found) if found else None
            if rows is not None:
                sums = F.sum("number").alias("number"), F.sum("count").alias("count")
                rows = rows.groupBy("name").agg(*sums).repartition(1)
                part, kind = F.lit(-1).alias("part"), F.lit("pattern").alias("kind")
                data, check = F.lit(None).cast("binary").alias("data"), F.lit(None).cast("bigint").alias("check")
                rows = rows.select(part, kind, "name", "number", "count", data, check)
            steps.make(name, rows)

    def _languages(self) -> None:
        """Takes together what domains show of languages: of each language the first ones in the order of their hashes."""
        steps, name = self._steps, "03-languages"
        if steps.begin(name) is None:
            found = [steps.read(*of) for of in steps.plan[name].reads if steps.rows(*of)]
            rows = reduce(DataFrame.unionAll, found) if found else None
            if rows is not None:
                first = Window.partitionBy("name").orderBy("number")
                rows = rows.withColumn("at", F.row_number().over(first)).where(F.col("at") <= _DOMAINS_A_LANGUAGE)
                rows = rows.drop("at").repartition(1)
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
            if (self._out.record(table) or {}).get("run") != steps.run_id:
                raise DiglotError(f"step {name}: another run has written {self._out.path(table)}; give each run a folder of its own")
            self._out.keep(table, {"run": steps.run_id, "key": steps.key})
        for table in sorted(set(TABLES) - set(self._what)):
            if (self._out.record(table) or {}).get("key"):
                steps.hear(f"{self._out.path(table)} is a table of an earlier run, and was left as it is")
        rows_out = {table: self._count(table) for table in self._what}
        steps.end(name, None, seconds=round(time.monotonic() - began, 3), rows_out=rows_out)

    def _are_there(self) -> bool:
        """Whether the tables are those of this run, and whole; another run may have written there since, or somebody lost files."""
        is_ours = all((self._out.record(table) or {}).get("key") == self._steps.key for table in self._what)
        return is_ours and all(self._there(table) == self._count(table) for table in self._what)

    def _there(self, table: str) -> int:
        """How many rows lie in a table."""
        return self._spark.read.schema(columns(table)).parquet(self._out.path(table)).count()

    def _table(self, name: str, table: str) -> None:
        """Unpacks a table."""
        made = [self._steps.read(step, table) for step in self._made(table)]
        packed = reduce(DataFrame.unionAll, made or [self._spark.createDataFrame([], COLUMNS)]).drop("part")
        folder = self._out.on_disk(table)
        expected = self._count(table)
        if folder is None:
            writer = packed.mapInArrow(Unpacked(table), columns(table)).write.mode("append")
            writer.partitionBy(*partitions(table)).option("compression", "zstd").parquet(self._out.path(table))
        else:
            packed.mapInArrow(Filed(table, folder), "langs string, count bigint").collect()
            self._out.mark(table)
        # What is there, not what tasks say: another machine may have written on a disk of its own.
        found = self._there(table)
        if found != expected:
            raise DiglotError(f"step {name}: {self._out.path(table)} has {found} rows of {expected}; all machines must see that folder")

    def _made(self, table: str) -> list[str]:
        """The steps that have made a table, if it has any rows."""
        return [step for step, kind in self._steps.plan["16-tables"].reads if kind == table and self._steps.rows(step, table)]

    def _count(self, table: str) -> int:
        """How many rows a table has."""
        return sum(int(self._steps.records[step]["counts"].get(table, 0)) for step in self._made(table))

    def _result(self, refused: tuple[str, ...]) -> SparkResult:
        records = self._steps.records
        pages, again = records["02-pages"], records["02-archives"]["again"]
        twice = again.get("counts", {})
        counts = {
            "archives": pages["rows_out"].get("archive", 0) - again.get("archives", {}).get("again", 0),
            "records": pages["counts"].get("archive", 0) - twice.get("archive", 0),
            "captures": pages["counts"].get("page", 0) - twice.get("page", 0),
            "parts": self._steps.parts,
        }
        for table in self._what:
            counts[_COUNTED.get(table, table)] = self._count(table)
        reasons = {why: count - again.get("left_out", {}).get(why, 0) for why, count in pages["names"].get("skipped", {}).items()}
        left_out = dict(sorted(((why, count) for why, count in reasons.items() if count), key=lambda item: (-item[1], item[0])))
        damaged: list[str] = []
        if self._steps.rows("02-pages", "damage"):
            rows = self._steps.read("02-pages", "damage").select("name", "number", F.col("data").cast("string"))
            damaged = [f"{name}, byte {offset}: {what}" for name, offset, what in rows.orderBy("name", "number").limit(_NAMED).collect()]
        return SparkResult(
            self._spark, self._out.uri, counts, left_out, refused, tuple(damaged), tuple(self._steps.done), self._what
        )

    def _task(self, step: str, arguments: tuple[str, ...], side: tuple[str, ...], tasks: int) -> Task:
        # On one machine, cores that no task has are for the others.
        spare = self._steps.cores // tasks if self._is_local else 1
        threads = max(spare, self._task_cores)
        wide = self._steps.records["03-keys"].get("wide", 0) if self._is_local and step in self._of_parts else 0
        sent = tuple((option, tuple(map(os.path.basename, paths))) for option, paths in self._files.items())
        options = (*arguments, f"--memory={self._memory}", *self._plain)
        patience = self._failures - 1 if self._keep_going and step == "pages" else None
        return Task(step, options, threads, side, sent, self._named, self._version, wide, self._steps.cores, patience)

    def _key(self, found: Inputs) -> str:
        """A hash of what all results depend on, whatever the settings."""
        return hash_of([self._of_program(), sorted([archive.name, archive.size, archive.changed] for archive in found.archives)])

    def _of_program(self) -> list[str]:
        return [self._version, hashlib.sha256(Path(self._program).read_bytes()).hexdigest()]


def _xml(spark: SparkSession) -> str:
    """The settings of Hadoop."""
    context: Any = spark.sparkContext
    writer = context._jvm.java.io.StringWriter()
    context._jsc.hadoopConfiguration().writeXml(writer)
    return str(writer.toString())


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
