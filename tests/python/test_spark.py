"""Runs on Spark: their tables are those of one store, and nothing gets lost unseen."""

import gzip
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import diglot
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT
from diglot._program import program

pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java", path=os.environ.get("JAVA_HOME", "") + "/bin:" + os.environ["PATH"]) is None:
    pytest.skip("there is no Java, which Spark needs", allow_module_level=True)

import diglot.spark
import diglot.spark.__main__
from diglot.spark import _fetch, _inputs, _results, _run, _steps, _task
from diglot.spark._results import TABLES
from diglot.spark._rows import SCHEMA, slots, spark_hash
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

HERE = pathlib.Path(__file__).resolve().parent
WEBSERVER = ROOT / "data" / "sites" / "webserver.warc.gz"
# Names as long as that of the sample, so that lengths of records stay right.
NAMES = [b"site.test", b"s1te.test", b"abcd.test", b"xyzw.test"]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A session of two cores."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = diglot.spark.session("local[2]")
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The sample and three sites that are copies of it; the archive of one is cut off."""
    folder = tmp_path_factory.mktemp("größe 大")
    shutil.copytree(ROOT / "data" / "sites" / "packaging", folder / "packaging")
    records = gzip.decompress(WEBSERVER.read_bytes())
    paths = [folder / "packaging"]
    for name in NAMES:
        paths.append(folder / f"{name.decode()}.warc.gz")
        archive = gzip.compress(records.replace(b"site.test", name))
        paths[-1].write_bytes(archive[: len(archive) * 2 // 3] if name == NAMES[-1] else archive)
    return [str(path) for path in paths]


# Tables with texts, which are written where they are asked for.
OF_TEXTS = ["documents", "units", "pages"]


def exported(store: diglot.Store, folder: pathlib.Path, more: list[str] | None = None) -> dict[str, pa.Table]:
    """The tables of a store, as the program exports them."""
    contents = ["pairs", "bitext", *(more or [])]
    for what in contents:
        command = [program(), "export", "--store", str(store.path), "--what", what, "-o", str(folder / f"{what}.parquet")]
        subprocess.run(command, check=True, capture_output=True)
    tables = {what: pq.read_table(folder / f"{what}.parquet") for what in contents}
    return {**tables, "keys": store.keys()}


def in_order(table: pa.Table) -> pa.Table:
    return table.sort_by([(field.name, "ascending") for field in table.schema if not pa.types.is_list(field.type)])


def collected(frame: DataFrame, like: pa.Table) -> pa.Table:
    """A table of Spark with the columns of another, in order."""
    rows = [row.asDict(recursive=True) for row in frame.collect()]
    of_pairs = ["langs"] if "lang_a" in like.column_names else []
    assert all(row.pop("langs") == f"{row['lang_a']}-{row['lang_b']}" for row in rows if of_pairs)
    assert frame.columns == [*like.column_names, *of_pairs]
    return in_order(pa.Table.from_pylist(rows, schema=like.schema))


def assert_same(found: diglot.spark.SparkResult, tables: dict[str, pa.Table]) -> None:
    """That tables are equal, row by row and bit by bit."""
    for name, table in tables.items():
        expected = in_order(table).replace_schema_metadata(None)
        assert collected(getattr(found, name)(), expected) == expected, name
        assert found.counts["sentence_pairs" if name == "bitext" else name] == table.num_rows


def assert_exports_are_those_of(store: diglot.Store, tables: pathlib.Path, folder: pathlib.Path) -> None:
    """That `diglot export` writes the same of tables as of a store, but for the order of rows."""

    def lines(*options: str) -> list[str]:
        written = folder / "written"
        shutil.rmtree(written, ignore_errors=True)
        written.mkdir()
        subprocess.run([program(), "export", *options], check=True, capture_output=True, cwd=written)
        # The card of a data set tells of settings.
        files = [path for path in sorted(written.rglob("*")) if path.is_file() and path.name != "README.md"]
        rows = [f"{path.name}: {line}" for path in files for line in path.read_text().splitlines()]
        assert len(rows) > 10
        return sorted(rows)

    for options in [
        ["--what=pairs", "-ox.tsv", "--min-score=0.5"],
        ["--what=bitext", "-ox.tmx", "--langs=en,fr"],
        ["--what=bitext", "-ox.jsonl", "--detect", "--where=chars_a>=20"],
        ["--format=moses", "-ox", "--langs=en,fr"],
        ["--format=hf", "-otrain.jsonl", "--langs=en,fr"],
        *[[f"--what={what}", "-ox.jsonl"] for what in OF_TEXTS],
    ]:
        assert lines("--from", str(tables), *options) == lines("--store", str(store.path), *options), options


@pytest.fixture(scope="module")
def one(archives: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[diglot.Store, dict[str, pa.Table]]:
    """One store of all archives, and its tables."""
    folder = tmp_path_factory.mktemp("one")
    store = diglot.run(archives, store=folder / "store").store
    return store, exported(store, folder, OF_TEXTS)


@pytest.mark.parametrize(
    ("pages_per_part", "parts", "settings"),
    [
        # All sites in one part.
        pytest.param(20000, 1, {}, marks=pytest.mark.long),
        # A large site alone, and others by two.
        (200, 3, {"buckets": 3, "memory": "2G"}),
    ],
)
def test_tables_are_those_of_one_store(
    spark: SparkSession,
    archives: list[str],
    one: tuple[diglot.Store, dict[str, pa.Table]],
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    pages_per_part: int,
    parts: int,
    settings: dict[str, Any],
) -> None:
    store, tables = one
    # With more parts than this, what is learnt from is sampled in two rounds.
    monkeypatch.setattr(_steps, "_ONE_ROUND", 2)
    assert min(table.num_rows for table in tables.values()) > 20
    ordered = archives if parts == 1 else archives[::-1]
    what = ["pairs", "bitext", "keys", *OF_TEXTS]
    found = diglot.spark.run(
        spark, ordered, work=tmp_path / "w", out=tmp_path / "o", what=what, pages_per_part=pages_per_part, **settings
    )
    assert_same(found, tables)
    assert_exports_are_those_of(store, tmp_path / "o", tmp_path)
    assert found.counts["parts"] == parts
    assert found.counts["archives"] == len(archives)
    status = store.status().to_pylist()
    assert found.left_out == {row["name"]: row["count"] for row in status if row["what"] == "left out"}
    assert "compressed data corrupt" in found.left_out or "record cut off" in found.left_out
    assert [damaged.split(", byte ")[0] for damaged in found.damaged] == [archives[-1]]
    totals = {row["name"]: row["count"] for row in status if row["what"] == "total"}
    assert (found.counts["records"], found.counts["captures"]) == (totals["records"], totals["captures kept"])


ENGLISH = (
    "The members of the committee have asked for more time before they decide, because two of the reports that they had wanted to read were not there. "
    "It is said that the new bridge will be open in spring, and that nobody who lives on the other side has to pay for it. "
)


def site(folder: pathlib.Path, name: str, others: str, declared: str) -> str:
    """An archive of six English pages, and of six in a language that is made up, which are in the folder `others`."""
    records = b""
    for number in range(6):
        dice = random.Random(f"{name} {number}")
        words = ("".join(dice.choice("vj zw kx wq xh".split()) + dice.choice("uoy") for _ in range(3)) for _ in range(60))
        for path, lang, text in [("en", "en", f"{number}. {ENGLISH}"), (others, declared, " ".join(words))]:
            html = f"<html lang='{lang}'><body><p>{text}</p></body></html>".encode()
            body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html
            head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://{name}.test/{path}/{number}\r\n"
            head += f"WARC-Date: 2020-05-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: {len(body)}\r\n\r\n"
            records += gzip.compress(head.encode() + body + b"\r\n\r\n")
    (folder / f"{name}.warc.gz").write_bytes(records)
    return str(folder / f"{name}.warc.gz")


def test_a_language_that_sites_of_other_parts_name_is_known(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    given = [site(tmp_path, name, "tlh", "tlh") for name in ("one", "two")] + [site(tmp_path, "third", "page", "")]
    store = diglot.run(given, store=tmp_path / "s", until="keys").store
    keys = in_order(store.keys()).replace_schema_metadata(None)
    rows = [row for row in keys.to_pylist() if row["site"] == "third.test"]
    assert [(row["lang_a"], row["lang_b"]) for row in rows if row["assigned"]] == [("en", "tlh")]
    found = diglot.spark.run(spark, given, work=tmp_path / "w", out=tmp_path / "o", what=["keys"], pages_per_part=12)
    assert found.counts["parts"] == 3
    expected = {(row["site"], row["key"], row["power"], row["assigned"]) for row in keys.to_pylist()}
    assert {(row.site, row.key, row.power, row.assigned) for row in found.keys().collect()} == expected


@pytest.mark.long
def test_settings_are_those_of_a_run(spark: SparkSession, archives: list[str], tmp_path: pathlib.Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("en\tfr\nserver\tserveur\nmodule\tmodule\n")
    settings: dict[str, Any] = {"langs": ["fr", "en"], "min_score": 0.6, "lexicon": words}
    store = diglot.run(archives[:3], store=tmp_path / "s", **settings).store
    found = diglot.spark.run(
        spark, archives[:3], work=tmp_path / "w", out=tmp_path / "o", pages_per_part=100, **settings
    )
    assert_same(found, exported(store, tmp_path))
    assert {row.langs for row in found.pairs().collect()} == {"fr-en"}
    # Another list of the same name, and the first one changed.
    words.write_text("en\tfr\nserver\tserveur\nrequest\trequête\nfile\tfichier\n")
    more = tmp_path / "more" / "words.tsv"
    more.parent.mkdir()
    more.write_text("en\tfr\ndirective\tdirective\nlog\tjournal\n")
    settings["lexicon"] = [words, more]
    store = diglot.run(archives[:3], store=tmp_path / "s2", **settings).store
    found = diglot.spark.run(
        spark, archives[:3], work=tmp_path / "w", out=tmp_path / "o", pages_per_part=100, **settings
    )
    # Words are no matter of pages and keys.
    assert {step.name for step in found.steps if step.was_done} == {"02-pages", "02-archives", "03-keys", "03-patterns", "03-languages"}
    assert_same(found, exported(store, tmp_path))
    with pytest.raises(diglot.DiglotError, match="no such file"):
        diglot.spark.run(spark, archives[:3], work=tmp_path / "w", out=tmp_path / "o", lexicon="nowhere.tsv")


@pytest.mark.long
def test_a_large_domain_is_divided(spark: SparkSession, archives: list[str], tmp_path: pathlib.Path) -> None:
    given = [archives[0], *archives[2:4]]
    store = diglot.run(given, store=tmp_path / "s").store
    # The larger two are divided into three parts each.
    found = diglot.spark.run(spark, given, work=tmp_path / "w", out=tmp_path / "o", split_over=36, pages_per_part=1000)
    tables = exported(store, tmp_path)
    # What only verification tells of a key is not that of one store; no key is demoted here.
    judged = {"accepted", "est_precision"}
    names = [name for name in tables["keys"].column_names if name not in judged]
    expected = in_order(tables["keys"].select(names)).replace_schema_metadata(None)
    assert collected(found.keys().select(*names, "langs"), expected) == expected
    kept = {(row["url_a"], row["url_b"]) for row in tables["pairs"].to_pylist()}
    pairs = {(row.url_a, row.url_b) for row in found.pairs().collect()}
    assert len(kept & pairs) >= 0.97 * max(len(kept), len(pairs)) > 100
    assert found.counts["parts"] == 1 + 2 * 3
    assert "15-tally" in [step.name for step in found.steps]
    # Broken off in the middle.
    (tmp_path / "w" / "04-deal" / "_diglot.json").unlink()
    again = diglot.spark.run(spark, given, work=tmp_path / "w", out=tmp_path / "o", split_over=36, pages_per_part=1000)
    before = {"02-pages", "02-archives", "03-keys", "03-outline", "03-whole", "03-patterns", "03-languages", "03-divided", "04-divide"}
    assert {step.name for step in again.steps if step.was_done} == before
    assert again.counts == found.counts
    with pytest.raises(ValueError, match="across_suffixes"):
        diglot.spark.run(spark, given, work=tmp_path / "w", out=tmp_path / "o", split_over=36, across_suffixes=True)


@pytest.mark.long
def test_an_archive_that_is_given_twice_counts_once(
    spark: SparkSession, archives: list[str], tmp_path: pathlib.Path
) -> None:
    again = shutil.copy(archives[2], tmp_path / "again.warc.gz")
    where: dict[str, Any] = {"work": tmp_path / "w", "out": tmp_path / "o", "what": "pairs"}
    once = diglot.spark.run(spark, archives[1:3], **where)
    twice = diglot.spark.run(spark, [*archives[1:3], again], **where)
    assert (twice.counts, twice.left_out) == (once.counts, once.left_out)


def test_one_more_archive_is_one_more_portion(spark: SparkSession, archives: list[str], tmp_path: pathlib.Path) -> None:
    where: dict[str, Any] = {"work": tmp_path / "w", "out": tmp_path / "o", "pages_per_part": 100}
    diglot.spark.run(spark, archives[1:3], **where)
    heard: list[str] = []
    # Before the others, which keep their numbers.
    found = diglot.spark.run(spark, [archives[3], *archives[1:3]], progress=heard.append, **where)
    assert [line for line in heard if "02-pages: " in line][:2] == [
        "step 02-pages: of 3 archives, 2 were read before",
        "step 02-pages: portion 1 of 1",
    ]
    assert_same(found, exported(diglot.run(archives[1:4], store=tmp_path / "s").store, tmp_path))


def test_archives_that_only_spark_can_reach_are_listed_at_once_and_fetched_as_streams(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    java: Any = spark.sparkContext
    java._jsc.hadoopConfiguration().set("fs.viewfs.mounttable.many.link./data", tmp_path.as_uri())
    uris = [f"viewfs://many/data/{number:04} é.warc.gz" for number in range(1000)]
    for number, uri in enumerate(uris):
        (tmp_path / uri.rsplit("/", 1)[1]).write_bytes(b"\r\n" * (number + 1))
    java.setJobGroup("listing", "")
    found, refused = _inputs._remote(spark, uris, 7, False)
    assert len(java.statusTracker().getJobIdsForGroup("listing")) <= 2
    java.setLocalProperty("spark.jobGroup.id", None)
    assert [(archive.number, archive.name, archive.size) for archive in found] == [(n + 7, uri, 2 * n + 2) for n, uri in enumerate(uris)]
    missing = ["viewfs://many/data/nowhere.warc", "viewfs://many/data/nor here.warc"]
    found, refused = _inputs._remote(spark, [missing[0], *uris[:9], missing[1]], 0, True)
    assert len(found) == 9 and [why.split(": ")[0] for why in refused] == missing
    with pytest.raises(diglot.DiglotError, match=r"nowhere\.warc: Spark cannot read it: .*nor here\.warc: "):
        _inputs._remote(spark, [missing[0], *uris[:9], missing[1]], 0, False)

    started = "\n".join(java._jvm.System.getProperty(name) for name in ("java.home", "java.class.path")).encode()
    names = [uris[3], missing[0], uris[5]]
    rows = [(-1, "input", name, at, 2 * number, started, None) for at, (name, number) in enumerate(zip(names, (4, 5, 6)))]
    batch = pa.RecordBatch.from_pylist([dict(zip(SCHEMA.names, row)) for row in rows], schema=SCHEMA)
    (tmp_path / "scratch").mkdir()
    settings = _run._xml(spark)
    (came,) = _fetch.fetched([batch], str(tmp_path / "scratch"), settings, True)
    assert came["kind"].to_pylist() == ["input", "refused", "input"]
    assert b"No such file" in came["data"][1].as_py()
    for at, number in [(0, 4), (2, 6)]:
        assert pathlib.Path(came["data"][at].as_py().decode()).read_bytes() == b"\r\n" * number
    with pytest.raises(diglot.DiglotError, match=r"nowhere\.warc: .*No such file"):
        list(_fetch.fetched([batch], str(tmp_path / "scratch"), settings, False))
    # Not the length that it had when it was listed.
    rows = [(-1, "input", uris[5], 0, 7, started, None)]
    batch = pa.RecordBatch.from_pylist([dict(zip(SCHEMA.names, row)) for row in rows], schema=SCHEMA)
    with pytest.raises(diglot.DiglotError, match="it was changed while it was read"):
        list(_fetch.fetched([batch], str(tmp_path / "scratch"), settings, False))


def test_lists_may_have_uris(tmp_path: pathlib.Path) -> None:
    (tmp_path / "more.txt").write_text("s3a://crawl/c.warc.gz # the third\nd.warc\n")
    (tmp_path / "near.warc").touch()
    listing = tmp_path / "list.txt"
    listing.write_text("# all of them\n\nnear.warc\nnowhere.warc\ncrawl-*.warc\nhdfs:///b.warc\n@more.txt\n")
    found = _inputs._of_list(f"@{listing}")
    expected = [f"{tmp_path}/near.warc", "nowhere.warc", f"{tmp_path}/crawl-*.warc", "hdfs:///b.warc", "s3a://crawl/c.warc.gz", "d.warc"]
    assert found == expected
    (tmp_path / "plain.txt").write_text("near.warc\n")
    assert _inputs._of_list(f"@{tmp_path}/plain.txt") == [f"@{tmp_path}/plain.txt"]
    (tmp_path / "more.txt").write_text("s3a://crawl/c.warc.gz\n@list.txt\n")
    with pytest.raises(diglot.DiglotError, match="names itself"):
        _inputs._of_list(f"@{listing}")


def test_what_cannot_be_read_is_left_out_at_the_last_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    class Context:
        def __init__(self, attempt: int) -> None:
            self.attempt = attempt

        def attemptNumber(self) -> int:  # noqa: N802
            return self.attempt

    for patience, attempt, goes_on in [(None, 3, False), (0, 0, True), (3, 2, False), (3, 3, True)]:
        task = _task.Task("pages", (), 1, patience=patience)
        monkeypatch.setattr("diglot.spark._task.TaskContext.get", lambda attempt=attempt: Context(attempt))
        assert ("--keep-going" in task._options(-1, "scratch")) == goes_on


def test_where_there_is_nothing_to_find_the_tables_are_empty(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    no_archive = tmp_path / "no.warc.gz"
    no_archive.write_text("no archive")
    found = diglot.spark.run(
        spark, [no_archive, WEBSERVER], work=tmp_path / "w", out=tmp_path / "o", langs="en,nl", keep_going=True
    )
    (refused,) = found.refused
    assert refused.startswith(f"{no_archive}: ")
    assert (found.counts["captures"], found.counts["pairs"]) == (86, 0)
    for name, frame in {"pairs": found.pairs(), "bitext": found.bitext(), "keys": found.keys()}.items():
        assert frame.columns == [*TABLES[name].names, "langs"]
        assert frame.collect() == []


def index_of(archive: pathlib.Path) -> str:
    """The index of an archive of gzip members, as Common Crawl writes it."""
    content, lines, at = archive.read_bytes(), [], 0
    while at < len(content):
        member = zlib.decompressobj(31)
        record = member.decompress(content[at:])
        length = len(content) - at - len(member.unused_data)
        url = re.search(rb"WARC-Target-URI: (.*?)\r\n", record)
        if url is not None and b"WARC-Type: response" in record:
            languages = "fra" if b"/fr/" in url[1] or b".fr." in url[1] else "eng"
            line = {"url": url[1].decode(), "mime": "text/html", "status": "200", "languages": languages}
            line |= {"filename": f"crawl/{archive.name}", "offset": str(at), "length": str(length)}
            lines.append(f"x 20240501000000 {json.dumps(line)}\n")
        at += length
    return "".join(lines)


@pytest.mark.long
def test_what_an_index_names_is_fetched_and_read(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    index = tmp_path / "index.cdxj"
    index.write_text(index_of(WEBSERVER))
    crawl = tmp_path / "mounted" / "crawl"
    crawl.mkdir(parents=True)
    shutil.copy(WEBSERVER, crawl)
    known = diglot.run(index, store=tmp_path / "known").store
    found = diglot.spark.run(spark, index, work=tmp_path / "w1", out=tmp_path / "o1", what=["pairs", "fetch"])
    assert sorted(found.counts) == ["archives", "captures", "fetch", "pairs", "parts", "records"]
    command = [program(), "export", "--store", str(known.path), "--what", "fetch", "-o", str(tmp_path / "fetch.parquet")]
    subprocess.run(command, check=True, capture_output=True)
    expected = in_order(pq.read_table(tmp_path / "fetch.parquet").replace_schema_metadata(None))
    rows = [row.asDict() for row in found.fetch().collect()]
    assert in_order(pa.Table.from_pylist(rows, schema=expected.schema)) == expected
    assert len(rows) == found.counts["fetch"] > 20
    with pytest.raises(ValueError, match="the run has not written keys"):
        found.keys()

    ranges = tmp_path / "o1" / "fetch"
    store = diglot.run(ranges, store=tmp_path / "store", archives=tmp_path / "mounted").store
    what = ["pairs", "bitext", "keys", "explore"]
    paths: dict[str, Any] = {"work": tmp_path / "w2", "out": tmp_path / "o2", "archives": tmp_path / "mounted"}
    for by_domain in (False, True):
        found = diglot.spark.run(spark, ranges, what=what, by_domain=by_domain, **paths)
        assert_same(found, exported(store, tmp_path))
        assert found.counts["archives"] == len(list(ranges.glob("*.parquet")))
        command = [program(), "--quiet", "explore", "--store", str(store.path), "--top", "100000", "--format", "jsonl"]
        told = subprocess.run([*command, *(["--by-domain"] if by_domain else [])], check=True, capture_output=True)
        sites = [json.loads(line) for line in told.stdout.splitlines()]
        assert sorted(found.explore().collect()) == sorted(tuple(site.values()) for site in sites)
    assert found.counts["sites_to_explore"] == len(sites) > 0


@pytest.mark.long
def test_what_spark_alone_can_read_is_read_by_it(
    spark: SparkSession, archives: list[str], tmp_path: pathlib.Path
) -> None:
    java: Any = spark.sparkContext
    java._jsc.hadoopConfiguration().set("fs.viewfs.mounttable.far.link./data", tmp_path.as_uri())
    (tmp_path / "in").mkdir()
    for path in archives[1:3]:
        shutil.copy(path, tmp_path / "in")
    inputs = tmp_path / "list.txt"
    inputs.write_text(f"# far and near\nviewfs://far/data/in/{pathlib.Path(archives[1]).name}\n{archives[2]}\n")
    found = diglot.spark.run(spark, f"@{inputs}", work="viewfs://far/data/w", out="viewfs://far/data/o", pages_per_part=50)
    store = diglot.run(archives[1:3], store=tmp_path / "s").store
    tables = exported(store, tmp_path)
    # Sentence pairs say in which archive they are.
    for side in ["archive_a", "archive_b"]:
        at = tables["bitext"].column_names.index(side)
        names = [name.replace(archives[1], f"viewfs://far/data/in/{pathlib.Path(archives[1]).name}") for name in tables["bitext"][side].to_pylist()]
        tables["bitext"] = tables["bitext"].set_column(at, tables["bitext"].schema.field(at), [names])
    assert_same(found, tables)


def test_files_of_a_task_are_whole_or_not_there(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_results, "_WAITING_BYTES", 200)

    def rows(at: int) -> pa.Table:
        columns = [["url"], ["other"], ["en"], ["fr"], [at / 8], ["key"], ["→"]]
        columns += [[None if field.nullable else ""] for field in list(TABLES["pairs"])[len(columns) :]]
        return pa.Table.from_arrays([pa.array(c, f.type) for c, f in zip(columns, TABLES["pairs"])], schema=TABLES["pairs"])

    for is_done in [False, True]:
        files = _results._Files("pairs", str(tmp_path), "part-00000.parquet", 7)
        for at in range(8):
            files.add(f"en-{'fr' if at % 3 else 'de'}", rows(at))
        assert sorted(path.name for path in tmp_path.glob("*/*")) == [".part-00000.parquet.7"] * 2
        if is_done:
            assert files.done() == {"en-de": 3, "en-fr": 5}
        files.drop()
        assert sorted(path.name for path in tmp_path.glob("*/*")) == ["part-00000.parquet"] * (2 * is_done)
    found = [pq.read_table(tmp_path / f"langs=en-{lang}", partitioning=None) for lang in ["de", "fr"]]
    assert [table["score"].to_pylist() for table in found] == [[0, 3 / 8, 6 / 8], [1 / 8, 2 / 8, 4 / 8, 5 / 8, 7 / 8]]


def test_wrong_settings_and_inputs_are_refused(spark: SparkSession, archives: list[str], tmp_path: pathlib.Path) -> None:
    where: dict[str, Any] = {"work": tmp_path / "w", "out": tmp_path / "o"}
    with pytest.raises(diglot.DiglotError, match="min-score") as caught:
        diglot.spark.run(spark, archives, min_score=7, **where)
    assert caught.value.exit_code == 2
    with pytest.raises(diglot.DiglotError, match="'--min-scroe'") as caught:
        diglot.spark.run(spark, archives, min_scroe=0.7, **where)
    assert caught.value.exit_code == 2
    no_archive = tmp_path / "no.warc.gz"
    no_archive.write_text("no archive")
    with pytest.raises(diglot.DiglotError, match=r"no\.warc\.gz"):
        diglot.spark.run(spark, [archives[1], no_archive], **where)
    with pytest.raises(ValueError, match="pages_per_part"):
        diglot.spark.run(spark, archives, pages_per_part=0, **where)
    assert not (tmp_path / "o").exists()


# From here on, a stand-in for the program does the work.


@dataclass
class Fake:
    """A stand-in for the program, its archives, and the folder of a run."""

    folder: pathlib.Path
    archives: list[str]
    spark: SparkSession
    work: pathlib.Path

    def faults(self, *faults: dict[str, Any], at: str = "") -> None:
        """What is to go wrong from now on; `at` is a step at which everything does."""
        for old in [*self.folder.glob("fault*"), *self.folder.glob("asleep")]:
            old.unlink()
        (self.folder / "faults.json").write_text(json.dumps(faults))
        (self.folder / f"fault-{at}").touch()
        self.log()

    def log(self) -> list[list[str]]:
        """Step, part, number of rows and fault of each process, since the last time."""
        path = self.folder / "log"
        lines = [line.split(" ", 3) for line in path.read_text().splitlines()] if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def run(self, **settings: Any) -> diglot.spark.SparkResult:
        """A run of two parts: of a large site, and of the others."""
        where: dict[str, Any] = {"work": self.work, "out": self.folder / "out", "pages_per_part": 1000}
        return diglot.spark.run(self.spark, self.archives, **{**where, **settings})

    def command(self, *options: str) -> list[str]:
        """The same as a command of its own; a master that is given a second number tries a task that often."""
        where = ["--work", str(self.work), "--out", str(self.folder / "out"), "--pages-per-part", "1000"]
        return [sys.executable, "-m", "diglot.spark", *self.archives, *where, *options]

    def begin_at(self, step: str) -> None:
        """Takes away what a step and all later ones have done."""
        for name in os.listdir(self.work):
            if name >= step and name != "_diglot.json":
                shutil.rmtree(self.work / name)

    def sites(self) -> list[str]:
        """The sites that came through to the end."""
        found = diglot.spark.SparkResult(self.spark, (self.folder / "out").as_uri(), {}, {}, (), (), (), tuple(TABLES))
        return sorted(row.url_a for row in found.pairs().where("langs = 'en-fr'").collect())


SITES = {"large.test": 900, **{f"s{number}.test": 90 + number for number in range(6)}}
STEPS = "pages keys rescue sample lessons learn judge texts model align merge finish".split()


@pytest.fixture(scope="module")
def done(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Fake:
    """A stand-in, of which `work` has a run that was done. Each of its archives has each site."""
    folder = tmp_path_factory.mktemp("fake")
    for name, schema in {**TABLES, "rows": SCHEMA}.items():
        (folder / f"{name}.schema").write_bytes(schema.serialize().to_pybytes())
    (folder / "plan.json").write_bytes(subprocess.run([program(), "exec", "--plan"], check=True, capture_output=True).stdout)
    script = shutil.copy(HERE / "exec_fake.py", folder)
    shell = folder / "fake"
    shell.write_text(
        f"""#!/bin/sh
[ "$1" = --version ] && echo diglot 0.0.0 && exit
[ "$2" = --plan ] && exec cat {folder}/plan.json
[ -e {folder}/fault-$2 ] || exec {sys.executable} {script} "$@"
echo "$2 0 0 exit" >> {folder}/log
echo '{{"diglot.exec":1,"step":"'$2'","error":"rows are damaged","exit":3}}' >&2
exit 3
"""
    )
    shell.chmod(0o755)
    archives = [str(folder / f"{number}.warc") for number in range(2)]
    for path in archives:
        pathlib.Path(path).write_text("\n".join(f"{site} {count // 2}" for site, count in SITES.items()))
    fake = Fake(folder, archives, spark, folder / "work")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIGLOT", str(shell))
        fake.run()
    assert fake.sites() == sorted(SITES)
    return fake


@pytest.fixture
def fake(done: Fake, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """A stand-in in the place of the program, with the run that was done to change."""
    monkeypatch.setenv("DIGLOT", str(done.folder / "fake"))
    shutil.copytree(done.work, tmp_path / "work")
    fake = replace(done, work=tmp_path / "work")
    fake.faults()
    return fake


@pytest.mark.long
def test_a_run_goes_on_behind_the_last_step_that_was_done(fake: Fake) -> None:
    shutil.rmtree(fake.work)
    for number, step in enumerate(STEPS):
        fake.faults(at=step)
        with pytest.raises(diglot.DiglotError, match=rf"^step \d\d-{step}, .*: rows are damaged$") as caught:
            fake.run()
        assert caught.value.exit_code == 3
        assert caught.value.command[1:3] == ("exec", step)
        assert f'"step":"{step}"' in caught.value.stderr
        # `sample` comes twice, and the second time nothing is wrong with it.
        begun = {line[0] for line in fake.log()} - {"inputs", "sample"}
        assert begun == {*STEPS[max(0, number - 1) : number + 1]} - {"sample"}
    fake.faults()
    found = fake.run()
    assert [step.name for step in found.steps if not step.was_done] == ["14-finish", "16-tables"]
    assert fake.sites() == sorted(SITES)
    fake.log()
    again = fake.run()
    assert {line[0] for line in fake.log()} == {"inputs"}
    assert all(step.was_done for step in again.steps)
    assert (again.counts, again.left_out) == (found.counts, found.left_out)


def test_what_was_done_otherwise_is_done_again(fake: Fake) -> None:
    def again(**settings: Any) -> list[str]:
        return [step.name for step in fake.run(**settings).steps if not step.was_done]

    again()
    assert again(keep_going=True, memory="3G") == []
    assert again(out=fake.work / "elsewhere") == ["16-tables"]
    assert again(buckets=2) == ["12-align", "13-merge", "14-finish", "16-tables"]
    (fake.work / "14-finish" / "_diglot.json").unlink()
    assert again(buckets=2) == ["14-finish", "16-tables"]
    # Each setting where it makes a difference.
    changes: list[tuple[str, dict[str, Any]]] = [
        ("finish", {"score_digits": 3}),
        ("align", {"preset": "webmining-2008"}),
        ("rescue", {"min_score": 0.7}),
        ("keys", {"langs": "en,fr"}),
        ("keys", {"pages_per_part": 500}),
        ("pages", {"max_record_bytes": 9000}),
        ("pages", {"archives": fake.folder}),
    ]
    for step, more in changes:
        fake.run()
        fake.faults(at=step)
        with pytest.raises(diglot.DiglotError, match=rf"^step \d\d-{step}"):
            fake.run(**more)
        # `sample` of alignment comes before.
        assert {line[0] for line in fake.log()} - {"sample", "texts", "model"} == {"inputs", step}
        fake.faults()
    # The order of archives makes none.
    fake.run()
    assert all(step.was_done for step in replace(fake, archives=fake.archives[::-1]).run().steps)


@pytest.mark.long
def test_what_follows_on_a_step_that_was_done_again_is_done_again(fake: Fake) -> None:
    # What the later steps have left is of the time before.
    (fake.work / "02-pages" / "_diglot.json").unlink()
    fake.faults(at="keys")
    with pytest.raises(diglot.DiglotError, match="03-keys"):
        fake.run()
    assert not (fake.work / "03-keys" / "_diglot.json").exists()
    before = json.loads((fake.work / "08-judge" / "_diglot.json").read_text())
    fake.faults()
    assert not any(step.was_done for step in fake.run().steps if step.name > "02-pages")
    assert json.loads((fake.work / "08-judge" / "_diglot.json").read_text())["id"] != before["id"]


@pytest.mark.long
def test_tables_of_another_run_are_not_taken_for_those_of_this_one(fake: Fake, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "tables"
    ours = fake.run(out=out)
    fake.run(out=out, work=tmp_path / "other", pages_per_part=500, min_score=0.7)
    again = fake.run(out=out)
    assert [step.name for step in again.steps if not step.was_done] == ["16-tables"]
    assert again.pairs().count() == ours.counts["pairs"]
    mine = tmp_path / "mine" / "keys"
    mine.mkdir(parents=True)
    (mine / "private.pem").touch()
    with pytest.raises(diglot.DiglotError, match="mine/keys is there, and is no table of a run") as caught:
        fake.run(out=tmp_path / "mine")
    assert caught.value.exit_code == 2
    assert (mine / "private.pem").exists()


@pytest.mark.long
def test_files_that_were_lost_are_missed(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(pattern: str) -> None:
        for file in fake.work.glob(f"{pattern}/*.parquet"):
            file.unlink()

    fake.begin_at("12-align")
    lost("11-model/of=model")
    with pytest.raises(diglot.DiglotError, match="^step 11-model: files of its rows of kind model are missing"):
        fake.run()
    fake.begin_at("11-model")
    assert fake.sites() == sorted(SITES)
    fake.run()
    fake.begin_at("12-align")
    shutil.rmtree(fake.work / "08-judge" / "of=store")
    with pytest.raises(diglot.DiglotError, match="^step 08-judge: its rows of kind store are missing; no other run"):
        fake.run()
    fake.begin_at("08-judge")
    fake.run()
    fake.begin_at("12-align")
    # Cut off, with the checksum that it had.
    cut = next(fake.work.glob("08-judge/of=store/*.parquet"))
    cut.write_bytes(cut.read_bytes()[:200])
    with pytest.raises(diglot.DiglotError, match=f"^step 12-align: (?s:.*){cut.name}"):
        fake.run()
    fake.begin_at("08-judge")
    fake.run()
    # What is sampled in two rounds is counted before.
    monkeypatch.setattr(_steps, "_ONE_ROUND", 1)
    fake.begin_at("09-sample")
    next(fake.work.glob("08-judge/of=page_pair/*.parquet")).unlink()
    with pytest.raises(diglot.DiglotError, match=r"^step 09-sample: \d+ rows are there of 14"):
        fake.run()


@pytest.mark.long
def test_tables_that_lost_files_are_written_again(fake: Fake) -> None:
    where = fake.folder / "out" / "pairs" / "langs=en-fr"
    fake.run()
    next(where.glob("*.parquet")).unlink()
    again = fake.run()
    assert [step.name for step in again.steps if not step.was_done] == ["16-tables"]
    assert fake.sites() == sorted(SITES)
    # Cut by a crash: it is ours all the same.
    (fake.folder / "out" / "pairs" / "_diglot.json").write_text("")
    shutil.rmtree(fake.folder / "out" / "pairs" / "langs=en-fr")
    fake.run()
    assert fake.sites() == sorted(SITES)


@pytest.mark.long
def test_no_run_works_in_a_folder_of_other_files(fake: Fake, tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine" / "03-keys").mkdir(parents=True)
    (tmp_path / "mine" / "03-keys" / "precious.csv").touch()
    with pytest.raises(diglot.DiglotError, match="mine has files, and no run has worked in it") as caught:
        fake.run(work=tmp_path / "mine")
    assert caught.value.exit_code == 2
    assert (tmp_path / "mine" / "03-keys" / "precious.csv").exists()
    for where in [{"work": "/etc/hostname/w"}, {"out": "/etc/hostname/o"}]:
        with pytest.raises(diglot.DiglotError, match="^file:///etc/hostname/"):
            fake.run(**where)


@pytest.mark.long
def test_folders_may_have_any_name_that_spark_can_have(fake: Fake, tmp_path: pathlib.Path) -> None:
    where = {"work": tmp_path / "a %41 #1 é", "out": tmp_path / "o ut"}
    assert fake.run(**where).pairs().count() > 0
    for name in ["w[9]", "w{a}", "w*", "w:1"]:
        with pytest.raises(diglot.DiglotError, match="give another"):
            fake.run(work=tmp_path / name)
        assert not (tmp_path / name).exists()


@pytest.mark.long
def test_a_run_ends_where_another_has_begun(fake: Fake) -> None:
    fake.begin_at("12-align")

    def begin_another(line: str) -> None:
        if "12-align" in line:
            (fake.work / "_diglot.json").write_text(json.dumps({"run": "another"}))
            (fake.work / "._diglot.json.crc").unlink()

    with pytest.raises(diglot.DiglotError, match=r"another run has begun in file://.*/work: let one of them end"):
        fake.run(progress=begin_another)


def test_the_command_is_interrupted_in_one_line(fake: Fake) -> None:
    fake.begin_at("12-align")
    fake.faults({"step": "align", "what": "sleep"})
    command = subprocess.Popen(fake.command("--master=local[2]", "--quiet"), stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: (fake.folder / "asleep").exists() or command.poll() is not None)
        command.send_signal(signal.SIGINT)
        _, stderr = command.communicate(timeout=60)
    finally:
        command.kill()
        command.wait()
    said = [line for line in stderr.splitlines() if "WARN" not in line and "log4j" not in line and "logging level" not in line]
    assert (command.returncode, said) == (130, ["diglot: interrupted; the same command goes on behind the last step that was done"])
    pid = int((fake.folder / "asleep").read_text())
    wait_until(lambda: not is_alive(pid))


def test_options_may_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["diglot.spark"])
    parsed = diglot.spark.__main__._parsed
    given = ["x.warc", "--work=w", "--out=o", "--langs=zh-Hans,pt-BR", "--without=a", "--without=b-c", "--across-suffixes"]
    assert parsed(given)[1] == {"langs": "zh-Hans,pt-BR", "without": ["a", "b-c"], "across_suffixes": True}
    with pytest.raises(SystemExit):
        parsed(["x.warc", "--work=w", "--out=o", "--langs", "en,fr", "--", "-x"])


def test_a_large_site_is_a_part_of_its_own(fake: Fake) -> None:
    fake.begin_at("03-keys")
    fake.faults(at="rescue")
    with pytest.raises(diglot.DiglotError):
        fake.run()
    rows = {line[1]: int(line[2]) for line in fake.log() if line[0] == "keys"}
    # Of each site, a row from each archive; the largest is the first part.
    assert rows == {"0": 2, "1": 2 * (len(SITES) - 1)}


@pytest.mark.long
def test_no_answer_that_is_not_whole_is_taken(fake: Fake) -> None:
    fake.begin_at("04-rescue")
    for what in ["no end", "cut", "short report", "no report"]:
        fake.faults({"step": "rescue", "part": 1, "what": what})
        with pytest.raises(diglot.DiglotError, match="^step 04-rescue, part 1: the answer of the program is not whole: "):
            fake.run()


@pytest.mark.long
def test_a_program_that_was_killed_is_tried_again(fake: Fake) -> None:
    fake.begin_at("08-judge")
    fake.faults({"step": "judge", "part": 1, "what": "killed"})
    with pytest.raises(diglot.DiglotError, match=r"^step 08-judge, part 1: .*ended by signal 9 \(SIGKILL\)") as caught:
        fake.run()
    assert caught.value.exit_code == -signal.SIGKILL
    fake.faults({"step": "judge", "part": 1, "what": "killed", "times": 1}, at="texts")
    ended = subprocess.run(fake.command("--master=local[2,2]"), capture_output=True, text=True)
    assert ended.returncode == 1
    assert "diglot: step 10-texts" in ended.stderr
    assert [line[3] for line in fake.log() if line[:2] == ["judge", "1"]] == ["killed", ""]
    kept = json.loads((fake.work / "08-judge" / "_diglot.json").read_text())
    assert kept["rows_out"] == {"store": 2 * len(SITES), "page_pair": 2 * len(SITES)}


@pytest.mark.long
def test_a_part_that_needs_more_memory_says_so(fake: Fake) -> None:
    fake.begin_at("12-align")
    fake.faults({"step": "align", "part": 0, "what": "over memory"})
    with pytest.raises(diglot.DiglotError, match="^step 12-align, part 0: 2G of 1G") as caught:
        fake.run()
    assert caught.value.exit_code == 5
    assert "--memory=1G" in caught.value.command


@pytest.mark.long
def test_inputs_that_cannot_be_read_are_named_and_left_out_on_demand(fake: Fake, tmp_path: pathlib.Path) -> None:
    no_archive = tmp_path / "none.warc"
    no_archive.write_text("no archive")
    fake = replace(fake, archives=[*fake.archives, str(no_archive)])
    for _ in range(2):
        with pytest.raises(diglot.DiglotError, match=r"^step 02-pages: .*none\.warc: no archive; mend it"):
            fake.run()
        assert "pages" in {line[0] for line in fake.log()}
    fake.faults(at="keys")
    with pytest.raises(diglot.DiglotError, match="03-keys"):
        fake.run(keep_going=True)
    assert {line[0] for line in fake.log()} == {"inputs", "keys"}


def test_a_run_whose_driver_is_killed_goes_on_among_the_archives(fake: Fake, tmp_path: pathlib.Path) -> None:
    shutil.rmtree(fake.work)
    archives = [tmp_path / f"{number:02}.warc" for number in range(13)]
    for number, path in enumerate(archives):
        path.write_text(f"s{number:02}.test 90\nlarge.test 10\n")
    fake = replace(fake, archives=[str(path) for path in archives[:12]])

    def read() -> int:
        lines = [line for line in fake.log() if line[0] == "pages"]
        print(lines)
        return sum(int(line[2]) for line in lines)

    def written() -> list[pathlib.Path]:
        """The records of portions that are there to their end."""
        return [path for path in fake.work.glob("02-pages/portion-*/_diglot.json") if path.read_text().endswith("}")]

    # Three portions of four archives; those that are left then are read in two of two.
    fake.faults({"step": "pages", "name": str(archives[8]), "what": "sleep"})
    driver = subprocess.Popen(fake.command("--master=local[2]"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        wait_until(lambda: (fake.folder / "asleep").exists() and len(written()) == 2)
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    pid = int((fake.folder / "asleep").read_text())
    wait_until(lambda: not is_alive(pid))
    assert 8 <= read() <= 12
    fake.faults()
    found = fake.run()
    assert read() == 4
    assert found.counts["archives"] == 12
    more = replace(fake, archives=[str(archives[12]), *fake.archives])
    grown = more.run()
    assert read() == 1
    sites = fake.sites()
    # As if all were read at once.
    fresh = replace(more, work=tmp_path / "fresh").run()
    assert read() == 13
    assert (grown.counts, grown.left_out, sites) == (fresh.counts, fresh.left_out, fake.sites())
    # An archive that was changed is read again, with its portion; one that is not given any more is forgotten.
    archives[0].write_text("s00.test 91\n")
    changed = replace(fake, archives=fake.archives[:-1]).run()
    assert read() == 4 + 1
    assert changed.counts["captures"] == 91 + 10 * 100
    assert len(list(fake.work.glob("02-pages/portion-*"))) == len(list(fake.work.glob("02-pages/portion-*/_diglot.json")))


@pytest.mark.long
def test_a_run_whose_driver_is_killed_leaves_no_program_and_is_resumed(fake: Fake, tmp_path: pathlib.Path) -> None:
    fake.begin_at("12-align")
    fake.faults({"step": "align", "what": "sleep"})
    command = fake.command("--master=local[2]")
    with (tmp_path / "stderr").open("w+") as stderr:
        driver = subprocess.Popen(command, stdout=stderr, stderr=stderr, start_new_session=True)
        try:
            wait_until(lambda: (fake.folder / "asleep").exists() or driver.poll() is not None)
            stderr.seek(0)
            assert (fake.folder / "asleep").exists(), stderr.read()
        finally:
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
    pid = int((fake.folder / "asleep").read_text())
    wait_until(lambda: not is_alive(pid))
    fake.faults()
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "step 11-model: done before" in ended.stderr
    assert "step 12-align: done before" not in ended.stderr
    assert f"pairs: {2 * len(SITES)}\n" in ended.stdout
    assert fake.sites() == sorted(SITES)


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(1200):
        if is_so():
            return
        time.sleep(0.05)
    pytest.fail("it took a minute")


def is_alive(pid: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_command_ends_with_the_exit_code_of_the_program(fake: Fake) -> None:
    ended = subprocess.run(fake.command("--wrong"), capture_output=True, text=True)
    assert ended.returncode == 2
    assert "diglot: unexpected argument '--wrong'" in ended.stderr


def test_settings_of_the_session_are_as_before(fake: Fake) -> None:
    fake.begin_at("16-tables")
    fake.spark.conf.set("spark.sql.files.openCostInBytes", "77777")
    before = fake.spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    fake.run()
    assert fake.spark.conf.get("spark.sql.files.openCostInBytes") == "77777"
    assert fake.spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == before


def test_the_hash_is_that_of_spark(spark: SparkSession) -> None:
    values = [*range(-5, 2000), 2**31 - 1, 2**31, 2**40 + 7, 2**62, -(2**63)]
    ids = spark.createDataFrame([(value,) for value in values], "id bigint")
    hashed = {row.id: row.hash for row in ids.select("id", F.hash("id").alias("hash")).collect()}
    assert hashed == {value: spark_hash(value) for value in values}
    assert sorted(spark_hash(slot) % 57 for slot in slots(57)) == list(range(57))
