#!/usr/bin/env python3
"""What each setting of link-2014 does: runs the program with one setting after the other, and scores what it finds.

    ablation.py DIGLOT FOLDER DATA OUT.tsv SITE...

DATA has warc/SITE.warc.gz, gold/SITE.pairs.tsv, gold/SITE.grey.tsv and lexicon/en-XX.tsv. Each site has a store of its
own in FOLDER: the sites are hosts of one domain, and in one store all their pages would be compared with each other. OUT.tsv gets a line for each setting: what varies, its value, macro and micro F1, then F1 of each site; stdout the same as a Markdown
table. Word lists are cut to lines drawn at random (seed 1), the same ones in larger cuts. `bars` draws OUT.tsv.
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
    """Word lists of so many lines, by the language beside English."""
    made = {}
    for path in sorted(lists.glob("en-*.tsv")):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        random.Random(1).shuffle(lines)
        lines = lines if size == "all" else lines[: int(size)]
        if lines:
            place = folder / size / path.name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("".join(lines), encoding="utf-8")
            made[path.stem.removeprefix("en-")] = str(place)
    return made


def lists_of(site, data, lists):
    """Options for the word lists of a site's languages; Chinese is in several."""
    lines = (data / "gold" / f"{site}.pairs.tsv").read_text(encoding="utf-8").splitlines()
    langs = {lang.removesuffix("-cn") for line in lines for lang in line.split("\t")[2:4]}
    wanted = [path for lang, path in lists.items() if lang in langs]
    return [f"--lexicon={path}" for path in wanted] or ["--lexicon=none"]


def score(diglot, store, data, site, options):
    """Right pairs, pairs that count, gold pairs and F1 of one site."""
    base = [diglot, "run", "-q", "--store", str(store / site), "--preset", "link-2014", "--until", "iterate"]
    subprocess.run([*base, *options, f"{data}/warc/{site}.warc.gz"], check=True, stdout=subprocess.DEVNULL)
    gold = [f"--gold={data}/gold/{site}.pairs.tsv", f"--grey={data}/gold/{site}.grey.tsv"]
    told = subprocess.run([diglot, "eval", "--format", "tsv", "--store", str(store / site), *gold],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    row = next(row for row in csv.DictReader(io.StringIO(told), delimiter="\t") if row["name"] == "micro")
    right, bad, gold = int(row["right"]), int(row["wrong"]) + int(row["untranslated"]), int(row["gold"])
    return right, right + bad, gold, 2 * right / max(1, right + bad + gold)


def macro_micro(scores):
    """F1: macro, micro, then of each site."""
    right, found, gold = (sum(score[at] for score in scores) for at in range(3))
    each = [score[3] for score in scores]
    return [sum(each) / len(each), 2 * right / max(1, found + gold), *each]


def main():
    diglot, folder, data, out, *sites = sys.argv[1:]
    data, folder = pathlib.Path(data), pathlib.Path(folder)
    lexicon = {size: cut_lists(folder / "lexicon", data / "lexicon", size) for size in SIZES}
    usual = {"alpha": "0.6", "beta": "0.6", "rounds": "3", "weights": "none", "lexicon": "all"}
    runs = [("usual", "", {})]
    runs += [("alpha", value, {"alpha": value}) for value in ALPHAS]
    runs += [("beta", value, {"beta": value}) for value in BETAS]
    runs += [("rounds", str(value), {"rounds": str(value)}) for value in range(7)]
    runs += [("weights", value, {"weights": value}) for value in ["none", "first", "second"]]
    runs += [("lexicon", value, {"lexicon": value}) for value in SIZES]
    runs += [("lexicon, no links", value, {"lexicon": value, "alpha": "0"}) for value in SIZES]
    runs += [("no links, beta", value, {"beta": value, "alpha": "0"}) for value in ["0", "1"]]
    known = {}
    rows = []
    for what, value, changes in runs:
        setting = usual | changes
        options = [f"--{name}={setting[name]}" for name in ["alpha", "beta", "rounds", "weights"]]
        lists = lexicon[setting["lexicon"]]
        key = (*options, setting["lexicon"])
        if key not in known:
            of_site = (score(diglot, folder, data, site, options + lists_of(site, data, lists)) for site in sites)
            known[key] = macro_micro(list(of_site))
        rows.append((what, value, known[key]))
        print("|", " | ".join([what, value] + [f"{f1:.3f}" for f1 in rows[-1][2]]), "|", flush=True)
    with open(out, "w", encoding="utf-8") as file:
        for what, value, found in rows:
            print(what, value, *(f"{f1:.4f}" for f1 in found), sep="\t", file=file)


if __name__ == "__main__":
    main()
