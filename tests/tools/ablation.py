#!/usr/bin/env python3
"""What each setting of link-2014 does: runs the program with one setting after the other, and scores what it finds.

    ablation.py DIGLOT STORE DATA OUT.tsv SITE...

DATA has warc/SITE.warc.gz, gold/SITE.pairs.tsv, gold/SITE.grey.tsv and lexicon/en-XX.tsv. All sites go into one STORE, read once.
OUT.tsv gets a line for each setting: what varies, its value, macro and micro F1, then F1 of each site; stdout the same as a
Markdown table. Word lists are cut to lines drawn at random (seed 1), the same ones in larger cuts. `bars` draws OUT.tsv.
"""

import csv
import io
import pathlib
import random
import subprocess
import sys

ALPHAS = BETAS = ["0", "0.25", "0.5", "0.75", "1"]
SIZES = ["0", "100", "1000", "10000", "all"]


def cut_lists(folder, lists, size):
    """Word lists of so many lines, one a language pair."""
    made = []
    for path in sorted(lists.glob("en-*.tsv")):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        random.Random(1).shuffle(lines)
        lines = lines if size == "all" else lines[: int(size)]
        if lines:
            place = folder / size / path.name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("".join(lines), encoding="utf-8")
            made += ["--lexicon", str(place)]
    return made or ["--lexicon", "none"]


def scores(told, sites):
    """F1: macro, micro, each site; macro is the mean of the sites, whatever hosts a site has."""
    f1 = lambda row: float(row["f1"]) if row["f1"] not in ("", "-") else 0.0
    of_site = []
    for site in sites:
        rows = [row for row in told if row["scope"] == "site" and f"{site}.site.test" in row["name"]]
        if len(rows) != 1:
            sys.exit(f"{site}: {len(rows)} rows in what eval tells")
        of_site.append(f1(rows[0]))
    micro = next(f1(row) for row in told if (row["scope"], row["name"]) == ("all", "micro"))
    return [sum(of_site) / len(of_site), micro, *of_site]


def main():
    diglot, store, data, out, *sites = sys.argv[1:]
    data, store = pathlib.Path(data), pathlib.Path(store)
    lexicon = {size: cut_lists(store.parent / "lexicon", data / "lexicon", size) for size in SIZES}
    usual = {"alpha": "0.6", "beta": "0.6", "rounds": "3", "weights": "none", "lexicon": "all"}
    runs = [("usual", "", {})]
    runs += [("alpha", value, {"alpha": value}) for value in ALPHAS]
    runs += [("beta", value, {"beta": value}) for value in BETAS]
    runs += [("rounds", str(value), {"rounds": str(value)}) for value in range(7)]
    runs += [("weights", value, {"weights": value}) for value in ["none", "first", "second"]]
    runs += [("lexicon", value, {"lexicon": value}) for value in SIZES]
    runs += [("lexicon, no links", value, {"lexicon": value, "alpha": "0"}) for value in SIZES]
    runs += [("no links, beta", value, {"beta": value, "alpha": "0"}) for value in BETAS]
    gold = [f"--gold={data}/gold/{site}.pairs.tsv" for site in sites]
    gold += [f"--grey={data}/gold/{site}.grey.tsv" for site in sites]
    known = {}
    rows = []
    for what, value, changes in runs:
        setting = usual | changes
        options = [f"--{name}={setting[name]}" for name in ["alpha", "beta", "rounds", "weights"]]
        options += lexicon[setting["lexicon"]]
        key = tuple(options)
        if key not in known:
            base = [diglot, "run", "-q", "--store", str(store), "--preset", "link-2014", "--until", "iterate"]
            archives = [f"{data}/warc/{site}.warc.gz" for site in sites]
            subprocess.run(base + options + archives, check=True, stdout=subprocess.DEVNULL)
            told = subprocess.run([diglot, "eval", "--format", "tsv", "--store", str(store), *gold],
                                  check=True, stdout=subprocess.PIPE, text=True).stdout
            known[key] = list(csv.DictReader(io.StringIO(told), delimiter="\t"))
        rows.append((what, value, scores(known[key], sites)))
        print("|", " | ".join([what, value] + [f"{f1:.3f}" for f1 in rows[-1][2]]), "|", flush=True)
    with open(out, "w", encoding="utf-8") as file:
        for what, value, found in rows:
            print(what, value, *(f"{f1:.4f}" for f1 in found), sep="\t", file=file)


if __name__ == "__main__":
    main()
