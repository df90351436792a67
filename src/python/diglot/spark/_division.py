"""Domains that are divided: their keys are found in outlines of all their pages, then their pages go to several parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from ._rows import COLUMNS, deal, numbered, numbers
from ._session import FEW_TASKS, ONE_FILE_A_TASK
from ._steps import Steps


@dataclass(frozen=True)
class Divided:
    """A domain that is divided."""

    #: The hash that its rows of pages have in the place of a part.
    site: int
    #: How many such rows there are.
    rows: int
    #: Into how many parts.
    parts: int


def without(rows: DataFrame, domains: Sequence[Divided]) -> DataFrame:
    """Rows of pages of all other domains."""
    return rows.where(~F.array_contains(_sites(domains), F.col("part").cast("bigint"))) if domains else rows


def _sites(domains: Sequence[Divided]) -> Column:
    return numbers([domain.site for domain in domains])


class Division:
    """The domains of a run that are divided, into parts that follow on those of whole domains."""

    def __init__(self, spark: SparkSession, steps: Steps, first: int, domains: Sequence[Divided]) -> None:
        self._spark, self._steps, self._domains = spark, steps, domains
        self.first = first
        #: How many parts there are.
        self.count = sum(domain.parts for domain in domains)

    def keys(self) -> None:
        """Finds the keys of each domain as a whole."""
        steps, count = self._steps, len(self._domains)
        if steps.begin("03-outline") is None:
            self._of_pages("03-outline", "outline")
        if steps.begin("03-whole") is None:
            outlines = deal(steps.read("03-outline", "page"), count)
            had = steps.rows("03-outline", "page")
            steps.do("03-whole", "keys", outlines, FEW_TASKS, count, had, side=steps.side("03-whole"))

    def join(self) -> None:
        """Makes the store of each part: its pages, and what was found in them."""
        steps = self._steps
        if steps.begin("03-divided") is None:
            firsts = [self.first + sum(domain.parts for domain in self._domains[:at]) for at in range(len(self._domains))]
            listed = [(at, "divided", "", firsts[at], domain.parts, None, None) for at, domain in enumerate(self._domains)]
            steps.make("03-divided", self._spark.createDataFrame(listed, COLUMNS).repartition(1))
        if steps.begin("04-divide") is None:
            stores, had = steps.read("03-whole", "store"), steps.rows("03-whole", "store")
            steps.do("04-divide", "divide", stores, ONE_FILE_A_TASK, len(self._domains), had, side=steps.side("04-divide"))
        if steps.begin("04-deal") is None:
            self._of_pages("04-deal", "deal", steps.side("04-deal"))
        if steps.begin("04-join") is None:
            rows = steps.read("04-deal", "page").unionAll(steps.read("04-divide", "found"))
            had = steps.rows("04-deal", "page") + steps.rows("04-divide", "found")
            rows = deal(rows, self.count, self.first)
            steps.do("04-join", "join", rows, FEW_TASKS, self.count, had, side=steps.side("04-join"))

    def _of_pages(self, name: str, step: str, side: tuple[str, ...] = ()) -> None:
        """Does a step on the pages of the domains, as they lie."""
        pages = self._steps.read("02-pages", "page")
        pages = pages.where(F.array_contains(_sites(self._domains), F.col("part").cast("bigint")))
        sites = [domain.site for domain in self._domains]
        rows = numbered(self._spark, pages, sites, len(sites))
        had, tasks = sum(domain.rows for domain in self._domains), self._steps.records["02-pages"]["tasks"]
        self._steps.do(name, step, rows, ONE_FILE_A_TASK, tasks, had, side=side)
