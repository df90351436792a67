"""example_engine.py FOLDER PARTS INPUT...: the steps of `diglot exec` one after the other, as an engine runs them.

An engine deals rows out: to a step of parts the rows of one part, to `learn` and `model` those of a language pair, to `merge` those of a
bucket; it adds up patterns; and it counts. This one does so with files of Parquet in FOLDER, a task at a time. The tables come to lie there too.
"""

import json
import subprocess
import sys
from itertools import chain, count
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from diglot._program import program

folder, parts, inputs = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
numbers = count()
folder.mkdir(parents=True, exist_ok=True)


def step(name: str, rows: pa.Table | None = None, *sides: pa.Table, options: tuple[str, ...] = ()) -> pa.Table:
    """Runs a step on rows, with other rows beside."""
    number = next(numbers)

    def written(what: str, rows: pa.Table) -> str:
        path = folder / f"{number:03}-{name}.{what}.parquet"
        pq.write_table(rows, path)
        return str(path)

    given = [] if rows is None else ["--input", written("in", rows)]
    beside = [f"--with={written(f'with-{at}', side)}" for at, side in enumerate(sides) if side.num_rows]
    out = str(folder / f"{number:03}-{name}.out.parquet")
    ended = subprocess.run([program(), "exec", name, *given, *beside, "-o", out, *options], stderr=subprocess.PIPE, text=True)
    report = json.loads(ended.stderr.splitlines()[-1])
    if ended.returncode != 0:
        sys.exit(f"{name}: {report['error']}")
    made = pq.read_table(out)
    if report["rows_in"] != (rows.num_rows if rows else 0) or sum(report["rows_out"].values()) != made.num_rows:
        sys.exit(f"{name}: rows were lost")
    return made


def of(rows: pa.Table, *kinds: str) -> pa.Table:
    return rows.filter(pc.is_in(rows["kind"], pa.array(kinds)))


def each(name: str, rows: pa.Table, by: str, *sides: pa.Table, options: tuple[str, ...] = ()) -> pa.Table:
    """Runs a step on the rows of each part, or of each name."""
    groups = [rows.filter(pc.equal(rows[by], value)) for value in rows[by].unique()]
    found = [step(name, group, *sides, options=options) for group in groups]
    return pa.concat_tables(found) if found else rows.slice(0, 0)


def with_column(rows: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return rows.set_column(rows.column_names.index(name), rows.schema.field(name), values)


named = step("inputs", options=tuple(inputs))
read = each("pages", of(named, "input"), "name")
pages, archives = of(read, "page"), of(read, "archive")
# In the place of a part stands a hash of the site, and all rows of a site come to one part.
pages = with_column(pages, "part", pa.array([value % parts for value in pages["part"].to_pylist()], pa.int32()))

keys = each("keys", pages, "part", archives)
sums: dict[str, tuple[int, int]] = {}
for row in of(keys, "pattern").to_pylist():
    number, sites = sums.get(row["name"], (0, 0))
    sums[row["name"]] = (number + row["number"], sites + row["count"])
patterns = pa.Table.from_pylist(
    [{"part": -1, "kind": "pattern", "name": name, "number": n, "count": c} for name, (n, c) in sums.items()], keys.schema
)

rescued = each("rescue", of(keys, "store"), "part", patterns, of(keys, "language"))
training = step("sample", of(rescued, "training"))
learnt = each("learn", each("lessons", of(rescued, "store"), "part", training), "name")
judged = each("judge", of(rescued, "store"), "part", learnt)
chosen = step("sample", of(judged, "page_pair"))
models = each("model", each("texts", of(judged, "store"), "part", chosen), "name", learnt)
aligned = each("align", of(judged, "store"), "part", models, options=(f"--buckets={parts}",))
shared = each("merge", of(aligned, "bead"), "part")
last = each("finish", pa.concat_tables([of(aligned, "store"), shared]), "part", options=("--what=pairs,bitext,keys",))

for table in ("pairs", "bitext"):
    # Each row has some rows of a table, packed as a stream of Arrow; those of keys are lines of JSON.
    streams = [pa.ipc.open_stream(row["data"]) for row in of(last, table).to_pylist()]
    pq.write_table(pa.Table.from_batches(chain.from_iterable(streams)), folder / f"{table}.parquet")
lines = b"".join(row["data"] for row in of(last, "keys").to_pylist())
(folder / "keys.jsonl").write_bytes(lines)
