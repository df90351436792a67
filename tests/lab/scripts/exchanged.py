"""Scores judged sites, each read alone, when contents of some of their pages stand at other addresses.

    exchanged.py BINARY SCRATCH DATA [DATA ...] [--sites NAME ...] [--settings HOW:SHARE ...] [--list]

DATA are folders of judged sites: `warc/NAME.warc.gz` and `gold/NAME.pairs.tsv`, under http://NAME.site.test/. exchange_contents.py makes
the archives, which are used again if SCRATCH has them. A line for each setting says how many gold pairs are wrong now, how many of these
are accepted, how many with a score of 0.9 or more, and how many of those that are still right are lost. Settings are HOW and SHARE of
exchange_contents.py; the `other` site is the next of the list that has pages in the language. `--list` prints the accepted wrong pairs, too.
"""
import argparse
import json
import os
import subprocess
import sys

SITES = ['devref', 'guide', 'harden', 'install', 'ledger', 'music', 'packaging', 'reference', 'webserver', 'haiku', 'nacos', 'risk']
SETTINGS = ['round:0', 'round:.01', 'round:.05', 'round:.15', 'round:.5', 'shift:.15']


def pairs_of(path):
    with open(path, encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t') for line in file if line.strip()]
    return {frozenset(url.split('://', 1)[-1].split('#', 1)[0] for url in row[:2]) for row in rows}


def files_of(data, name):
    """The archive and the gold of a site."""
    data = next(data for data in data if os.path.exists(f'{data}/warc/{name}.warc.gz'))
    return f'{data}/warc/{name}.warc.gz', f'{data}/gold/{name}.pairs.tsv'


def exchange(command, others):
    """Runs the command with the first of the other sites with which it does not fail, or without any if none is given."""
    for other in others or [()]:
        if subprocess.run([*command, *other], stderr=subprocess.DEVNULL).returncode == 0:
            return
    sys.exit('failed: ' + ' '.join(command))


def found(binary, store, archive):
    """The score of each pair that is found in an archive."""
    subprocess.run(['rm', '-rf', store], check=True)
    subprocess.run([binary, 'run', '--until', 'iterate', '--quiet', '--store', store, archive], check=True, stdout=subprocess.DEVNULL)
    listing = store + '.jsonl'
    subprocess.run([binary, 'export', '--what', 'pairs', '--format', 'jsonl', '--quiet', '--store', store, '-o', listing], check=True)
    with open(listing, encoding='utf-8') as file:
        pairs = [json.loads(line) for line in file]
    os.remove(listing)
    subprocess.run(['rm', '-rf', store], check=True)
    return {frozenset(pair[side].split('://', 1)[-1].split('#', 1)[0] for side in ('url_a', 'url_b')): pair['score'] for pair in pairs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('scratch')
    parser.add_argument('data', nargs='+')
    parser.add_argument('--sites', nargs='+', default=SITES)
    parser.add_argument('--settings', nargs='+', default=SETTINGS)
    parser.add_argument('--list', action='store_true')
    a = parser.parse_args()
    os.makedirs(a.scratch, exist_ok=True)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'exchange_contents.py')
    store = f'{a.scratch}/store-{os.getpid()}'
    for setting in a.settings:
        how, share = setting.split(':')
        wrong = accepted = sure = lost = right = 0
        listed, by_site = [], []
        for name in a.sites:
            (archive, gold), false = files_of(a.data, name), set()
            if float(share) > 0:
                out = f'{a.scratch}/{name}-{how}-{share}'
                if not os.path.exists(out + '.done'):
                    at = a.sites.index(name)
                    others = [files_of(a.data, name) for name in a.sites[at + 1:] + a.sites[:at]] if how == 'other' else []
                    exchange([sys.executable, script, how, share, archive, gold, out + '.warc.gz', out + '.false.tsv'], others)
                    open(out + '.done', 'w').close()
                archive, false = out + '.warc.gz', pairs_of(out + '.false.tsv')
            scores = found(a.binary, store, archive)
            taken = sorted(((scores[pair], sorted(pair)) for pair in false if pair in scores), reverse=True)
            still = pairs_of(gold) - false
            missing = sum(pair not in scores for pair in still)
            wrong, right, lost = wrong + len(false), right + len(still), lost + missing
            accepted, sure = accepted + len(taken), sure + sum(score >= .9 for score, _ in taken)
            listed += [f'    {name} {score:.4f} {x} {y}' for score, (x, y) in taken]
            by_site += [f'{name} {len(taken)}/{len(false)}/{missing}'] if taken or missing else []
        print(f'{how:6} {share:4} wrong now {wrong} accepted {accepted} at .9 {sure} right lost {lost} of {right}: {", ".join(by_site)}', flush=True)
        if a.list:
            print('\n'.join(listed), flush=True)


if __name__ == '__main__':
    main()
