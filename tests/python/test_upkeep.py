"""What is made of stores, and what is done to them, in the words of the program."""

import inspect
import pathlib
import re
import shutil
import subprocess
import warnings
from typing import Any, get_type_hints

import diglot
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT
from diglot._program import program

SITES = ROOT / "data" / "sites"
GOLD = ROOT / "data" / "gold"


def flags(command: str) -> set[str]:
    """The long options of a command, as keywords."""
    text = subprocess.run([program(), command, "--help"], check=True, capture_output=True, text=True).stdout
    options = [line.split("--")[1] for line in text.splitlines() if line.lstrip().startswith("-") and "--" in line]
    names = {re.split(r"[ \[,]", option)[0].replace("-", "_") for option in options if " <" in option or "  " not in option}
    return names - {"help"}


def copy_of(store: diglot.Store, folder: pathlib.Path) -> diglot.Store:
    return diglot.Store.at(shutil.copytree(store.path, folder / "copy"))


#: Options of all commands that have a place of their own in Python.
GLOBAL = {"store", "progress", "color", "threads", "memory", "quiet", "verbose"}


def test_settings_are_typed_as_the_program_has_them() -> None:
    assert set(diglot.Settings.__annotations__) == flags("run") - {"store", "progress", "color"}


@pytest.mark.parametrize("command", ["export", "recover", "merge", "diff"])
def test_methods_have_all_options(command: str) -> None:
    method: Any = getattr(diglot.Store, command, None) or getattr(diglot, command)
    # Tables in the place of a store are no question to a store.
    ways_of_listing = {"json", "sort", "exit_code"} | ({"format"} if command != "export" else {"from"})
    assert set(inspect.signature(method).parameters) >= flags(command) - GLOBAL - ways_of_listing
    assert get_type_hints(method)["return"]


def test_exports_are_files_and_folders(store: diglot.Store, tmp_path: pathlib.Path) -> None:
    written = store.export(tmp_path / "pairs.parquet", what="pairs", langs=["en", "fr"], min_score=0.9)
    assert pq.read_table(written.path).num_rows == store.pairs(langs="en,fr", min_score=0.9).num_rows > 0
    assert any("pairs" in message for message in written.messages)
    split = {"train": 0.5, "test": 0.5}
    folder = store.export(tmp_path / "corpus", what="bitext", format="jsonl", partition_by="langs", split=split)
    assert list(folder.path.glob("langs=en-fr/*.jsonl"))
    marked = store.export(tmp_path / "a.jsonl", what="bitext", mark=tmp_path / "mark", where="chars_a>=20", record_ids=True)
    again = store.export(tmp_path / "b.jsonl", what="bitext", since=tmp_path / "mark", where=["chars_a>=20"])
    assert marked.path.stat().st_size > 0 == again.path.stat().st_size
    none = store.export(tmp_path / "none.jsonl", what="bitext", not_in=store.path)
    assert none.path.stat().st_size == 0 and any("in another store" in message for message in none.messages)
    assert store.export(tmp_path / "none.jsonl", what="bitext", not_in=[store, store.path]).path == none.path
    # A name that ends as one of a folder is one, and what is asked for is no warning.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        folder = store.export(f"{tmp_path}/by-langs/", format="moses", where="chars_a>=20")
    assert folder.path == tmp_path / "by-langs" and folder.path.is_dir()
    with pytest.raises(diglot.DiglotError, match="the ending .doc says no format") as caught:
        store.export(tmp_path / "x.doc")
    assert caught.value.exit_code == 2


def test_results_are_scored_against_gold(store: diglot.Store) -> None:
    scores = store.evaluate(GOLD)
    total = [row for row in scores.to_pylist() if row["scope"] == "all"]
    assert total and total[0]["f1"] > 0.8
    assert store.evaluate([GOLD], curve=True).num_rows > 10
    keys = store.evaluate(GOLD / "webserver.keys.tsv", what="keys", pairs=GOLD / "webserver.pairs.tsv")
    assert "key" in keys.column_names
    with pytest.raises(diglot.DiglotError, match="no.tsv"):
        store.evaluate("no.tsv")


def test_what_is_removed_is_lost_in_the_diff(store: diglot.Store, tmp_path: pathlib.Path) -> None:
    less = copy_of(store, tmp_path)
    assert diglot.diff(store, less, what="pairs").num_rows == 0
    pair = store.pairs(limit=1).to_pylist()[0]
    told = less.remove(urls=pair["url_a"])
    assert told[0].startswith("removed: 0 archives, 1 capture")
    assert less.remove(urls=[pair["url_a"]]) == (f"removed already: {pair['url_a'].split('://')[1]}",)
    diglot.run(store=less.path)
    lost = [row for row in diglot.diff(store, less, what="pairs").to_pylist() if row["change"] == "lost"]
    assert pair["url_b"] in {row["url_b"] for row in lost}
    assert any(row["why"].endswith("is not captured") for row in lost)
    rows = diglot.diff(store.path, less.path).to_pylist()
    assert sum(row["lost"] for row in rows if row["what"] == "pairs" and row["host"] == "*") == len(lost)
    assert diglot.diff(store, less, what="bitext", limit=3).num_rows == 3
    assert diglot.diff(store, less, what="pairs", where="change=gained").schema == diglot.diff(store, store, what="pairs").schema
    with pytest.raises(diglot.DiglotError, match="no archive x.warc"):
        less.remove(archives="x.warc")


def test_a_check_finds_damage(store: diglot.Store, tmp_path: pathlib.Path) -> None:
    sound = store.check()
    assert sound.is_sound and "pages" in sound.rows["name"].to_pylist()
    damaged = copy_of(store, tmp_path)
    results = damaged.path / "results" / "000000.rec"
    data = bytearray(results.read_bytes())
    data[100] ^= 1
    results.write_bytes(data)
    found = damaged.check()
    assert not found.is_sound and "damaged" in found.rows["what"].to_pylist()
    assert any("diglot check --repair" in message for message in found.messages)
    with pytest.warns(diglot.DiglotWarning, match="what was damaged is dropped"):
        damaged.check(repair=True)
    diglot.run(store=damaged.path)
    assert damaged.check().is_sound
    assert damaged.pairs().equals(store.pairs())
    with pytest.raises(diglot.DiglotError, match="no store here"):
        diglot.Store.at(tmp_path / "none").check()


def test_deep_pages_are_requested(store: diglot.Store, tmp_path: pathlib.Path) -> None:
    asked = copy_of(store, tmp_path)
    missing = asked.recover(min_chance=0)
    assert missing.num_rows > 0 and missing.schema.field("linked").type == pa.bool_()
    asked.recover(min_chance=0, output=tmp_path / "list.txt")
    requested = set(asked.recover(min_chance=0, where="outcome=requested")["url"].to_pylist())
    assert set((tmp_path / "list.txt").read_text().split()) == requested


def test_merged_stores_are_one(store: diglot.Store, tmp_path: pathlib.Path) -> None:
    parts = [
        diglot.run(site, store=tmp_path / name, until="ingest").store
        for name, site in {"a": SITES / "webserver.warc.gz", "b": SITES / "packaging"}.items()
    ]
    merged = diglot.merge(parts, tmp_path / "whole")
    diglot.run(store=merged.path)
    assert merged.bitext().equals(store.bitext())
    with pytest.raises(diglot.DiglotError, match="is a store already"):
        diglot.merge([part.path for part in parts], merged.path)


def test_a_run_shows_itself_in_a_notebook(found: diglot.RunResult) -> None:
    shown = found._repr_html_()
    assert "<th>sentence pairs</th>" in shown and "größe 大" in shown and "path:en:fr" in shown
    odd = diglot.RunResult(found.store, {}, "<script>", ("a & b",))._repr_html_()
    assert "<script>" not in odd and "a &amp; b" in odd


def test_progress_is_told_in_objects(tmp_path: pathlib.Path) -> None:
    told: list[dict[str, Any]] = []
    found = diglot.run(SITES, store=tmp_path / "s", until="keys", on_progress=told.append)
    assert {"begin", "end"} <= {event["event"] for event in told}
    assert [event for event in told if event["stage"] == "keys" and event["unit"] == "sites" and event["total"] > 0]
    assert "inputs: 2 read" in found.messages
    with pytest.raises(diglot.DiglotError, match=r"no\.warc: no such file or folder$"):
        diglot.run("no.warc", store=tmp_path / "s", on_progress=told.append)
    with pytest.raises(ValueError, match="on_progress"):
        diglot.run(store=tmp_path / "s", progress=True, on_progress=told.append)

    def stop(event: dict[str, Any]) -> None:
        raise RuntimeError(event["stage"])

    with pytest.raises(RuntimeError, match="links|index|ingest"):
        diglot.run(SITES, store=tmp_path / "other", on_progress=stop)
