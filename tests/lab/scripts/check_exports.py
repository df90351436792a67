#!/usr/bin/env python3
"""Reads what `diglot export` writes with other programs' readers, and compares the formats with each other.

    check_exports.py DIGLOT STORE [LANG,LANG]

Sentence pairs as TSV, JSON Lines, TMX, Moses and Parquet must hold the same texts. TMX is held against tests/tmx14.dtd by
lxml, Parquet is read by pyarrow; without the one or the other that check is left out, and a line says so. Exit code 1 when
anything differs.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile


def main():
    program, store = sys.argv[1:3]
    langs = sys.argv[3:4] and ["--langs", sys.argv[3]]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)

        def export(kind, name):
            command = [program, "export", "-q", "--what", "bitext", "--format", kind, "--store", store, *langs]
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


def rows(path):
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [texts(row) for row in table]


def texts(row):
    return (row["text_a"], row["text_b"])


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


main()
