"""Stores: their tables are what the program lists."""

import json
import pathlib
import pickle
import subprocess
from typing import Any

import diglot
import pyarrow as pa
import pytest
from conftest import ROOT
from diglot._program import program

FRENCH = "http://webserver.site.test/manual/fr/howto/public_html.html"
#: The columns that are listed; exports have more.
LISTED = ["url_a", "url_b", "lang_a", "lang_b", "score", "method", "key"]
COPY = "http://webserver.site.test/manual/zh-cn/howto/public_html.html"


def listed(store: diglot.Store, *arguments: str) -> list[dict[str, Any]]:
    """What a command lists as JSON Lines."""
    command = [program(), *arguments, "--format", "jsonl", "--store", str(store.path)]
    lines = subprocess.run(command, check=True, capture_output=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def test_pairs_are_those_that_are_listed(store: diglot.Store) -> None:
    assert store.pairs().select(LISTED).to_pylist() == listed(store, "pairs")
    some = store.pairs(host="fr.packaging.site.test", langs="fr,en", min_score=0.9)
    options = ("fr.packaging.site.test", "--langs", "fr,en", "--min-score", "0.9")
    assert some.select(LISTED).to_pylist() == listed(store, "pairs", *options) != []
    assert some["scorer"].null_count == some.num_rows
    assert set(some["lang_a"].to_pylist()) == {"fr"}
    assert store.pairs(limit=3).to_pylist() == store.pairs().slice(0, 3).to_pylist()
    assert store.pairs(min_score=1).num_rows == 0
    assert store.pairs(min_score=1).schema == store.pairs().schema


def test_sentence_pairs_are_those_that_are_listed(store: diglot.Store, found: diglot.RunResult) -> None:
    bitext = store.bitext()
    assert bitext.num_rows == found.counts["sentence_pairs"]
    expected = listed(store, "bitext")
    assert bitext.select(list(expected[0])).to_pylist() == expected
    chinese = store.bitext(langs=("en", "zh"))["text_b"].to_pylist()
    assert any("服务器" in str(text) for text in chinese)
    everything = store.bitext(keep_all=True)
    assert "duplicate" in everything["reason"].to_pylist()
    assert everything.num_rows > bitext.num_rows


def test_batches_are_the_table(store: diglot.Store) -> None:
    with store.bitext_batches(langs="en,fr") as reader:
        assert pa.Table.from_batches(reader, reader.schema) == store.bitext(langs="en,fr")
    assert store.pairs_batches().read_all() == store.pairs()
    assert store.documents_batches().read_all() == store.documents()
    assert store.units_batches().read_all() == store.units()
    languages = store.languages().to_pylist()
    assert languages[0]["name"] == "English" and sum(row["pages"] for row in languages) == store.counts()["pages"]
    assert store.pages_batches().read_all() == store.pages()


def test_units_have_a_text_in_each_of_several_languages(store: diglot.Store) -> None:
    rows = store.units(langs="en,es,fr", where="languages>=3").to_pylist()
    assert rows
    for row in rows:
        assert [text["lang"] for text in row["texts"]] == ["en", "es", "fr"] == row["langs"].split(",")
        assert all(text["text"] and text["url"].startswith("http") for text in row["texts"])
        assert all(0 <= pair["score"] <= 1 for pair in row["pairs"])


def test_languages_of_texts_come_where_they_are_asked_for(store: diglot.Store) -> None:
    assert "detected_lang_a" not in store.bitext(limit=1).schema.names
    assert store.bitext(limit=5, detect=True)["detected_confidence_b"].type == "double"
    assert min(store.bitext()["targets"].to_pylist()) == 1


def test_documents_and_pages_have_texts(store: diglot.Store) -> None:
    documents = store.documents(langs="en,fr", host="webserver.site.test")
    assert documents.num_rows == store.pairs(langs="en,fr", host="webserver.site.test").num_rows
    row = next(row for row in documents.to_pylist() if row["url_b"] == FRENCH)
    assert "Répertoires" in row["title_b"]
    assert row["sentences"][0].keys() >= {"text_a", "text_b", "score"}
    pages = store.pages(langs="fr")
    assert FRENCH in pages["url"].to_pylist()
    assert set(pages["lang"].to_pylist()) == {"fr"}


def test_keys_are_those_that_are_listed(store: diglot.Store) -> None:
    assert store.keys().to_pylist() == listed(store, "keys")
    assert store.keys(weak=True).to_pylist() == listed(store, "keys", "--weak")
    assert store.keys(host="fr.packaging.site.test", limit=2)["key"].to_pylist() == ["host:de:fr", "host:en:fr"]
    assert store.keys().schema.field("est_precision").type == pa.float64()
    assert store.keys(limit=0).schema == store.keys().schema


def test_hosts_are_those_that_are_listed(store: diglot.Store) -> None:
    expected = listed(store, "hosts", "--sort", "rank")
    hosts = store.hosts(sort="rank").to_pylist()
    names = {row["lang"]: row["name"] for row in store.languages().to_pylist()}
    for row in hosts:
        row["langs"] = [{"lang": lang, "name": names.get(lang), "pages": pages} for lang, pages in row["langs"]]
    assert hosts == expected
    assert dict(store.hosts(host="fr.packaging.site.test")["langs"][0].as_py()) == {"en": 1, "fr": 9, "und": 2}
    assert store.hosts(limit=0).schema == store.hosts().schema
    assert "rank" not in store.hosts().column_names


def test_explanations_are_objects(store: diglot.Store) -> None:
    copy = store.explain(COPY)
    assert copy["pages"][0]["url"] == COPY
    assert copy == listed(store, "explain", COPY)[0]
    two = store.explain(FRENCH, FRENCH.replace("/fr/", "/en/"))
    assert two["pair"] is not None
    with pytest.raises(diglot.DiglotError, match="no such page; the nearest URL it has is") as caught:
        store.explain("http://webserver.site.test/manual/fr/howto/public.html")
    assert caught.value.exit_code == 1
    with pytest.raises(diglot.DiglotError, match="no page of this host"):
        store.pairs(host="example.org")


def test_the_status_tells_what_there_is(store: diglot.Store, found: diglot.RunResult) -> None:
    assert store.status().to_pylist() == listed(store, "status")
    archives = store.status(archives=True).to_pylist()
    assert any(row["what"] == "archive" and row["name"].endswith("webserver.warc.gz") for row in archives)
    assert store.counts() == found.counts


def test_what_is_not_up_to_date_is_warned_of_where_it_is_asked(tmp_path: pathlib.Path) -> None:
    with pytest.warns(diglot.DiglotWarning, match="diglot run") as caught:
        store = diglot.run(ROOT / "data" / "sites", store=tmp_path / "s", until="index").store
        assert store.keys().num_rows == 0
    assert {warning.filename for warning in caught} == {__file__}
    with pytest.raises(diglot.DiglotError, match="sentence pairs to export"):
        store.bitext()


def test_stores_and_errors_cross_processes(store: diglot.Store) -> None:
    assert pickle.loads(pickle.dumps(store)) == store
    error = pickle.loads(pickle.dumps(diglot.DiglotError("text", 2, "diglot: text", ["diglot"])))
    assert (str(error), error.exit_code, error.stderr, error.command) == ("text", 2, "diglot: text", ("diglot",))
