"""A small stand-in for `diglot exec`, which fails when it is told to: `faults.json` beside it says at which step, and how.

Its archives are text files with a site and a number of captures on each line.
"""

import json
import os
import pathlib
import signal
import sys
import time
import zlib
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

Row = tuple[int, str, str, int, int, bytes | None]
FOLDER = pathlib.Path(__file__).resolve().parent
TABLES = ("pairs", "bitext", "keys")


def schema_of(kind: str) -> pa.Schema:
    """The columns of rows, or of a table, which lie beside this program."""
    return pa.ipc.read_schema(pa.memory_map(str(FOLDER / f"{kind}.schema")))


def number_of(text: str) -> int:
    return zlib.crc32(text.encode()) & 0x7FFFFFFF


# The options that steps depend on, by the first ones of them.
SETTINGS = {"pages": "--max-record-bytes", "keys": "--langs", "judge": "--min-score", "align": "--preset"}


def settings(options: list[str]) -> Iterator[Row]:
    for name, option in SETTINGS.items():
        yield -1, "settings", name, number_of(str([given for given in options if given.startswith(option)])), 1, None


def inputs(names: list[str]) -> Iterator[Row]:
    for number, name in enumerate(names):
        path = os.path.abspath(name)
        yield -1, "input", path, number, os.path.getsize(path), None


def pages(rows: list[Row]) -> Iterator[Row]:
    for _, _, name, number, _, data in rows:
        text = pathlib.Path(name if data is None else data.decode()).read_text()
        if text.startswith("no archive"):
            yield -1, "refused", name, number, 0, b"no archive"
            continue
        sites = [line.split() for line in text.splitlines()]
        for site, captures in sites:
            yield number_of(site), "page", site, number, int(captures), site.encode() * int(captures)
        yield -1, "archive", name, number, len(sites) + 1, b""
        yield -1, "skipped", "request record", number, 2, None


def finish(rows: list[Row]) -> Iterator[Row]:
    sites = {row[2] for row in rows if row[1] == "store"}
    shared = {row[2] for row in rows if row[1] == "shared"}
    if sites != shared:
        sys.exit(f"{sites} had {shared}")
    for kind in TABLES:
        schema = schema_of(kind)
        for langs in ["de-en", "en-fr"]:
            count = len(sites)
            values = {pa.string(): sorted(sites), pa.float64(): [0.5] * count, pa.bool_(): [True] * count}
            columns = [pa.array(values.get(field.type, [[] if pa.types.is_list(field.type) else 1] * count), field.type) for field in schema]
            table = pa.RecordBatch.from_arrays(columns, schema=schema)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, schema) as writer:
                writer.write_batch(table)
            lines = "".join(json.dumps(row) + "\n" for row in table.to_pylist())
            data = lines.encode() if kind == "keys" else sink.getvalue().to_pybytes()
            yield rows[0][0], kind, langs, 0, len(sites), data


def made(step: str, rows: list[Row], side: list[str], buckets: int) -> Iterator[Row]:
    """What a step makes: a row for each of a kind, so that none gets lost unseen."""
    if step == "pages":
        yield from pages(rows)
    elif step == "finish":
        yield from finish(rows)
    elif step == "merge":
        yield from ((row[3], "shared", row[2], 0, 0, None) for row in rows)
    elif step in {"learn", "model"}:
        kind = "learnt" if step == "learn" else step
        yield from ((-1, kind, name, 0, 0, b"") for name in sorted({row[2] for row in rows}))
    elif step == "sample":
        yield (-1, "chosen", "", 0, len(rows), b"") if "--partial" not in sys.argv else rows[0]
    else:
        if not side:
            sys.exit("there is nothing with it")
        kept = step in {"keys", "rescue", "judge", "align"}
        more = {"rescue": "training", "lessons": "lesson", "judge": "page_pair", "texts": "text"}
        for part, _, name, number, count, data in rows:
            if kept:
                yield part, "store", name, number, count, data
            if step == "keys":
                yield -1, "pattern", "path:en:fr", count, 1, None
            elif step == "align":
                yield number_of(name) % buckets, "bead", name, part, 0, None
            else:
                yield part, more[step], ["en-fr", "de-en"][number_of(name) % 2], number, 0, b""


def fault(step: str, part: int, name: str) -> str:
    """What goes wrong here, if anything."""
    plan = FOLDER / "faults.json"
    for at, wrong in enumerate(json.loads(plan.read_text()) if plan.exists() else []):
        if wrong["step"] == step and wrong.get("part", part) == part and wrong.get("name", name) == name:
            for time_ in range(wrong.get("times", 99)):
                try:
                    (FOLDER / f"fault-{at}-{time_}").touch(exist_ok=False)
                except FileExistsError:
                    continue
                return str(wrong["what"])
    return ""


def main(step: str, arguments: list[str]) -> None:
    options = [argument for argument in arguments if argument.startswith("--")]
    if "--wrong=yes" in options:
        print('{"diglot.exec":1,"step":"inputs","error":"unexpected argument \'--wrong\'","exit":2}', file=sys.stderr)
        sys.exit(2)
    side = [option.split("=", 1)[1] for option in options if option.startswith("--with=")]
    if missing := [path for path in side if not os.path.exists(path)]:
        sys.exit(f"no such file: {missing}")
    buckets = next((int(option.split("=")[1]) for option in options if option.startswith("--buckets=")), 1)
    if step == "inputs":
        rows, wrong = [], ""
        out = [*settings(options), *inputs(arguments[arguments.index("--") + 1 :])]
    else:
        table = pa.ipc.open_stream(sys.stdin.buffer).read_all()
        rows = [tuple(row.values())[:6] for row in table.to_pylist()]
        if step not in {"pages", "sample", "learn", "model", "merge"} and len({row[0] for row in rows}) != 1:
            sys.exit("rows of several parts")
        wrong = fault(step, rows[0][0], rows[0][2])
        out = list(made(step, rows, side, buckets))
    with (FOLDER / "log").open("a") as log:
        log.write(f"{step} {rows[0][0] if rows else -1} {len(rows)} {wrong}\n")
    if wrong == "sleep":
        (FOLDER / "asleep").write_text(str(os.getpid()))
        time.sleep(600)
    if wrong == "over memory":
        print('{"diglot.exec":1,"step":"%s","error":"2G of 1G","exit":5}' % step, file=sys.stderr)
        sys.exit(5)
    write(out, wrong)
    counts: dict[str, int] = {}
    for row in out:
        counts[row[1]] = counts.get(row[1], 0) + 1
    said: dict[str, Any] = {"diglot.exec": 1, "step": step, "rows_in": len(rows), "rows_out": counts, "left_out": {}}
    if wrong == "short report":
        said["rows_in"] -= 1
    if wrong != "no report":
        print(json.dumps(said), file=sys.stderr)


def write(rows: list[Row], wrong: str) -> None:
    schema = schema_of("rows")
    sink = pa.BufferOutputStream()
    columns = zip(*((*row, None) for row in rows)) if rows else [[] for _ in schema]
    arrays = [pa.array(list(column), field.type) for column, field in zip(columns, schema)]
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in pa.Table.from_arrays(arrays, schema=schema).to_batches(max_chunksize=2):
            writer.write_batch(batch)
    stream = sink.getvalue().to_pybytes()
    if wrong == "no end":
        stream = stream[:-8]
    elif wrong == "cut":
        stream = stream[: len(stream) // 2]
    elif wrong == "killed":
        sys.stdout.buffer.write(stream[:400])
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdout.buffer.write(stream)
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[2], sys.argv[3:])
