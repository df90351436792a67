"""A store: what it holds, as tables."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, Union

import pyarrow as pa

from ._program import Answer, Setting, StrPath, options
from ._tables import batches, counts_by_name, table

#: Two languages, `"en,fr"` or `["en", "fr"]`: the first is that of the columns that end in `_a`.
Langs: TypeAlias = Union[None, str, Iterable[str]]
#: A condition on a column, such as `"chars_a>=20"`, or several, which must all hold.
Where: TypeAlias = Union[None, str, Iterable[str]]
#: What `Store.hosts` has first.
HostOrder: TypeAlias = Literal["host", "pages", "pairs", "credibility", "rank"]


def _required(name: str, of: pa.DataType) -> pa.Field[Any]:
    return pa.field(name, of, nullable=False)


KEYS = pa.schema(
    [
        *(_required(name, pa.string()) for name in ("site", "field", "from", "to", "lang_a", "lang_b")),
        *(_required(name, pa.int64()) for name in ("power", "assigned", "accepted")),
        pa.field("est_precision", pa.float64()),
        *(_required(name, pa.float64()) for name in ("credibility", "global")),
        *(_required(name, pa.string()) for name in ("state", "key", "scope")),
    ]
)
_HOSTS = pa.schema(
    [
        *(_required(name, pa.string()) for name in ("host", "domain")),
        *(_required(name, pa.int64()) for name in ("pages", "pairs")),
        _required("credibility", pa.float64()),
        _required("langs", pa.list_(pa.struct([_required("lang", pa.string()), _required("pages", pa.int64())]))),
    ]
)
_STATUS = pa.schema(
    [
        *(_required(name, pa.string()) for name in ("what", "name")),
        pa.field("count", pa.int64()),
        _required("detail", pa.string()),
    ]
)


@dataclass(frozen=True)
class Store:
    """A store that `diglot run` has made.

    Each method asks the last commit, also while a run writes to the store, and nothing is kept between two questions. What can be
    long comes as a table, or by the method that ends in `_batches` as record batches, of which one at a time is in memory. Where
    results are not up to date, a `DiglotWarning` says so. `host` is a host, a registrable domain or a URL on it; by default all.

    Every method raises `DiglotError` where the program fails or its answer is not whole.
    """

    #: The folder of the store.
    path: Path

    @classmethod
    def at(cls, path: StrPath) -> Store:
        """The store in a folder, whether there is one yet or not."""
        return cls(Path(os.path.abspath(path)))

    def pairs(
        self,
        *,
        host: str | None = None,
        langs: Langs = None,
        min_score: float | None = None,
        where: Where = None,
        limit: int | None = None,
    ) -> pa.Table:
        """The pairs of pages: `url_a url_b lang_a lang_b score method key`, in the order of `diglot pairs`."""
        return self.pairs_batches(host=host, langs=langs, min_score=min_score, where=where, limit=limit).read_all()

    def pairs_batches(
        self,
        *,
        host: str | None = None,
        langs: Langs = None,
        min_score: float | None = None,
        where: Where = None,
        limit: int | None = None,
    ) -> pa.RecordBatchReader:
        """As `pairs`, batch by batch."""
        return self._export("pairs", host=host, langs=langs, min_score=min_score, where=where, limit=limit)

    def bitext(
        self,
        *,
        host: str | None = None,
        langs: Langs = None,
        min_score: float | None = None,
        where: Where = None,
        keep_all: bool = False,
        join: int | None = None,
        detect: bool = False,
        limit: int | None = None,
    ) -> pa.Table:
        """The sentence pairs: texts, languages, score, URLs, where in which archive each side stands, and what they are filtered by.

        With `keep_all`, those too that were left out, with the `reason`; with `join`, those that follow one another are joined, up to
        so many characters a side; with `detect`, the languages that the texts are in by themselves, which takes long. The guide of
        the program explains the columns (Filtering bitext).
        """
        return self.bitext_batches(
            host=host,
            langs=langs,
            min_score=min_score,
            where=where,
            keep_all=keep_all,
            join=join,
            detect=detect,
            limit=limit,
        ).read_all()

    def bitext_batches(
        self,
        *,
        host: str | None = None,
        langs: Langs = None,
        min_score: float | None = None,
        where: Where = None,
        keep_all: bool = False,
        join: int | None = None,
        detect: bool = False,
        limit: int | None = None,
    ) -> pa.RecordBatchReader:
        """As `bitext`, batch by batch: for a bitext that is larger than memory."""
        return self._export(
            "bitext",
            host=host,
            langs=langs,
            min_score=min_score,
            where=where,
            keep_all=keep_all,
            join=join,
            detect=detect,
            limit=limit,
        )

    def documents(
        self,
        *,
        host: str | None = None,
        langs: Langs = None,
        min_score: float | None = None,
        where: Where = None,
        keep_all: bool = False,
        limit: int | None = None,
    ) -> pa.Table:
        """The pairs of pages with their titles and texts, and the aligned sentences of each as a list in `sentences`."""
        return self.documents_batches(
            host=host, langs=langs, min_score=min_score, where=where, keep_all=keep_all, limit=limit
        ).read_all()

    def documents_batches(
        self,
        *,
        host: str | None = None,
        langs: Langs = None,
        min_score: float | None = None,
        where: Where = None,
        keep_all: bool = False,
        limit: int | None = None,
    ) -> pa.RecordBatchReader:
        """As `documents`, batch by batch."""
        return self._export("documents", host=host, langs=langs, min_score=min_score, where=where, keep_all=keep_all, limit=limit)

    def units(
        self,
        *,
        host: str | None = None,
        langs: Langs = None,
        min_score: float | None = None,
        where: Where = None,
        limit: int | None = None,
    ) -> pa.Table:
        """The sentences of documents that stand in several languages: a row has the texts of one sentence in all of them, in `texts`."""
        return self.units_batches(host=host, langs=langs, min_score=min_score, where=where, limit=limit).read_all()

    def units_batches(
        self,
        *,
        host: str | None = None,
        langs: Langs = None,
        min_score: float | None = None,
        where: Where = None,
        limit: int | None = None,
    ) -> pa.RecordBatchReader:
        """As `units`, batch by batch."""
        return self._export("units", host=host, langs=langs, min_score=min_score, where=where, limit=limit)

    def pages(
        self, *, host: str | None = None, langs: Langs = None, where: Where = None, limit: int | None = None
    ) -> pa.Table:
        """The pages with their texts, whether they are paired or not: `url lang title text tags date archive offset`."""
        return self.pages_batches(host=host, langs=langs, where=where, limit=limit).read_all()

    def pages_batches(
        self, *, host: str | None = None, langs: Langs = None, where: Where = None, limit: int | None = None
    ) -> pa.RecordBatchReader:
        """As `pages`, batch by batch."""
        return self._export("pages", host=host, langs=langs, where=where, limit=limit)

    def keys(self, *, host: str | None = None, weak: bool = False, limit: int | None = None) -> pa.Table:
        """The keys, the strongest first, with the columns of `diglot keys`; with `weak`, those too that match too few pairs."""
        return self._listing("keys", KEYS, host=host, weak=weak, limit=limit)

    def hosts(self, *, host: str | None = None, sort: HostOrder = "pairs", limit: int | None = None) -> pa.Table:
        """The hosts: `host domain pages pairs credibility langs`, and with `sort="rank"` their PageRank as `rank`.

        `langs` is a map from languages to numbers of pages; `und` counts pages of no known language, and untranslated copies.
        """
        schema = _HOSTS.append(_required("rank", pa.float64())) if sort == "rank" else _HOSTS
        hosts = self._listing("hosts", schema, host=host, sort=sort, limit=limit)
        at = hosts.schema.get_field_index("langs")
        langs = counts_by_name(row.as_py() for row in hosts.column("langs"))
        return hosts.set_column(at, pa.field("langs", langs.type, nullable=False), langs)

    def explain(self, url: str, other: str | None = None) -> dict[str, Any]:
        """Why a page was or was not paired or, with `other`, why two pages are or are not a pair.

        The object of `diglot explain --format json`: `pages` with the facts and the `verdict` of each, and `pair` for the two. A
        page that the store does not have is a `DiglotError`, which names the nearest that it has.
        """
        arguments = [*self._command("explain", format="json"), "--", url]
        explanation: dict[str, Any] = json.loads(Answer(arguments + ([] if other is None else [other])).read())
        return explanation

    def status(self, *, archives: bool = False) -> pa.Table:
        """The stages, what the store holds, and what was left out and why, as rows of `what name count detail`.

        With `archives`, each archive and each input that was skipped too.
        """
        return self._listing("status", _STATUS, archives=archives)

    def counts(self) -> dict[str, int]:
        """What the store holds: numbers of `archives`, `pages`, `hosts`, `pairs`, `sentence_pairs` and more, from `status`."""
        rows = self.status().to_pylist()
        return {row["name"].replace(" ", "_"): row["count"] for row in rows if row["what"] == "total"}

    def _command(self, name: str, **settings: Setting) -> list[str]:
        return [name, f"--store={self.path}", *options(settings, ("archives", "detect", "keep_all", "quiet", "weak"))]

    def _export(self, what: str, **settings: Setting) -> pa.RecordBatchReader:
        return batches(self._command("export", what=what, format="arrow", **settings))

    def _listing(self, name: str, schema: pa.Schema, **settings: Setting) -> pa.Table:
        return table(self._command(name, format="json", **settings), schema)


def open_store(store: StrPath) -> Store:
    """Opens a store for questions.

    Raises `DiglotError` when there is no store, or none that this program reads.
    """
    opened = Store.at(store)
    Answer(opened._command("pairs", limit=1, quiet=True)).read()
    return opened
