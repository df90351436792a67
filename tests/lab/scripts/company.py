"""Scores sites read alone, and together in one store as hosts, folders, domains or mixtures of them.

    company.py BINARY ARRANGE.py SCRATCH DATA [DATA ...] [--only HOW ...] [--sites NAME ...] [--diff]

DATA are folders of judged sites: `warc/NAME.warc.gz` and `gold/NAME.{pairs,grey,pages}.tsv`, under http://NAME.site.test/. ARRANGE.py HOW
DATA OUT is a program that writes the same sites at other addresses, HOW being one of those listed below; what it has written in SCRATCH is
used again. For `alone` and each HOW a line says macro F1 of the sites that have gold pairs, micro F1, right and wrong pairs, precision at a score of 0.9 or more, pairs across sites, and the seconds of CPU of the run. What counts is
what `diglot eval` counts, and a second line has each site's F1, and its right, wrong and gold pairs. `--diff` lists the sites whose counts differ from
those that it has when it is read alone.
"""
import argparse
import collections
import gzip
import json
import os
import re
import resource
import subprocess
import sys

HOWS = ['apart', 'hosts', 'folders', 'deep', 'langfirst', 'langhost', 'mixed']


def rows(path):
    if not os.path.exists(path):
        return []
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt', encoding='utf-8') as f:
        return [line.rstrip('\n').split('\t') for line in f if line.strip()]


def address(url):
    """What is compared of an address: neither the scheme nor a fragment counts."""
    return url.split('://', 1)[-1].split('#', 1)[0]


def pair_of(row):
    return frozenset((address(row[0]), address(row[1])))


class Site:
    """Gold of a site: right pairs, those that count as wrong or not at all, and the pages that it has."""

    def __init__(self, gold, name):
        self.pairs = {pair_of(row): (row[2], row[3]) for row in rows(f'{gold}/{name}.pairs.tsv')}
        grey = rows(f'{gold}/{name}.grey.tsv')
        self.grey = {pair_of(row): row[4] for row in grey}
        self.scored = {frozenset(langs) for langs in self.pairs.values()} | {frozenset((row[2], row[3])) for row in grey}
        pages = rows(f'{gold}/{name}.pages.tsv.gz')
        self.langs = {address(row[0]): row[1] for row in pages}

    def judge(self, found):
        """Right, wrong, and gold pairs; scores of the first two. `found` has (url, url, lang, lang, score)."""
        right, wrong = [], []
        for url_a, url_b, lang_a, lang_b, score in found:
            pair = frozenset((address(url_a), address(url_b)))
            if pair in self.pairs:
                right.append((pair, score))
            elif pair in self.grey:
                if self.grey[pair].startswith('untranslated'):
                    wrong.append((pair, score))
            else:
                langs = frozenset(self.langs.get(address(url), lang) for url, lang in ((url_a, lang_a), (url_b, lang_b)))
                if langs in self.scored:
                    wrong.append((pair, score))
        return right, wrong


def f1(right, wrong, gold):
    return 2 * right / (right + wrong + gold) if right + wrong + gold else None


def run(binary, store, archives):
    """Pairs that a run over archives finds, and its seconds of CPU."""
    subprocess.run(['rm', '-rf', store], check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([binary, 'run', '--until', 'iterate', '--quiet', '--store', store, *archives], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([binary, 'export', '--what', 'pairs', '--format', 'jsonl', '--quiet', '--store', store, '-o', store + '.jsonl'])
    out.check_returncode()
    with open(store + '.jsonl', encoding='utf-8') as f:
        pairs = [json.loads(line) for line in f]
    os.remove(store + '.jsonl')
    return ([(p['url_a'], p['url_b'], p['lang_a'], p['lang_b'], p['score']) for p in pairs],
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def names_of(folder):
    return sorted(name[:-8] for name in os.listdir(f'{folder}/warc') if name.endswith('.warc.gz'))


def site_of_pages(sites):
    return {page: name for name, site in sites.items() for page in site.langs} | {
        page: name for name, site in sites.items() for pair in [*site.pairs, *site.grey] for page in pair}


def report(how, sites, found, seconds, across):
    """Prints the line of an arrangement; the judged pairs by site."""
    judged = {name: site.judge(found.get(name, [])) for name, site in sites.items()}
    scores = {name: f1(len(r), len(w), len(sites[name].pairs)) for name, (r, w) in judged.items() if sites[name].pairs}
    right, wrong = (sum(len(j[i]) for j in judged.values()) for i in (0, 1))
    sure = [sum(score >= .9 for j in judged.values() for _, score in j[i]) for i in (0, 1)]
    gold = sum(len(site.pairs) for site in sites.values())
    print(f'{how:10} macro {sum(scores.values()) / len(scores):.4f} micro {f1(right, wrong, gold):.4f} right {right} wrong {wrong} '
          f'p@.9 {sure[0] / max(1, sum(sure)):.4f} across {across} cpu {seconds:.0f}', flush=True)
    print('           ' + ' '.join(f'{name} {f1(len(r), len(w), len(sites[name].pairs)) or 0:.3f} {len(r)}/{len(w)}/{len(sites[name].pairs)}'
                                     for name, (r, w) in judged.items()), flush=True)
    return judged


def told_apart(how, url, sites_by_label):
    """The site of an address that gold does not name, by its parts."""
    for part in re.split(r'[/.]|-site', address(url)):
        if part in sites_by_label:
            return sites_by_label[part]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('arrange')
    parser.add_argument('scratch')
    parser.add_argument('data', nargs='+')
    parser.add_argument('--only', nargs='+', choices=['alone', *HOWS], default=['alone', *HOWS])
    parser.add_argument('--sites', nargs='+')
    parser.add_argument('--diff', action='store_true')
    a = parser.parse_args()
    chosen = {}
    for data in a.data:
        for name in names_of(data):
            if not a.sites or name in a.sites:
                chosen[name] = data
    os.makedirs(a.scratch, exist_ok=True)
    store = f'{a.scratch}/store-{os.getpid()}'
    alone = {}
    for how in a.only:
        if how == 'alone':
            sites = {name: Site(f'{data}/gold', name) for name, data in chosen.items()}
            found, seconds = {}, 0
            for name, data in chosen.items():
                found[name], cpu = run(a.binary, store, [f'{data}/warc/{name}.warc.gz'])
                seconds += cpu
            alone = report(how, sites, found, seconds, 0)
            alone = {name: (len(r), len(w)) for name, (r, w) in alone.items()}
            continue
        folder = f'{a.scratch}/{how}'
        if not os.path.exists(f'{folder}/done'):
            # All in one folder, since the first of a mixture takes the root.
            merged = f'{a.scratch}/all'
            for kind in ('warc', 'gold'):
                os.makedirs(f'{merged}/{kind}', exist_ok=True)
                for name, data in chosen.items():
                    for file in os.listdir(f'{data}/{kind}'):
                        if file.startswith(name + '.') and not os.path.exists(f'{merged}/{kind}/{file}'):
                            os.symlink(os.path.abspath(f'{data}/{kind}/{file}'), f'{merged}/{kind}/{file}')
            subprocess.run([sys.executable, a.arrange, how, merged, folder], check=True)
            open(f'{folder}/done', 'w').close()
        sites = {name: Site(f'{folder}/gold', name) for name in chosen}
        of_page = site_of_pages(sites)
        archives = [f'{folder}/warc/{name}.warc.gz' for name in chosen]
        pairs, seconds = run(a.binary, store, archives)
        found, across = collections.defaultdict(list), 0
        for pair in pairs:
            labels = {name: name for name in sites}
            x, y = (of_page.get(address(url)) or told_apart(how, url, labels) for url in pair[:2])
            across += x != y and None not in (x, y)
            found[x or y].append(pair)
        judged = report(how, sites, found, seconds, across)
        if a.diff and alone:
            for name, (right, wrong) in judged.items():
                if (len(right), len(wrong)) != alone[name]:
                    print(f'    {name}: {alone[name][0]} right {alone[name][1]} wrong alone, {len(right)} and {len(wrong)} here')
    subprocess.run(['rm', '-rf', store], check=True)


if __name__ == '__main__':
    main()
