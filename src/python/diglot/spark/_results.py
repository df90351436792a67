"""The tables of a run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import TaskContext

from .._errors import DiglotError
from .._store import KEYS
from .._tables import table_of
from ._rows import is_as_written
from ._task import TaskError

# What waits to be written by a task, at the most: row groups are long then.
_WAITING_BYTES = 64 << 20
# Those of columns whose values may be missing.
_MAYBE = (
    *("paragraph_a", "sentence_a", "paragraph_b", "sentence_b", "page_pairs", "targets", "sources", "scorer"),
    *("reason", "block_a", "block_b", "kind_a", "kind_b", "near_a", "near_b"),
    *("machine_translated_a", "machine_translated_b", "original", "opt_out_a", "opt_out_b", "license_a", "license_b"),
    *("machine_translated", "opt_out", "license", "record_id", "payload_digest", "date", "date_a", "date_b"),
    *("record_id_a", "record_id_b", "payload_digest_a", "payload_digest_b", "kind", "paragraph", "sentence", "language"),
)


def _fields(columns: dict[str, pa.DataType]) -> list[pa.Field]:
    return [pa.field(name, of, nullable=name in _MAYBE) for name, of in columns.items()]


def _required(**columns: pa.DataType) -> pa.Schema:
    return pa.schema(_fields(columns))


def _list(of: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", of, nullable=False))


def _rows(**columns: pa.DataType) -> pa.DataType:
    return _list(pa.struct(_fields(columns)))


_T, _L, _I, _R, _B = pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.bool_()
# URLs of page pairs.
_U = _rows(url_a=_T, url_b=_T)
_TYPES = {_T: "string", _I: "int", _L: "bigint", _R: "double", _B: "boolean"}
# What rows are known by, where they are from, and what pages say of themselves.
_SAID = {"id": _T, "domain": _T} | {
    name: _T
    for name in ("machine_translated_a", "machine_translated_b", "original", "opt_out_a", "opt_out_b", "license_a", "license_b")
}
_PLACE = {name: of for name, of in [("archive_a", _T), ("archive_b", _T), ("offset_a", _L), ("offset_b", _L)]}
_RECORDS = {name: _T for name in ("record_id_a", "record_id_b", "payload_digest_a", "payload_digest_b")}
_SENTENCES = _rows(
    text_a=_T, text_b=_T, score=_R, paragraph_a=_I, sentence_a=_I, count_a=_I, paragraph_b=_I, sentence_b=_I, count_b=_I, reason=_T
)
#: The columns of each table, as those of the same names of `diglot.Store` and of `diglot export`.
TABLES = {
    "pairs": _required(url_a=_T, url_b=_T, lang_a=_T, lang_b=_T, score=_R, method=_T, key=_T, scorer=_R, **_SAID),
    "bitext": _required(
        text_a=_T,
        text_b=_T,
        lang_a=_T,
        lang_b=_T,
        score=_R,
        url_a=_T,
        url_b=_T,
        others=_I,
        reason=_T,
        page_score=_R,
        archive_a=_T,
        offset_a=_L,
        block_a=_T,
        archive_b=_T,
        offset_b=_L,
        block_b=_T,
        kind_a=_T,
        kind_b=_T,
        paragraph_a=_I,
        sentence_a=_I,
        count_a=_I,
        paragraph_b=_I,
        sentence_b=_I,
        count_b=_I,
        chars_a=_I,
        chars_b=_I,
        near_a=_T,
        near_b=_T,
        page_pairs=_I,
        furniture=_B,
        email=_B,
        phone=_B,
        targets=_I,
        sources=_I,
        scorer=_R,
        also=_U,
        **_SAID,
    ),
    "keys": KEYS,
    "documents": _required(
        url_a=_T,
        url_b=_T,
        lang_a=_T,
        lang_b=_T,
        score=_R,
        method=_T,
        key=_T,
        page_score=_R,
        title_a=_T,
        title_b=_T,
        text_a=_T,
        text_b=_T,
        tags_a=_list(_T),
        tags_b=_list(_T),
        date_a=_T,
        date_b=_T,
        **_PLACE,
        **_SAID,
        **_RECORDS,
        sentences=_SENTENCES,
    ),
    "pages": _required(
        url=_T,
        lang=_T,
        title=_T,
        text=_T,
        tags=_list(_T),
        date=_T,
        archive=_T,
        offset=_L,
        id=_T,
        domain=_T,
        machine_translated=_T,
        opt_out=_T,
        license=_T,
        record_id=_T,
        payload_digest=_T,
        language=_T,
    ),
    "units": _required(
        unit=_T,
        document=_T,
        langs=_T,
        languages=_I,
        score=_R,
        contradictions=_I,
        repeated=_B,
        texts=_rows(lang=_T, text=_T, url=_T, kind=_T, paragraph=_I, sentence=_I, count=_I, archive=_T, offset=_L),
        pairs=_rows(lang_a=_T, lang_b=_T, score=_R),
    ),
    "fetch": _required(warc_filename=_T, offset=_L, length=_L, url=_T),
    "explore": _required(site=_T, linkout=_L, pagerank=_R, weighted=_R, seeds=_L, links=_L),
}
# Tables of pairs are partitioned: a row lies in the folder of its language pair.
_OF_PAIRS = ("pairs", "bitext", "keys", "documents")
# Tables whose rows the program writes as objects of JSON.
_OF_JSON = ("keys", "explore")


def partitions(table: str) -> list[str]:
    """The columns that say in which folder a row lies."""
    return ["langs"] if table in _OF_PAIRS else []


def columns(table: str) -> str:
    """The columns for Spark, those of partitions last."""
    of_rows = [f"`{field.name}` {_type(field.type)}" for field in TABLES[table]]
    return ", ".join([*of_rows, *(f"{name} string" for name in partitions(table))])


def _type(of: pa.DataType) -> str:
    if pa.types.is_list(of):
        return f"array<{_type(of.value_type)}>"
    if pa.types.is_struct(of):
        return f"struct<{', '.join(f'`{field.name}`: {_type(field.type)}' for field in of)}>"
    return _TYPES[of]


@dataclass(frozen=True)
class Unpacked:
    """The rows of a table out of the streams that the program packs them into, as a function for `mapInArrow`."""

    table: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        of_folder = partitions(self.table)
        names = [*TABLES[self.table].names, *of_folder]
        for langs, table in _unpacked(self.table, batches):
            for rows in table.to_batches():
                more = [pa.repeat(langs, rows.num_rows) for _ in of_folder]
                yield pa.RecordBatch.from_arrays([*rows.columns, *more], names=names)


@dataclass(frozen=True)
class Filed:
    """The same, written into files of a folder that all machines see, which takes a tenth of the time that Spark takes for it.

    The rows that come are the numbers of those in each file. A task that is run twice writes the same files, and none that is cut.
    """

    table: str
    folder: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        files = _Files(self.table, self.folder, f"part-{context.partitionId():05}.parquet", context.taskAttemptId())
        try:
            for langs, rows in _unpacked(self.table, batches):
                files.add(langs if partitions(self.table) else "", rows)
            counts = files.done()
        finally:
            files.drop()
        if counts:
            yield pa.RecordBatch.from_arrays([pa.array(counts), pa.array(counts.values(), pa.int64())], names=["langs", "count"])


class _Files:
    """Files of one task: one, or one a language pair."""

    def __init__(self, table: str, folder: str, name: str, attempt: int) -> None:
        self._schema, self._folder, self._name = TABLES[table], folder, name
        self._unfinished = f".{name}.{attempt}"
        self._waiting: dict[str, list[pa.Table]] = {}
        self._bytes: dict[str, int] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._counts: dict[str, int] = {}

    def add(self, langs: str, rows: pa.Table) -> None:
        self._waiting.setdefault(langs, []).append(rows)
        self._bytes[langs] = self._bytes.get(langs, 0) + rows.nbytes
        self._counts[langs] = self._counts.get(langs, 0) + rows.num_rows
        if sum(self._bytes.values()) > _WAITING_BYTES:
            self._write(max(self._bytes, key=self._bytes.__getitem__))

    def _write(self, langs: str) -> None:
        """A row group of what waits."""
        writer = self._writers.get(langs)
        if writer is None:
            os.makedirs(self._path(langs, ""), exist_ok=True)
            writer = self._writers[langs] = pq.ParquetWriter(self._path(langs, self._unfinished), self._schema, compression="zstd")
        writer.write_table(pa.concat_tables(self._waiting.pop(langs)))
        del self._bytes[langs]

    def done(self) -> dict[str, int]:
        """Gives the files their names; how many rows each has."""
        for langs in list(self._waiting):
            self._write(langs)
        for langs, writer in self._writers.items():
            writer.close()
            os.replace(self._path(langs, self._unfinished), self._path(langs, self._name))
        self._writers.clear()
        return self._counts

    def drop(self) -> None:
        """Takes away what is not done."""
        for langs, writer in self._writers.items():
            # A full disk is told by what came first.
            with suppress(Exception):
                writer.close()
            with suppress(FileNotFoundError):
                os.remove(self._path(langs, self._unfinished))

    def _path(self, langs: str, name: str) -> str:
        return os.path.join(self._folder, f"langs={langs}" if langs else "", name)


def _unpacked(table: str, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, pa.Table]]:
    for batch in batches:
        columns = [batch[name] for name in ("name", "number", "count", "data", "check")]
        for name, number, count, data, check in zip(*columns):
            if not is_as_written(table, name.as_py(), number.as_py(), count.as_py(), data.as_buffer(), check.as_py()):
                raise TaskError("tables", f"{table} of {name}", DiglotError("a row is not as it was written", 3))
            found = _read(table, data.as_buffer())
            if found.num_rows != count.as_py():
                error = DiglotError(f"{found.num_rows} rows came of the {count} that it should have", 3)
                raise TaskError("tables", f"{table} of {name}", error)
            yield name.as_py(), found


def _read(table: str, data: pa.Buffer) -> pa.Table:
    if table in _OF_JSON:
        return table_of(data.to_pybytes(), TABLES[table])
    return pa.ipc.open_stream(data).read_all().cast(TABLES[table])
