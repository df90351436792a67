"""Draws lines of bitext to be read, and counts what readers say of them.

    draw.py draw SHEET KEY --version BINARY FOLDER [--version BINARY FOLDER] [-n 300] [--pairs 12] [--by root|line] [--seed 1]
    draw.py tally KEY SHEET [SHEET ...]

`draw` exports the kept sentence pairs of each store NAME.store in FOLDER by BINARY, and draws N of each version, in the same pairs of languages: so
many are drawn, the more likely the more lines they have. Strata are the sites and pairs of languages; each is given as many lines as
the root of its lines asks for (`root`), or of its lines (`line`). The lines of all versions are mixed. SHEET has what a reader may see (number,
languages, texts, and two empty columns: class and remark), KEY what they may not (number, version, site, weight, score, URLs).
What is drawn depends on SEED, the names of sites and the lines alone.

A reader writes one letter into `class`, by the worst that holds of the line:

    s  right, a sentence           g  right, but with something glued to it       l  right, but a label, title, name or date
    p  right in part               w  wrong: the sides do not say the same        o  a side is in a wrong language, or was not translated
    t  both sides are the same text

`tally` prints for each version how many lines of each class there are, their share as drawn with Wilson's interval of 95 %, the share weighted
back to all lines, and the same of lines of at most three words a side; for two sheets also Cohen's kappa.
"""
import argparse
import collections
import csv
import glob
import hashlib
import json
import os
import random
import re
import subprocess
import tempfile

SHEET = ['number', 'lang_a', 'lang_b', 'text_a', 'text_b', 'class', 'remark']
KEY = ['number', 'version', 'site', 'lang_a', 'lang_b', 'weight', 'words', 'score', 'url_a', 'url_b']
CLASSES = {'s': 'right sentence', 'g': 'with something glued', 'l': 'label', 'p': 'partly', 'w': 'wrong', 'o': 'wrong language', 't': 'same text'}
BAD = 'wot'
TABLE = {'delimiter': '\t', 'lineterminator': '\n', 'quoting': csv.QUOTE_NONE, 'quotechar': None}
WORD = re.compile(r'[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+')


def chance(*parts):
    """A number from 0 to 1 that depends on the parts alone."""
    return (int.from_bytes(hashlib.blake2b('\0'.join(map(str, parts)).encode(), digest_size=8).digest(), 'big') + 1) / (2 ** 64 + 1)


def lines_of(binary, folder):
    """The kept sentence pairs of each store of a folder, by site."""
    for store in sorted(glob.glob(os.path.join(glob.escape(folder), '*.store'))):
        with tempfile.TemporaryDirectory(prefix='draw-') as scratch:
            out = os.path.join(scratch, 'out.jsonl')
            subprocess.run([binary, 'export', '--store', store, '--quiet', '--what', 'bitext', '-o', out], check=True)
            with open(out, encoding='utf-8') as rows:
                for row in map(json.loads, rows):
                    yield os.path.basename(store).removesuffix('.store'), row


def strata_of(binary, folder):
    """(site, first language, second language) → its lines; languages in one order, whichever side they stand on."""
    strata = collections.defaultdict(list)
    for site, row in lines_of(binary, folder):
        a, b = sorted('ab', key=lambda side: row['lang_' + side])
        line = {column + '_' + to: row[column + '_' + side] for to, side in (('a', a), ('b', b)) for column in ('lang', 'text', 'url')}
        strata[site, line['lang_a'], line['lang_b']].append({**line, 'score': row['score']})
    return strata


def allotted(sizes, n, by):
    """How many lines each stratum gets: in proportion to its lines or their root, all that it has at most."""
    share = {of: size if by == 'line' else size ** .5 for of, size in sizes.items()}
    given, left = {}, n
    # Those with too few lines give all, and what they lack goes to the others.
    while True:
        scale = left / sum(share.values()) if share else 0
        full = [of for of in share if share[of] * scale >= sizes[of]]
        if not full:
            break
        for of in full:
            given[of] = sizes[of]
            left -= sizes[of]
            del share[of]
    parts = {of: share[of] * scale for of in share}
    given.update({of: int(part) for of, part in parts.items()})
    rest = n - sum(given.values())
    for of in sorted(parts, key=lambda of: (int(parts[of]) - parts[of], of))[:max(rest, 0)]:
        given[of] += 1
    return given


def drawn(strata, n, by, seed):
    """The lines drawn of one version, each with its weight: how many lines it stands for."""
    given = allotted({of: len(lines) for of, lines in strata.items()}, n, by)
    for of in sorted(strata):
        lines = sorted(strata[of], key=lambda line: chance(*seed, *of, line['text_a'], line['text_b']))
        for line in lines[:given[of]]:
            yield {**line, 'site': of[0], 'weight': len(lines) / given[of], 'words': min(len(WORD.findall(line['text_' + side])) for side in 'ab')}


def plain(text):
    return ' '.join(text.split())


def draw(args):
    versions = [strata_of(*version) for version in args.version]
    sizes = collections.Counter()
    for strata in versions:
        for (_, *pair), of in strata.items():
            sizes[tuple(pair)] += len(of)
    # As if pairs of languages were drawn one after another, each with a probability that grows with the root of its lines.
    order = sorted(sizes, key=lambda pair: chance(args.seed, *pair) ** (sizes[pair] ** -.5), reverse=True)
    wanted = set(order[:args.pairs])
    lines = []
    for at, strata in enumerate(versions):
        of = {of: lines for of, lines in strata.items() if of[1:] in wanted}
        lines += [{**line, 'version': at + 1} for line in drawn(of, args.n, args.by, (args.seed, at))]
    random.Random(args.seed).shuffle(lines)
    with open(args.sheet, 'w', encoding='utf-8', newline='') as sheet, open(args.key, 'w', encoding='utf-8', newline='') as key:
        of_sheet = csv.DictWriter(sheet, SHEET, extrasaction='ignore', restval='', **TABLE)
        of_key = csv.DictWriter(key, KEY, extrasaction='ignore', **TABLE)
        of_sheet.writeheader()
        of_key.writeheader()
        for number, line in enumerate(lines, 1):
            line = {**line, 'number': number, 'text_a': plain(line['text_a']), 'text_b': plain(line['text_b'])}
            of_sheet.writerow(line)
            of_key.writerow(line)
    print('%d lines of %s' % (len(lines), ', '.join(sorted('-'.join(pair) for pair in wanted))))


def wilson(k, n, z=1.96):
    """The interval of a share of which k of n were seen."""
    if n == 0:
        return 0, 1
    p, middle = k / n, (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * (k * (1 - p) + z * z / 4) ** .5
    return max(middle - half, 0), min(middle + half, 1)


def read(path):
    with open(path, encoding='utf-8', newline='') as rows:
        return {row['number']: row for row in csv.DictReader(rows, **TABLE)}


def kappa(one, other):
    """Cohen's kappa of two readers."""
    both = [(one[number], other[number]) for number in one if number in other]
    n = len(both) or 1
    agree = sum(a == b for a, b in both) / n
    counts = [collections.Counter(side) for side in zip(*both)]
    by_chance = sum(counts[0][c] * counts[1][c] for c in CLASSES) / n ** 2 if counts else 0
    return (agree - by_chance) / (1 - by_chance) if by_chance < 1 else 1.


def tally(args):
    key = read(args.key)
    readings = []
    for path in args.sheets:
        classes = {number: row['class'].strip().lower() for number, row in read(path).items()}
        unknown = [number for number, letter in classes.items() if letter not in CLASSES]
        if unknown:
            print('%s: %d lines without a class, such as %s' % (path, len(unknown), unknown[0]))
        readings.append({number: letter for number, letter in classes.items() if letter in CLASSES})
    for path, classes in zip(args.sheets, readings):
        for version in sorted({row['version'] for row in key.values()}):
            rows = [(classes[number], float(row['weight']), int(row['words'])) for number, row in key.items()
                    if row['version'] == version and number in classes]
            for name, these in ('all', rows), ('at most three words', [row for row in rows if row[2] <= 3]):
                print('\n%s, version %s, %s: %d lines' % (os.path.basename(path), version, name, len(these)))
                for letters, what in [*CLASSES.items(), (BAD, 'the last three')]:
                    k, weights = sum(row[0] in letters for row in these), sum(row[1] for row in these) or 1
                    weighted = sum(row[1] for row in these if row[0] in letters) / weights
                    low, high = wilson(k, len(these))
                    print('  %-22s %4d  %5.1f %% (%.1f to %.1f)  weighted %5.1f %%'
                          % (what, k, 100 * k / max(len(these), 1), 100 * low, 100 * high, 100 * weighted))
    if len(readings) == 2:
        print('\nkappa %.2f; bad or not %.2f' % (kappa(*readings), kappa(*[{n: 'w' if c in BAD else 's' for n, c in of.items()} for of in readings])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_draw = commands.add_parser('draw')
    of_draw.add_argument('sheet')
    of_draw.add_argument('key')
    of_draw.add_argument('--version', nargs=2, action='append', required=True, metavar=('BINARY', 'FOLDER'))
    of_draw.add_argument('-n', type=int, default=300)
    of_draw.add_argument('--pairs', type=int, default=12)
    of_draw.add_argument('--by', choices=['root', 'line'], default='root')
    of_draw.add_argument('--seed', type=int, default=1)
    of_draw.set_defaults(do=draw)
    of_tally = commands.add_parser('tally')
    of_tally.add_argument('key')
    of_tally.add_argument('sheets', nargs='+', metavar='SHEET')
    of_tally.set_defaults(do=tally)
    args = parser.parse_args()
    args.do(args)


if __name__ == '__main__':
    main()
