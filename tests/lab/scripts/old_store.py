#!/usr/bin/env python3
"""Makes the store that later releases are tried on: of a small site, with every kind of record, and what it exports.

    old_store.py DIGLOT FOLDER

Writes FOLDER/site.warc.gz, FOLDER/store.zip (the store, whose results are those of the program DIGLOT) and, as JSON Lines, the
columns of pairs, sentence pairs and pages that must stay. A release makes tests/data/store-N with it, N being its format of stores;
tests/it/upgrades.rs reads all that are there.
"""

import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import zipfile

NOUNS = [
    ("house", "maison"), ("garden", "jardin"), ("river", "rivière"), ("mountain", "montagne"), ("teacher", "professeur"),
    ("doctor", "médecin"), ("church", "église"), ("window", "fenêtre"), ("kitchen", "cuisine"), ("village", "village"),
    ("baker", "boulanger"), ("winter", "hiver"), ("summer", "été"), ("friend", "ami"), ("letter", "lettre"), ("bridge", "pont"),
    ("horse", "cheval"), ("school", "école"), ("market", "marché"), ("forest", "forêt"), ("painter", "peintre"),
    ("sailor", "marin"), ("evening", "soir"), ("morning", "matin"),
]  # fmt: skip
VERBS = [
    ("sees", "voit"), ("loves", "aime"), ("repairs", "répare"), ("forgets", "oublie"), ("draws", "dessine"), ("buys", "achète"),
    ("sells", "vend"), ("cleans", "nettoie"),
]  # fmt: skip
REPEATED = ("The museum in the old mill is open every day.", "Le musée du vieux moulin est ouvert tous les jours.")

COLUMNS = {
    "pairs": "url_a url_b lang_a lang_b score method key scorer id",
    "bitext": "text_a text_b lang_a lang_b score scorer url_a others id",
    "pages": "url lang title date offset id",
}

SCORER = "import sys\nfor line in sys.stdin: print(round(1 / (1 + len(line) % 7), 4), flush=True)\n"


def record(dice, url, html, status="200 OK"):
    block = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}".encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n"
        f"WARC-Record-ID: <urn:uuid:{dice.getrandbits(64):016x}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


def archive():
    """Pages in English and French, of which one lacks its translation, one is too short and one is missing."""
    dice = random.Random(18)
    count = len(NOUNS)
    records = []
    for number, titles in enumerate(NOUNS):
        bodies = ["", ""]
        for _ in range(3):
            sentences = ["", ""]
            for _ in range(2):
                who, does, what, other = dice.choice(NOUNS), dice.choice(VERBS), dice.choice(NOUNS), dice.choice(NOUNS)
                year = 1900 + dice.randrange(99)
                sentences[0] += f"The {who[0]} of the old town {does[0]} the {what[0]} and the {other[0]} since {year}. "
                sentences[1] += f"Le {who[1]} de la vieille ville {does[1]} le {what[1]} et le {other[1]} depuis {year}. "
            bodies = [body + f"<p>{text}</p>" for body, text in zip(bodies, sentences)]
        for side, lang in enumerate(["en", "fr"]):
            if (number, lang) == (7, "fr"):
                continue
            links = "".join(f'<a href="/{lang}/{(number + k) % count}.html">{NOUNS[(number + k) % count][side]}</a> ' for k in (1, 5))
            links += '<a href="http://other.example/">x</a>'
            head = f"<head><title>{titles[side]} {number}</title></head>"
            body = f"<body><h1>{titles[side]}</h1>{bodies[side]}<p>{REPEATED[side]}</p>{links}</body>"
            records.append(record(dice, f"http://upgrade.test/{lang}/{number}.html", f"<html lang={lang}>{head}{body}</html>"))
    records.append(record(dice, "http://upgrade.test/en/short.html", "<p>Soon"))
    records.append(record(dice, "http://upgrade.test/fr/gone.html", "<p>Nothing", "404 Not Found"))
    return b"".join(records)


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        made = pathlib.Path(made)
        (made / "site.warc.gz").write_bytes(archive())
        (made / "score.py").write_text(SCORER)
        scorer = ["--scorer", "python3 score.py"]

        def diglot(*arguments):
            command = [program, "--quiet", "--store", "store", *arguments]
            return subprocess.run(command, cwd=made, check=True, capture_output=True, encoding="utf-8").stdout

        diglot("run", "site.warc.gz", *scorer)
        diglot("recover", "-o", "list.txt")
        diglot("explore")
        diglot("remove", "--url", "http://upgrade.test/en/3.html")
        diglot("run", *scorer)
        # A file without records is a header of 64 bytes: here each kind has some.
        empty = [path.parent.name for path in (made / "store").glob("*/*.rec") if path.stat().st_size <= 64]
        assert not empty, f"no records in {empty}"
        for what, columns in COLUMNS.items():
            rows = map(json.loads, diglot("export", "--what", what, "--format", "jsonl").splitlines())
            lines = [json.dumps({name: row[name] for name in columns.split()}, ensure_ascii=False) + "\n" for row in rows]
            (folder / f"{what}.jsonl").write_text("".join(lines), encoding="utf-8")
        (folder / "site.warc.gz").write_bytes((made / "site.warc.gz").read_bytes())
        with zipfile.ZipFile(folder / "store.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as store:
            for path in sorted((made / "store").rglob("*")):
                store.write(path, path.relative_to(made / "store"))


if __name__ == "__main__":
    main()
