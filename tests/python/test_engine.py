"""The engine of the documentation gives what a run gives."""

import json
import pathlib
import subprocess
import sys

import diglot
import pyarrow as pa
import pyarrow.parquet as pq
from conftest import ROOT
from diglot._program import program

SCRIPT = pathlib.Path(__file__).resolve().parent / "example_engine.py"
SITES = ROOT / "data" / "sites"


def test_the_engine_of_the_documentation_gives_what_a_run_gives(tmp_path: pathlib.Path) -> None:
    inputs = [str(SITES / "webserver.warc.gz"), str(SITES / "packaging")]
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path / "work"), "2", *inputs], check=True)
    store = diglot.run(inputs, store=tmp_path / "store").store
    for what in ["pairs", "bitext"]:
        command = [program(), "export", "-q", "--store", str(store.path), "--what", what, "-o", str(tmp_path / f"{what}.parquet")]
        subprocess.run(command, check=True)
        expected = pq.read_table(tmp_path / f"{what}.parquet").replace_schema_metadata(None)
        found = pq.read_table(tmp_path / "work" / f"{what}.parquet").replace_schema_metadata(None)
        # Lists have no order.
        order = [(field.name, "ascending") for field in expected.schema if not pa.types.is_list(field.type)]
        assert found.sort_by(order) == expected.sort_by(order), what
    keys = [json.loads(line) for line in (tmp_path / "work" / "keys.jsonl").read_text().splitlines()]
    assert sorted(map(str, keys)) == sorted(map(str, store.keys().to_pylist()))
    assert len(keys) >= 9


def test_every_step_says_what_it_is_not_given(tmp_path: pathlib.Path) -> None:
    named = tmp_path / "named.parquet"
    subprocess.run([program(), "exec", "inputs", str(SITES / "webserver.warc.gz"), "-o", str(named)], check=True, capture_output=True)
    for options, code, why in [
        (["pages", f"--input={named}", "-o", str(tmp_path / "pages.csv")], 2, "expected one of .parquet"),
        (["keys", f"--input={named}", f"--with={named}", "-o", str(tmp_path / "keys.parquet")], 3, "expects archive"),
        (["pages", f"--input={named}", f"--with={named}", "-o", str(tmp_path / "p.parquet")], 3, "expects no --with"),
    ]:
        ended = subprocess.run([program(), "exec", *options], capture_output=True, text=True)
        assert ended.returncode == code, ended.stderr
        assert why in ended.stderr
