"""Archives in portions: what was read of some is kept, whatever becomes of the others."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from typing import Any

from pyspark import inheritable_thread_target
from pyspark.sql import Column
from pyspark.sql import functions as F

from ._inputs import Archive
from ._rows import COLUMNS, deal
from ._session import FEW_TASKS, set_to
from ._steps import Steps, together
from ._task import Task

# Small archives are read many to a task, up to this size.
_TASK_BYTES = 64 << 20
# Tasks for each core, at least, where there are as many archives: the last ones to end are short then.
_TASKS_A_CORE = 3
# Portions that are made at once, at most: each has a folder for each kind of rows.
_PORTIONS = 200
# Portions that are read at a time: while the last tasks of one end, those of the next begin.
_AT_A_TIME = 2

Record = dict[str, Any]


class Portions:
    """A step that reads archives, each portion of them into a folder of its own, with a record of what came of it.

    A portion that was read by the same program with the same settings (`key`) is not read again while its archives are all given, and as they
    were; the others are read in portions of a task for each core.
    """

    def __init__(self, steps: Steps, name: str, key: str, is_good: Callable[[Record], bool]) -> None:
        self._steps, self._name, self._key, self._is_good = steps, name, key, is_good

    def read(self, archives: Sequence[Archive], task: Callable[[int], Task]) -> Record:
        """Reads what is to be read; gives what is to be kept of the step. `task` makes a task of so many."""
        steps, name = self._steps, self._name
        kept, rest = self._kept(archives)
        if kept and rest:
            steps.hear(f"step {name}: of {len(archives)} archives, {len(archives) - len(rest)} were read before")
        groups = _groups(rest, steps.cores)
        size = max(steps.cores, math.ceil(len(groups) / _PORTIONS))
        portions = [groups[at : at + size] for at in range(0, len(groups), size)]
        reader = task(len(groups))
        context, jobs = steps.spark.sparkContext, f"diglot {uuid.uuid4().hex}"

        def read(groups: list[list[Archive]]) -> tuple[str, Record]:
            context.setJobGroup(jobs, f"diglot {name}")
            return self._portion(groups, reader)

        with set_to(steps.spark, FEW_TASKS), ThreadPoolExecutor(_AT_A_TIME) as pool:
            # What a thread runs has the settings of this one, such as the pool of a scheduler.
            begun = [pool.submit(inheritable_thread_target(read), groups) for groups in portions]
            try:
                for at, ended in enumerate(as_completed(begun), 1):
                    portion, record = ended.result()
                    kept[portion] = record
                    steps.hear(f"step {name}: portion {at} of {len(portions)}")
            except BaseException:
                for one in begun:
                    one.cancel()
                context.cancelJobGroup(jobs)
                raise
        return {**together(kept.values()), "portions": {portion: list(record["rows_out"]) for portion, record in kept.items()}}

    def _kept(self, archives: Sequence[Archive]) -> tuple[dict[str, Record], list[Archive]]:
        """The portions that were read before, and archives that are in none of them. Those of portions keep their numbers."""
        steps, name = self._steps, self._name
        rest = {_stamp(archive): archive for archive in archives}
        kept: dict[str, Record] = {}
        after = 0
        for path in steps.work.listed(f"{name}/portion-*"):
            portion = "/" + path.rsplit("/", 1)[1]
            record = steps.work.record(name + portion)
            stamps = set() if record is None else {json.dumps(archive) for archive in record["archives"]}
            if record is None or record["key"] != self._key or not self._is_good(record) or not stamps <= rest.keys():
                steps.work.drop(name + portion)
                continue
            kept[portion] = record
            after = max(after, record["numbers"][1])
            for stamp in stamps:
                del rest[stamp]
        return kept, [replace(archive, number=after + at) for at, archive in enumerate(rest.values())]

    def _portion(self, groups: list[list[Archive]], reader: Task) -> tuple[str, Record]:
        steps, name = self._steps, self._name
        portion = f"/portion-{uuid.uuid4().hex[:16]}"
        archives = [archive for group in groups for archive in group]
        listed = [(n, "input", a.name, a.number, a.size, None, None, a.is_remote) for n, group in enumerate(groups) for a in group]
        rows = deal(steps.spark.createDataFrame(listed, f"{COLUMNS}, remote boolean"), len(groups))
        data = F.lit(None)
        if any(archive.is_remote for archive in archives):
            # Where Java and its classes are, each machine says for itself, of what it reads.
            data = F.when(F.col("remote"), F.concat_ws("\n", _property("java.home"), _property("java.class.path")))
        rows = rows.select(F.lit(-1).alias("part"), "kind", "name", "number", "count", data.cast("binary").alias("data"), "check")
        record = steps.made(name, rows.mapInArrow(reader, COLUMNS), FEW_TASKS, len(archives), portion)
        numbers = [archive.number for archive in archives]
        record = {"key": self._key, "archives": [json.loads(_stamp(a)) for a in archives], "numbers": [min(numbers), max(numbers) + 1], **record}
        steps.see_that_it_is_ours()
        steps.work.keep(name + portion, record)
        return portion, record


def _stamp(archive: Archive) -> str:
    """What an archive is known by as long as nothing changes it."""
    return json.dumps([archive.name, archive.size, archive.changed])


def _property(name: str) -> Column:
    return F.call_function("java_method", F.lit("java.lang.System"), F.lit("getProperty"), F.lit(name))


def _groups(archives: Sequence[Archive], cores: int) -> list[list[Archive]]:
    """Neighbours that are read by one task, the largest groups first."""
    target = min(_TASK_BYTES, sum(archive.size for archive in archives) // (_TASKS_A_CORE * cores))
    groups: list[list[Archive]] = []
    size = target
    for archive in archives:
        if size >= target:
            groups.append([])
            size = 0
        groups[-1].append(archive)
        size += archive.size
    return sorted(groups, key=lambda group: -sum(archive.size for archive in group))
