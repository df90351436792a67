"""The rows that steps pass to each other, and how Spark deals them out."""

from __future__ import annotations

import struct
import zlib
from itertools import count

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

#: What every step reads and writes, as Arrow.
SCHEMA = pa.schema(
    [
        pa.field("part", pa.int32(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("number", pa.int64(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
        pa.field("data", pa.binary()),
        # CRC-32 of all but the part; none in rows that Spark makes.
        pa.field("check", pa.int64()),
    ]
)
#: The same for Spark.
COLUMNS = "part int, kind string, name string, number bigint, count bigint, data binary, check bigint"
#: What a task tells of itself, among the rows that it writes.
REPORT = "report"

_SEED = 42
_MASK = 0xFFFFFFFF


def deal(rows: DataFrame, parts: int, first: int = 0) -> DataFrame:
    """Has each part be one task: what has the number `first + n` in `part` comes to the task `n`."""
    return rows.repartition(parts, numbers(slots(parts))[F.col("part") - first])


def numbered(spark: SparkSession, rows: DataFrame, giants: list[int], parts: int) -> DataFrame:
    """Rows with the numbers of parts in the place of hashes of sites."""
    others = parts - len(giants)
    number = F.pmod(F.col("part"), F.lit(max(others, 1))) + len(giants)
    if giants:
        at = spark.range(len(giants)).select(numbers(giants)[F.col("id")].cast("int").alias("part"), F.col("id").alias("giant"))
        rows = rows.join(F.broadcast(at), "part", "left")
        number = F.coalesce(F.col("giant"), number)
    return rows.select(number.cast("int").alias("part"), "kind", "name", "number", "count", "data", "check")


def is_as_written(kind: str, name: str, number: int, count: int, data: bytes, check: int | None) -> bool:
    """Whether a row is the one that the program wrote."""
    crc = zlib.crc32(name.encode(), zlib.crc32(kind.encode()))
    crc = zlib.crc32(data, zlib.crc32(struct.pack("<qq", number, count), crc))
    return check is None or crc == check


def numbers(values: list[int]) -> Column:
    """A list as one constant of a query, however long it is."""
    return F.split(F.lit(",".join(map(str, values))), ",").cast("array<bigint>")


def slots(parts: int) -> list[int]:
    """For each number below `parts`, one that Spark's hash sends to the task of that number."""
    found: dict[int, int] = {}
    for slot in count():
        if len(found) == parts:
            break
        found.setdefault(spark_hash(slot) % parts, slot)
    return [found[part] for part in range(parts)]


def spark_hash(value: int) -> int:
    """The hash of a `bigint` that `repartition` goes by: Murmur3."""
    mixed = _SEED
    for half in (value & _MASK, value >> 32 & _MASK):
        half = _turned(half * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK
        mixed = (_turned(mixed ^ half, 13) * 5 + 0xE6546B64) & _MASK
    mixed ^= 8
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _MASK
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _MASK
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _turned(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & _MASK
