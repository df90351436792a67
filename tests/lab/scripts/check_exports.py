#!/usr/bin/env python3
"""Reads what `diglot export` writes with other programs' readers, and compares the formats with each other.

    check_exports.py DIGLOT STORE [LANG,LANG]

Sentence pairs as TSV, CSV, JSON Lines, TMX, Moses, XCES, Parquet, Arrow, in the columns of Bitextor and as Hugging Face's datasets load
them must hold the same texts; documents and pages must be the same rows as JSON Lines, Parquet and Arrow; words the same as CSV and TBX.
TMX is held against tests/tmx14.dtd by lxml, Parquet and Arrow are read by pyarrow and DuckDB, tables also by pandas and polars with their
defaults, TMX and TBX by the Translate Toolkit, TMX and Moses by mtdata, Moses by OpusFilter, XCES by OpusTools; without one of them that
check is left out, and a line says so. Exit code 1 when anything differs.
"""

import contextlib
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types


def main():
    program, store = sys.argv[1:3]
    langs = sys.argv[3:4] and ["--langs", sys.argv[3]]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)

        def export(kind, name, what="bitext"):
            command = [program, "export", "-q", "--what", what, "--format", kind, "--store", store, *langs]
            subprocess.run([*command, "--output", str(out / name)], check=True)

        export("tsv", "x.tsv")
        expected = rows(out / "x.tsv")
        print(f"tsv: {len(expected)} sentence pairs")
        export("jsonl", "x.jsonl")
        lines = [json.loads(line) for line in (out / "x.jsonl").open(encoding="utf-8")]
        check("jsonl", [texts(line) for line in lines], expected)
        if langs:
            export("moses", "x")
            sides = [(out / f"x.{lang}").read_text(encoding="utf-8").split("\n") for lang in sys.argv[3].split(",")]
            if any(side.pop() for side in sides) or len(sides[0]) != len(sides[1]):
                sys.exit("moses: the files are not as long, or their last lines do not end")
            check("moses", list(zip(*sides)), expected)
        export("tmx", "x.tmx")
        tmx(out / "x.tmx", expected)
        export("parquet", "x.parquet")
        parquet(out / "x.parquet", expected)
        export("csv", "x.csv")
        with (out / "x.csv").open(encoding="utf-8", newline="") as file:
            check("csv", [tuple(map(without_apostrophe, texts(row))) for row in csv.DictReader(file)], expected)
        tables(out, expected)
        if langs:
            export("bitextor", "x.sent")
            with (out / "x.sent").open(encoding="utf-8", newline="") as file:
                table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                check("bitextor", [(row["src_text"], row["trg_text"]) for row in table], expected)
            hugging_face(export, out, sys.argv[3].split(","), expected)
            export("xces", "xces")
            for consumer in [opus_tools, opus_filter, mtdata, translate_toolkit]:
                read_by(consumer, out, sys.argv[3].split(","), expected, export)
        for what in ["documents", "pages"]:
            rows_of(what, export, out)


def rows(path):
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8", newline="") as file:
        return [texts(row) for row in csv.DictReader(file, delimiter="\t")]


def tables(out, expected):
    """TSV and CSV by what data engineers read them with, with its defaults."""
    for name, separator in [("x.tsv", "\t"), ("x.csv", ",")]:
        path = out / name
        apostrophe = without_apostrophe if name == "x.csv" else str
        plain = lambda pairs: [tuple(map(apostrophe, pair)) for pair in pairs]
        try:
            import pandas

            frame = pandas.read_csv(path, sep=separator, keep_default_na=False)
            check(f"{name} by pandas", plain(zip(frame["text_a"].astype(str), frame["text_b"].astype(str))), expected)
            # What nothing in the file can change: some texts are missing values to it, quoted or not.
            frame = pandas.read_csv(path, sep=separator)
            for column, texts_of in zip(["text_a", "text_b"], zip(*flat(expected))):
                missing = {text for text, is_missing in zip(texts_of, frame[column].isna()) if is_missing}
                if not missing <= NO_VALUES or len(frame) != len(expected):
                    sys.exit(f"{name} by pandas with its defaults: {missing - NO_VALUES} are missing values")
        except ImportError:
            print(f"{name}: not checked, there is no pandas")
        try:
            import polars

            frame = polars.read_csv(path, separator=separator)
            check(f"{name} by polars", plain(frame.select("text_a", "text_b").rows()), expected)
        except ImportError:
            print(f"{name}: not checked, there is no polars")
        try:
            import duckdb

            found = duckdb.sql(f"select text_a, text_b from '{path}'").fetchall()
            check(f"{name} by DuckDB", plain(found), expected)
        except ImportError:
            print(f"{name}: not checked, there is no duckdb")


# What pandas takes for missing values by default.
NO_VALUES = set(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]
)


def texts(row):
    return (row["text_a"], row["text_b"])


def without_apostrophe(cell):
    """A cell of CSV without the apostrophe that keeps spreadsheets from running it, as the guide says it is taken away."""
    return cell[1:] if re.match("'+[=+\\-@\t\r\n＝＋－＠]", cell) else cell


def flat(pairs):
    """Without the white space that line formats have to give up."""
    return [tuple(" ".join(text.split()) for text in pair) for pair in pairs]


def check(name, found, expected):
    if flat(found) != flat(expected):
        sys.exit(f"{name}: {len(found)} sentence pairs, not those of tsv, which has {len(expected)}")
    print(f"{name}: the same")


def tmx(path, expected):
    try:
        from lxml import etree
    except ImportError:
        print("tmx: not checked, there is no lxml")
        return
    dtd = etree.DTD(str(pathlib.Path(__file__).parent.parent.parent / "tmx14.dtd"))
    tree = etree.parse(str(path), etree.XMLParser(huge_tree=True, load_dtd=False, no_network=True))
    if not dtd.validate(tree):
        sys.exit(f"tmx: {dtd.error_log.last_error}")
    found = [tuple("".join(seg.itertext()) for seg in unit.iter("seg")) for unit in tree.iter("tu")]
    check("tmx, valid by its DTD", found, expected)


def parquet(path, expected):
    try:
        from pyarrow import parquet as reader
    except ImportError:
        print("parquet: not checked, there is no pyarrow")
        return
    table = reader.read_table(path)
    check("parquet", [texts(row) for row in table.to_pylist()], expected)


def hugging_face(export, out, langs, expected):
    # Nothing is asked of the hub.
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        from datasets import load_dataset
    except ImportError:
        print("hf: not checked, there is no datasets")
        return
    from datasets import Translation

    export("hf", "hf.jsonl")
    export("hf", "hf.parquet")
    export("hf", "folder")
    found = {
        "json": ["json", {"data_files": str(out / "hf.jsonl")}],
        "parquet": ["parquet", {"data_files": str(out / "hf.parquet")}],
        "folder": [str(out / "folder"), {"name": "-".join(langs)}],
    }
    for kind, (path, options) in found.items():
        rows = load_dataset(path, split="train", cache_dir=str(out / "cache"), **options)
        if kind != "json" and not isinstance(rows.features["translation"], Translation):
            sys.exit(f"hf as {kind}: {rows.features} is no translation")
        check(f"hf as {kind}", [tuple(row["translation"][lang] for lang in langs) for row in rows], expected)


def read_by(consumer, *arguments):
    """Has a consumer read what is for it; without it, says so."""
    try:
        consumer(*arguments)
    except ImportError as error:
        print(f"{consumer.__name__}: not checked, {error}")


def lines_of(path):
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def opus_tools(out, langs, expected, _):
    from opustools import OpusRead

    files = [str(out / f"opus.{lang}") for lang in langs]
    alignment = str(out / "xces" / f"{'-'.join(langs)}.xml.gz")
    options = {"alignment_file": alignment, "download_dir": str(out / "xces"), "preprocess": "raw"}
    options |= {"write_mode": "moses", "write": files, "suppress_prompts": True}
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere), contextlib.redirect_stdout(nowhere):
        OpusRead(directory="x", source=langs[0], target=langs[1], **options).printPairs()
    check("xces by OpusTools", list(zip(*[lines_of(pathlib.Path(file)) for file in files])), expected)


def opus_filter(out, langs, expected, _):
    from opusfilter.opusfilter import OpusFilter

    # A filter that keeps everything.
    names = [[f"{name}.{lang}" for lang in langs] for name in ["x", "kept"]]
    limits = {"unit": "char", "min_length": 0, "max_length": 1 << 30, "pass_empty": True}
    step = {"inputs": names[0], "outputs": names[1], "filters": [{"LengthFilter": limits}]}
    config = {"common": {"output_directory": str(out)}, "steps": [{"type": "filter", "parameters": step}]}
    OpusFilter(config).execute_steps()
    check("moses by OpusFilter", list(zip(*[lines_of(out / name) for name in names[1]])), expected)


def mtdata(out, langs, expected, _):
    import html

    from mtdata.parser import Parser
    from mtdata.tmx import read_tmx

    entry = types.SimpleNamespace(meta=None, cols=None)
    files = [out / f"x.{lang}" for lang in langs]
    check("moses by mtdata", list(Parser(files, ext="txt", ent=entry).read_segs(show_pbar=False)), expected)
    # It takes entities of HTML in the texts of TMX for what they stand for.
    unescaped = [tuple(map(html.unescape, pair)) for pair in expected]
    check("tmx by mtdata", list(read_tmx(out / "x.tmx", langs=langs)), unescaped)


def translate_toolkit(out, langs, expected, export):
    from translate.storage import tbx, tmx

    def units(store, name):
        with (out / name).open("rb") as file:
            found = store(file, sourcelanguage=langs[0], targetlanguage=langs[1]).units
        return [(str(unit.source), str(unit.target)) for unit in found]

    check("tmx by the Translate Toolkit", units(tmx.tmxfile, "x.tmx"), expected)
    export("csv", "words.csv", "lexicon")
    export("tbx", "words.tbx", "lexicon")
    with (out / "words.csv").open(encoding="utf-8", newline="") as file:
        head, *words = [tuple(map(without_apostrophe, row)) for row in csv.reader(file)]
    if list(head) != langs:
        sys.exit(f"lexicon as csv: of {head}, expected {langs}")
    print(f"lexicon: {len(words)} pairs of words")
    check("tbx by the Translate Toolkit", units(tbx.tbxfile, "words.tbx"), words)


def rows_of(what, export, out):
    export("jsonl", f"{what}.jsonl", what)
    with (out / f"{what}.jsonl").open(encoding="utf-8") as file:
        expected = [json.loads(line) for line in file]
    for name in ["parquet", "arrow", "arrows"]:
        export("parquet" if name == "parquet" else "arrow", f"{what}.{name}", what)
    try:
        from pyarrow import ipc, parquet as reader
    except ImportError:
        print(f"{what}: not checked, there is no pyarrow")
        return
    with (out / f"{what}.arrow").open("rb") as file, (out / f"{what}.arrows").open("rb") as stream:
        found = {
            "parquet": reader.read_table(out / f"{what}.parquet").to_pylist(),
            "arrow": ipc.open_file(file).read_all().to_pylist(),
            "arrows": ipc.open_stream(stream).read_all().to_pylist(),
        }
    for name, rows in found.items():
        if rows != expected:
            sys.exit(f"{what}: {len(rows)} rows of {name}, not those of jsonl, which has {len(expected)}")
    try:
        import duckdb
    except ImportError:
        print(f"{what} by DuckDB: not checked, there is no duckdb")
        return
    for name in ["parquet", "jsonl"]:
        count = duckdb.sql(f"select count(*) from '{out / what}.{name}'").fetchall()[0][0]
        if count != len(expected):
            sys.exit(f"{what}: DuckDB finds {count} rows of {name}, expected {len(expected)}")
    print(f"{what}: {len(expected)} rows, the same in all formats")


main()
