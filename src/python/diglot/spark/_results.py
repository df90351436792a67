"""The tables of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from .._errors import DiglotError
from .._store import KEYS
from .._tables import table_of
from ._task import TaskError

_TYPES = {pa.string(): "string", pa.int32(): "int", pa.int64(): "bigint", pa.float64(): "double"}


def _required(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, of, nullable=False) for name, of in columns.items()])


_T, _L, _I, _R = pa.string(), pa.int64(), pa.int32(), pa.float64()
#: The columns of each table, as those of the same names of `diglot.Store`.
TABLES = {
    "pairs": _required(url_a=_T, url_b=_T, lang_a=_T, lang_b=_T, score=_R, method=_T, key=_T),
    "bitext": _required(
        text_a=_T,
        text_b=_T,
        lang_a=_T,
        lang_b=_T,
        score=_R,
        url_a=_T,
        url_b=_T,
        page_score=_R,
        archive_a=_T,
        offset_a=_L,
        block_a=_T,
        archive_b=_T,
        offset_b=_L,
        block_b=_T,
        others=_I,
        reason=_T,
    ),
    "keys": KEYS,
}


def columns(table: str) -> str:
    """The columns for Spark; the last says the language pair, and in which folder a row lies."""
    return ", ".join(f"`{field.name}` {_TYPES[field.type]}" for field in TABLES[table]) + ", langs string"


@dataclass(frozen=True)
class Unpacked:
    """The rows of a table out of the streams that the program packs them into, as a function for `mapInArrow`."""

    table: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schema = TABLES[self.table]
        for batch in batches:
            for name, count, data in zip(batch["name"], batch["count"], batch["data"]):
                found = self._unpacked(data.as_buffer(), schema)
                if found.num_rows != count.as_py():
                    error = DiglotError(f"{found.num_rows} rows came of the {count} that it should have")
                    raise TaskError("tables", f"{self.table} of {name}", error)
                for rows in found.to_batches():
                    langs = pa.repeat(name, rows.num_rows)
                    yield pa.RecordBatch.from_arrays([*rows.columns, langs], names=[*schema.names, "langs"])

    def _unpacked(self, data: pa.Buffer, schema: pa.Schema) -> pa.Table:
        if self.table == "keys":
            return table_of(data.to_pybytes(), schema)
        return pa.ipc.open_stream(data).read_all().cast(schema)
