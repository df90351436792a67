"""Answers as Arrow: streams of record batches, and tables of JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

import pyarrow as pa
import pyarrow.json

from ._errors import DiglotError
from ._program import Answer

# What every Arrow stream ends with that was written to its end.
_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"


class Tail(io.RawIOBase):
    """Passes on what it reads, and remembers its end: readers of Arrow take a stream for whole that is cut between batches."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._last = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size)
        self._last = (self._last + data[-len(_END) :])[-len(_END) :]
        return data

    def is_whole(self) -> bool:
        """True when the stream was written to its end."""
        return self._last == _END


def batches(arguments: Iterable[str]) -> pa.RecordBatchReader:
    """The record batches that a command writes, as they come.

    Raises `DiglotError`, here or at a later batch, when the command fails or its output is cut.
    """
    answer = Answer(arguments)
    tail = Tail(answer.output)
    try:
        reader = pa.ipc.open_stream(tail)
    except pa.ArrowException as error:
        raise _failed(answer, error) from error
    return pa.RecordBatchReader.from_batches(reader.schema, _whole(answer, tail, reader))


def _whole(answer: Answer, tail: Tail, reader: Any) -> Iterator[pa.RecordBatch]:
    try:
        while True:
            try:
                batch = reader.read_next_batch()
            except StopIteration:
                break
            except (pa.ArrowException, OSError) as error:
                raise _failed(answer, error) from error
            yield batch
        answer.finish()
        if not tail.is_whole():
            raise answer.broken("it has no end")
    finally:
        answer.close()


def _failed(answer: Answer, error: Exception) -> DiglotError:
    """Why an output cannot be read: the error of the command, where it has one."""
    try:
        answer.finish()
    except DiglotError as failed:
        return failed
    return answer.broken(str(error))


def table(arguments: Iterable[str], schema: pa.Schema) -> pa.Table:
    """The table that a command writes as one JSON array, with exactly these columns: lines that are cut would be a short table."""
    answer = Answer(arguments)
    try:
        rows = json.loads(answer.read())
    except ValueError as error:
        raise answer.broken(str(error)) from error
    if not rows:
        return schema.empty_table()
    try:
        return table_of("\n".join(json.dumps(row) for row in rows).encode(), schema)
    except pa.ArrowException as error:
        raise answer.broken(str(error)) from error


def table_of(lines: bytes, schema: pa.Schema) -> pa.Table:
    """The table of JSON Lines with exactly these columns."""
    how = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    return pa.json.read_json(io.BytesIO(lines), parse_options=how).cast(schema)


def counts_by_name(rows: Iterable[list[dict[str, Any]]]) -> pa.Array[Any]:
    """Lists of languages with their numbers of pages, as maps."""
    counts = [[(lang["lang"], lang["pages"]) for lang in row] for row in rows]
    return pa.array(counts, pa.map_(pa.string(), pa.int64()))
