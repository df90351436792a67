#!/usr/bin/env python3
"""Writes src/language/names.tsv: what languages are called, from CLDR.

Usage: language_names.py OUT.tsv    (needs Babel)

One line a language with a code of ISO 639-1, and one for each script of Chinese: its code, then its name in itself, in English, and, of the
languages in MAIN, in each of them, in lower case and parted by `|`. Names of two languages are left out.
"""

import sys
import unicodedata
from collections import Counter

from babel import Locale, localedata

# The languages that are written most on the web.
MAIN = (
    "ar bg bn ca cs da de el en es et eu fa fi fr gl he hi hr hu id it ja ka ko lt lv ms nb nl pl pt ro ru sk sl sr sv ta th tr uk ur vi zh"
).split()
# Codes that are no longer used, and those that stand for two languages.
OBSOLETE = {"sh", "tl", "iw", "in", "mo"}


def names_of(code, locales):
    """The names of a language, the most direct first."""
    found = []
    for locale in locales:
        name = Locale.parse(locale).languages.get(code.replace("-", "_"))
        name = name and unicodedata.normalize("NFC", name).lower().strip()
        if name and name not in found:
            found.append(name)
    return found


def main():
    known = set(localedata.locale_identifiers())
    names = {}
    for code in (code for code in Locale("en").languages if len(code) == 2 and code not in OBSOLETE):
        own = [code] if code in known else []
        names[code] = names_of(code, own + ["en"] + (MAIN if code in MAIN or code == "no" else []))
    for code in ("zh-Hans", "zh-Hant"):
        names[code] = names_of(code, [code.replace("-", "_")] + MAIN)
    count = Counter(name for found in names.values() for name in found)
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for code in sorted(names):
            kept = [name for name in names[code] if count[name] == 1]
            if kept:
                out.write(code + "\t" + "|".join(kept) + "\n")


main()
