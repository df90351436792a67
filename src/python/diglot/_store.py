"""A store: what it holds, as tables."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, Union

import pyarrow as pa

from ._errors import messages_of
from ._program import Answer, Setting, StrPath, options
from ._settings import Size
from ._tables import batches, counts_by_name, table, table_of

#: Two languages, `"en,fr"` or `["en", "fr"]`: the first is that of the columns that end in `_a`.
Langs: TypeAlias = Union[None, str, Iterable[str]]
#: A condition on a column, such as `"chars_a>=20"`, or several, which must all hold.
Where: TypeAlias = Union[None, str, Iterable[str]]
#: What `Store.hosts` has first.
HostOrder: TypeAlias = Literal["host", "pages", "pairs", "credibility", "rank"]


#: What `Store.export` writes.
Content: TypeAlias = Literal[
    "pairs", "bitext", "rebuild", "documents", "units", "pages", "warc", "fetch", "lexicon", "languages"
]


def required(name: str, of: pa.DataType) -> pa.Field[Any]:
    return pa.field(name, of, nullable=False)


def optional(name: str, of: pa.DataType) -> pa.Field[Any]:
    return pa.field(name, of)


KEYS = pa.schema(
    [
        *(required(name, pa.string()) for name in ("site", "field", "from", "to", "lang_a", "lang_b")),
        *(required(name, pa.int64()) for name in ("power", "assigned", "accepted")),
        pa.field("est_precision", pa.float64()),
        *(required(name, pa.float64()) for name in ("credibility", "global")),
        *(required(name, pa.string()) for name in ("state", "key", "scope")),
    ]
)
_LANGUAGES = pa.schema([required("lang", pa.string()), optional("name", pa.string()), required("pages", pa.int64())])
_HOSTS = pa.schema(
    [
        *(required(name, pa.string()) for name in ("host", "domain")),
        *(required(name, pa.int64()) for name in ("pages", "pairs")),
        required("credibility", pa.float64()),
        required("langs", pa.list_(pa.struct([*_LANGUAGES]))),
    ]
)
_DEEP = pa.schema(
    [
        *(required(name, pa.string()) for name in ("url", "lang")),
        required("chance", pa.float64()),
        optional("linked", pa.bool_()),
        required("credibility", pa.float64()),
        *(required(name, pa.string()) for name in ("key", "outcome")),
        optional("detail", pa.string()),
        required("from", pa.string()),
    ]
)
_STATUS = pa.schema(
    [
        *(required(name, pa.string()) for name in ("what", "name")),
        pa.field("count", pa.int64()),
        required("detail", pa.string()),
    ]
)


# Options without a value.
_SWITCHES = (
    *("again", "archives", "calibration", "curve", "detect", "keep_all", "lost", "quiet", "record_ids", "repair"),
    *("sample", "show_errors", "weak"),
)


def _several(paths: StrPath | Iterable[StrPath]) -> list[StrPath]:
    """Paths or names, of which one may be given by itself."""
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _stores(stores: Store | StrPath | Iterable[Store | StrPath]) -> list[str]:
    """The folders of stores, of which one may be given by itself."""
    return [folder_of(store) for store in ([stores] if isinstance(stores, (Store, str, os.PathLike)) else stores)]


def folder_of(store: Store | StrPath) -> str:
    return os.path.abspath(store.path if isinstance(store, Store) else store)


def _is_no_count(message: str) -> bool:
    """False for what an export says of rows that were written, or left out as they were asked to be: `1,234 sentence pairs left out: …`."""
    return re.match(r"[0-9,]+ ", message) is None


@dataclass(frozen=True)
class Exported:
    """What an export has written."""

    #: The file or folder.
    path: Path
    #: What the program said: rows, files and bytes, and what was left out and why.
    messages: tuple[str, ...]


@dataclass(frozen=True)
class CheckResult:
    """What a check has found."""

    #: True where nothing is damaged and nothing is lost.
    is_sound: bool
    #: The files and what depends on damage, as rows of `what name count detail`.
    rows: pa.Table
    #: What the program said, such as what to do.
    messages: tuple[str, ...]


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
        """The pages with their texts, whether they are paired or not: `url lang title text tags date archive offset`, and the `language` by name."""
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

        `langs` is a map from languages to numbers of pages; `und` counts pages of no known language, and untranslated copies, and `und-x-a`
        to `und-x-z` those in languages that nothing names, which may be others on each site.
        """
        schema = _HOSTS.append(required("rank", pa.float64())) if sort == "rank" else _HOSTS
        hosts = self._listing("hosts", schema, host=host, sort=sort, limit=limit)
        at = hosts.schema.get_field_index("langs")
        langs = counts_by_name(row.as_py() for row in hosts.column("langs"))
        return hosts.set_column(at, pa.field("langs", langs.type, nullable=False), langs)

    def languages(self, *, host: str | None = None) -> pa.Table:
        """The languages of the pages: `lang name pages`, those with the most pages first; `name` is in English, where that is known."""
        names: dict[str, str | None] = {}
        pages: Counter[str] = Counter()
        for langs in self._listing("hosts", _HOSTS, host=host).column("langs").to_pylist():
            for found in langs:
                names[found["lang"]] = found["name"]
                pages[found["lang"]] += found["pages"]
        rows = sorted(pages.items(), key=lambda row: (-row[1], row[0]))
        return pa.table([[lang for lang, _ in rows], [names[lang] for lang, _ in rows], [count for _, count in rows]], schema=_LANGUAGES)

    def explain(self, url: str, other: str | None = None) -> dict[str, Any]:
        """Why a page was or was not paired or, with `other`, why two pages are or are not a pair.

        The object of `diglot explain --format json`: `pages` with the facts and the `verdict` of each, and `pair` for the two. A
        page that the store does not have is a `DiglotError`, which names the nearest that it has.
        """
        arguments = [*self._command("explain", format="json"), "--", url]
        answer = Answer(arguments + ([] if other is None else [other]))
        try:
            explanation: dict[str, Any] = json.loads(answer.read())
        except ValueError as error:
            raise answer.broken(str(error)) from error
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

    def export(
        self,
        output: StrPath,
        *,
        what: Content | None = None,
        format: str | None = None,
        host: str | None = None,
        langs: Langs = None,
        min_score: float | None = None,
        where: Where = None,
        limit: int | None = None,
        since: StrPath | None = None,
        mark: StrPath | None = None,
        take_down: StrPath | None = None,
        not_in: Store | StrPath | Iterable[Store | StrPath] = (),
        keep_all: bool = False,
        join: int | None = None,
        detect: bool = False,
        record_ids: bool = False,
        partition_by: Literal["langs"] | None = None,
        shard_size: Size | None = None,
        split: str | Mapping[str, float] | None = None,
        compression: str | None = None,
    ) -> Exported:
        """Writes a file or folder for other tools, with the options of `diglot export`; the guide of the program explains them (Exports).

        The ending of `output` gives the format (`.tsv .csv .jsonl .parquet .arrow .tmx .warc`), `format` where it gives none, such as
        `"hf"` and `"moses"`. It appears once it is complete. `not_in` are other stores, or their folders, whose sentence pairs are left out. `split` is a map such as `{"train": 0.98, "dev": 0.01, "test": 0.01}`, or its text.
        """
        settings = {
            "what": what,
            "format": format,
            "host": host,
            "langs": langs,
            "min_score": min_score,
            "where": where,
            "limit": limit,
            "since": since,
            "mark": mark,
            "take_down": take_down,
            "not_in": _stores(not_in),
            "keep_all": keep_all,
            "join": join,
            "detect": detect,
            "record_ids": record_ids,
            "partition_by": partition_by,
            "shard_size": shard_size,
            "split": split,
            "compression": compression,
        }
        path = os.path.abspath(output)
        # A name with a separator behind it is that of a folder.
        named = path + os.sep if os.fspath(output).endswith((os.sep, os.altsep or os.sep)) else path
        said = Answer(self._command("export", output=named, **settings)).finish(warns_of=_is_no_count)
        return Exported(Path(path), tuple(messages_of(said)))

    def evaluate(
        self,
        gold: StrPath | Iterable[StrPath],
        *,
        what: Literal["pairs", "keys", "bitext"] = "pairs",
        grey: StrPath | Iterable[StrPath] = (),
        pairs: StrPath | Iterable[StrPath] = (),
        host: str | None = None,
        sample: bool = False,
        align: Literal["lengths", "words", "blocks", "all"] | None = None,
        curve: bool = False,
        calibration: bool = False,
        show_errors: bool = False,
        svg: StrPath | None = None,
    ) -> pa.Table:
        """Scores pairs, keys or sentence pairs against gold: files of it, or folders, as `diglot eval` reads them.

        The columns are those that `diglot eval` lists for `what`, with `curve` and with `calibration`; `grey` are pairs to ignore, `pairs`
        the gold pairs beside gold keys.
        """
        command = self._command(
            "eval",
            format="json",
            gold=_several(gold),
            grey=_several(grey),
            pairs=_several(pairs),
            what=what,
            host=host,
            sample=sample,
            align=align,
            curve=curve,
            calibration=calibration,
            show_errors=show_errors,
            svg=svg,
        )
        answer = Answer(command)
        try:
            return pa.Table.from_pylist(json.loads(answer.read()))
        except ValueError as error:
            raise answer.broken(str(error)) from error

    def remove(
        self,
        *,
        archives: StrPath | Iterable[StrPath] = (),
        hosts: str | Iterable[str] = (),
        urls: str | Iterable[str] = (),
        lost: bool = False,
    ) -> tuple[str, ...]:
        """Takes archives, hosts (or registrable domains) and URLs out of the store, all or nothing; gives what the program says of it.

        `run(store=…)` then makes again what depended on them, and `diglot compact` deletes their bytes. With `lost`, the store goes on without
        what damage took from it. A name that the store does not have is a `DiglotError`.
        """
        command = self._command(
            "remove", archive=_several(archives), host=_several(hosts), url=_several(urls), lost=lost
        )
        return tuple(Answer(command).read().decode(errors="replace").splitlines())

    def check(self, *, repair: bool = False) -> CheckResult:
        """Reads every byte of the store; with `repair`, drops what is damaged, so that `run(store=…)` makes it again.

        Damage is a result and no error; that there is no store, or that it cannot be read at all, is a `DiglotError`.
        """
        answer = Answer(self._command("check", format="json", repair=repair, progress="none"))
        output = answer.output.read()
        # With exit code 1 there are rows where damage was found, and none where nothing could be looked at.
        said = answer.finish(allowed=(0, 1) if output else (0,))
        try:
            rows = json.loads(output)
        except ValueError as error:
            raise answer.broken(str(error)) from error
        is_sound = all(row["what"] in ("sound", "not looked at") for row in rows) and "diglot: damage" not in said
        found = table_of("\n".join(json.dumps(row) for row in rows).encode(), _STATUS)
        return CheckResult(is_sound, found, tuple(messages_of(said)))

    def recover(
        self,
        *,
        host: str | None = None,
        index: StrPath | Iterable[StrPath] = (),
        top: int | None = None,
        min_chance: float | None = None,
        again: bool = False,
        output: StrPath | None = None,
        where: Where = None,
        limit: int | None = None,
    ) -> pa.Table:
        """The deep pages that keys name and the archives lack: `url lang chance linked credibility key outcome detail from`.

        With `output`, the missing ones are written to this file for a crawler, and count as requested from then on. `index` are indexes of
        larger archives in which missing URLs are looked up. URLs less likely than `min_chance` (0.05 by default) are left out.
        """
        return self._listing(
            "recover",
            _DEEP,
            host=host,
            index=_several(index),
            top=top,
            min_chance=min_chance,
            again=again,
            output=output,
            where=where,
            limit=limit,
        )

    def _command(self, name: str, **settings: object) -> list[str]:
        return [name, f"--store={self.path}", *options(settings, _SWITCHES)]

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
