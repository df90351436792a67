"""Runs diglot on scenarios of `udhr.py`, and scores the languages that it names and the pairs that it finds.

    score.py BINARY SCENARIOS [SCENARIO ...] [--out TABLE.tsv] [--errors ERRORS.tsv] [--until STAGE] [--options '...']

SCENARIOS is the folder that `udhr.py` wrote; without names, all in it are scored. One line a scenario:

- sites: share of sites on which every language is named rightly for more than half of the pages in it;
- all: share of sites on which it is for every page;
- right, wrong, und: shares of pages; und are those of no language, and those that the store has left out, which `gone` counts;
- other: share of the pages that are not English that are named rightly;
- kept: of the pages whose address or declaration names another language than their text is in, the share that is kept out: these have no wrong name,
  and stand in no wrong pair. A dash where a scenario has no such pages;
- P, R, F1: of page pairs, against the gold. Pairs of one language in two scripts are not scored; those of an untranslated copy are wrong.
  A found pair is right whatever its languages are called.

The language of a page is that in `diglot export --what pages`: what the page counts for, or else what its text tells. Which names agree
is in `tags.py`. `--errors` gets `scenario url gold answer` of every page that is not named rightly.
"""
import argparse
import collections
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tags import agree, one  # noqa: E402

HEAD = 'scenario sites_n pages_n sites all right other wrong und gone kept P R F1 seconds'.split()


def rows(path):
    with open(path, encoding='utf-8') as f:
        return [line.rstrip('\n').split('\t') for line in f]


def answers(binary, folder, until, options):
    """The language of every page, the pairs, and the seconds of CPU that the run took."""
    with tempfile.TemporaryDirectory(prefix='languages-') as scratch:
        store = os.path.join(scratch, 'store')
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([binary, 'run', os.path.join(folder, 'pages.warc.gz'), '--store', store, '--quiet', '--until', until, *options],
                       check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

        def export(*what):
            out = os.path.join(scratch, 'out.jsonl')
            subprocess.run([binary, 'export', '--store', store, '--quiet', *what, '--format', 'jsonl', '-o', out], check=True)
            with open(out, encoding='utf-8') as f:
                return [json.loads(line) for line in f]

        langs = {page['url']: page['lang'] for page in export('--what', 'pages')}
        pairs = {frozenset((pair['url_a'], pair['url_b'])) for pair in export('--what', 'pairs')}
    return langs, pairs, seconds


def score(name, folder, found, pairs):
    """The figures of a scenario, in the order of HEAD up to F1; and what is wrong, as (url, gold, answer)."""
    pages = rows(os.path.join(folder, 'gold-langs.tsv'))
    of_site = collections.defaultdict(set)
    for _, lang, _, _, site in pages:
        of_site[site].add(lang)
    gold = {frozenset(row[:2]) for row in rows(os.path.join(folder, name + '.pairs.tsv'))}
    ignored = {frozenset(row[:2]) for row in rows(os.path.join(folder, name + '.grey.tsv')) if row[4] != 'untranslated'}
    in_wrong_pair = set().union(*(pairs - gold - ignored))
    count, errors = collections.Counter(), []
    # By site and language: pages, and how many are right.
    tally = collections.defaultdict(lambda: [0, 0])
    for url, lang, _, foreign, site in pages:
        answer = found.get(url)
        right = answer is not None and agree(answer, lang, of_site[site])
        outcome = 'right' if right else 'gone' if answer is None else 'und' if answer.startswith('und') else 'wrong'
        count[outcome] += 1
        if foreign == '1':
            count['foreign'] += 1
            count['kept'] += outcome != 'wrong' and url not in in_wrong_pair
        if lang != 'en':
            count['other'] += 1
            count['other right'] += right
        tally[site, lang][0] += 1
        tally[site, lang][1] += right
        if not right:
            errors.append((url, lang, answer or ''))
    most, every = set(of_site), set(of_site)
    for (site, _), (of, right) in tally.items():
        if 2 * right <= of:
            most.discard(site)
        if right < of:
            every.discard(site)
    scored = pairs - ignored
    hits = len(scored & gold)
    precision, recall = (hits / of if of else 0.0 for of in (len(scored), len(gold)))
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    n = len(pages)
    shares = [len(most) / len(of_site), len(every) / len(of_site), count['right'] / n, count['other right'] / max(count['other'], 1),
              count['wrong'] / n, (count['und'] + count['gone']) / n]
    kept = count['kept'] / count['foreign'] if count['foreign'] else '-'
    return [name, len(of_site), n, *shares, count['gone'], kept, precision, recall, f1], errors


def shown(value):
    return '%.3f' % value if isinstance(value, float) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('scenarios')
    parser.add_argument('scenario', nargs='*', help='a name, or the beginning of names')
    parser.add_argument('--out', help='also write the table here, as TSV')
    parser.add_argument('--errors', help='write every page that is not named rightly here')
    parser.add_argument('--until', default='iterate', help='last stage of the runs [iterate: sentences are not aligned]')
    parser.add_argument('--options', default='', help='further options of `diglot run`')
    args = parser.parse_args()
    names = [name for name in sorted(os.listdir(args.scenarios))
             if os.path.exists(os.path.join(args.scenarios, name, 'gold-langs.tsv'))
             and (not args.scenario or any(name.startswith(wanted) for wanted in args.scenario))]
    if not names:
        parser.error('no such scenario in ' + args.scenarios)
    width = max(map(len, names))
    table, errors = [], []
    print(' '.join([HEAD[0].ljust(width)] + [head.rjust(7) for head in HEAD[1:]]), flush=True)
    for name in names:
        folder = os.path.join(args.scenarios, name)
        found, pairs, seconds = answers(args.binary, folder, args.until, shlex.split(args.options))
        row, wrong = score(name, folder, found, pairs)
        row = [shown(value) for value in row] + ['%.1f' % seconds]
        table.append(row)
        errors += [(name, url, one(lang), answer) for url, lang, answer in wrong]
        print(' '.join([row[0].ljust(width)] + [cell.rjust(7) for cell in row[1:]]), flush=True)
    for path, lines in ((args.out, [HEAD] + table), (args.errors, errors)):
        if path:
            with open(path, 'w', encoding='utf-8') as f:
                f.writelines('\t'.join(line) + '\n' for line in lines)


if __name__ == '__main__':
    main()
