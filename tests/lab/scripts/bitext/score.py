"""Scores the sentence pairs that a binary makes of sets of `make.py` and `cut.py` by their gold segments.

    score.py BINARY DIR [SET ...] [--reliability]

For each set it runs `BINARY run DIR/SET.warc.gz` and `BINARY export --what bitext`, and prints precision, recall and F1 of each pair of
languages and their means: of those of the original with its translations, and apart from them of those of two translations, whose segments
are those with the same segment of one page of the original. What counts is what `diglot eval --what bitext` counts. Texts are compared without white space and in lower case.
A line between any pages of a pair of languages is *right* if its sides stand in one and the same segment of it, on whatever pages; *wrong* if
a side stands in a segment otherwise; and does not count if neither does. Precision is right / (right + wrong). Recall is the share of
the different segments of which right lines hold 80 % of the characters of each side; segments that stand on no page pair that was found do not
count, so that it is alignment that is measured.

With `--reliability` it also tells by bins of the score, of all sets together and of what is left out for its score too, for labels (fewer than
four words on a side; letters of Chinese and Japanese are words) and sentences: how many lines count, their mean score, and the share of
right ones; strictly, as above, and leniently: lines of which only one side stands in a segment do not count. AUC is the
probability that a right line has a higher score than a wrong one, ties half.
"""
import argparse
import bisect
import collections
import itertools
import json
import os
import re
import subprocess
import tempfile

import pages
from pages import normal

FOUND_SHARE = .8
BINS = [0, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99, 1.0001]
WORD = re.compile(r'[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+')

# Whether it is a sentence, its score, whether it is right, and whether both sides stand in gold.
Judged = collections.namedtuple('Judged', 'is_sentence score is_right both')


class Texts:
    """One side of the segments of a pair of languages, in a row."""

    def __init__(self, texts):
        self.texts, self.all, self.starts, at = texts, '\n'.join(texts), [], 0
        for text in texts:
            self.starts.append(at)
            at += len(text) + 1

    def holding(self, text):
        """The segments that contain a text, each with the place in it."""
        found, at = {}, self.all.find(text)
        while at >= 0:
            segment = bisect.bisect_right(self.starts, at) - 1
            found.setdefault(segment, at - self.starts[segment])
            at = self.all.find(text, self.starts[segment] + len(self.texts[segment]))
        return found


class Gold:
    """The segments of a pair of languages, and what right lines hold of each."""

    def __init__(self, texts):
        self.sides = [Texts(side) for side in zip(*texts)]
        self.held = collections.defaultdict(lambda: (set(), set()))
        self.right = self.wrong = 0

    def judge(self, texts, counts):
        """Whether a line is right and whether both sides stand in gold; None if neither does. It counts for precision and recall only if
        `counts`."""
        texts = [normal(text) for text in texts]
        found = [side.holding(text) for side, text in zip(self.sides, texts)]
        if not all(texts) or not any(found):
            return None
        in_both = found[0].keys() & found[1].keys()
        if counts:
            self.right += bool(in_both)
            self.wrong += not in_both
            for segment in in_both:
                for held, places, text in zip(self.held[segment], found, texts):
                    held.update(range(places[segment], places[segment] + len(text)))
        return bool(in_both), all(found)

    def figures(self):
        """Precision, recall, F1 and the number of segments."""
        of = len(self.sides[0].texts)
        is_found = [all(len(held) >= FOUND_SHARE * len(side.texts[segment]) for held, side in zip(both, self.sides))
                    for segment, both in self.held.items()]
        precision, recall = self.right / max(self.right + self.wrong, 1), sum(is_found) / of
        return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9), of


def results(binary, archive, options):
    """The page pairs that a binary finds in an archive, and their sentence pairs."""
    with tempfile.TemporaryDirectory(prefix='bitext-') as scratch:
        store, out = os.path.join(scratch, 'store'), os.path.join(scratch, 'out.jsonl')
        subprocess.run([binary, 'run', archive, '--store', store, '--quiet'], check=True, stdout=subprocess.DEVNULL)

        def export(*what):
            subprocess.run([binary, 'export', '--store', store, '--quiet', '--what', *what, '-o', out], check=True)
            with open(out, encoding='utf-8') as rows:
                yield from map(json.loads, rows)

        pairs = {frozenset((pair['url_a'], pair['url_b'])) for pair in export('pairs')}
        columns = 'url_a', 'url_b', 'text_a', 'text_b', 'score', 'reason'
        return pairs, [{column: line[column] for column in columns} for line in export('bitext', *options)]


def of_translations(segments):
    """The segments of each two translations of one segment, where the page of the original has it once."""
    of_originals = collections.defaultdict(lambda: collections.defaultdict(list))
    for segment in segments:
        of_originals[segment.url_a, normal(segment.text_a)][segment.url_b].append(segment.text_b)
    for of in of_originals.values():
        translated = sorted((url, texts[0]) for url, texts in of.items() if len(set(texts)) == 1)
        for (url_a, text_a), (url_b, text_b) in itertools.combinations(translated, 2):
            languages = pages.language(url_a) + '-' + pages.language(url_b)
            yield pages.Segment(languages, url_a, url_b, text_a, text_b)


def score(binary, folder, name, options):
    """The gold of each pair of languages of a set, with what was judged by it, and the lines that count; and which pairs are of two
    translations."""
    pairs, lines = results(binary, os.path.join(folder, name + '.warc.gz'), options)
    segments = list(pages.read_gold(os.path.join(folder, name + '.gold.tsv')))
    composed = list(of_translations(segments))
    translations = {s.languages for s in composed}
    segments = [s for s in segments + composed if frozenset((s.url_a, s.url_b)) in pairs]
    texts = collections.defaultdict(set)
    for languages, a, b in pages.different(segments):
        texts[languages].add((a, b))
    gold = {languages: Gold(sorted(of)) for languages, of in sorted(texts.items())}
    names = {(pages.language(s.url_a), pages.language(s.url_b)): s.languages for s in segments}
    judged = []
    for line in lines:
        for a, b in 'ab', 'ba':
            languages = names.get((pages.language(line['url_' + a]), pages.language(line['url_' + b])))
            if languages and line['reason'] in (None, 'low score'):
                verdict = gold[languages].judge((line['text_' + a], line['text_' + b]), not line['reason'])
                if verdict:
                    is_sentence = all(len(WORD.findall(line['text_' + side])) >= 4 for side in 'ab')
                    judged.append(Judged(is_sentence, line['score'], *verdict))
    return gold, judged, translations


def auc(judged):
    """The probability that a right line scores higher than a wrong one."""
    by_score = collections.defaultdict(lambda: [0, 0])
    for line in judged:
        by_score[line.score][line.is_right] += 1
    lower = won = 0
    for _, (wrong, right) in sorted(by_score.items()):
        won += right * (lower + wrong / 2)
        lower += wrong
    right = len(judged) - lower
    return won / (lower * right) if lower and right else float('nan')


def reliability(judged):
    """Prints how far scores are from the shares of right lines."""
    for kind in 'labels', 'sentences':
        strict = [line for line in judged if line.is_sentence == (kind == 'sentences')]
        lenient = [line for line in strict if line.both]
        print('\n%-10s %22s %22s' % (kind, 'strict', 'lenient'))
        for low, high in zip(BINS, BINS[1:]):
            cells = []
            for these in strict, lenient:
                of = [line for line in these if low <= line.score < high]
                means = [sum(x) / len(of) for x in zip(*((line.score, line.is_right) for line in of))] or [float('nan')] * 2
                cells.append('%8d %6.3f %6.3f' % (len(of), *means))
            print('%.2f-%.2f  %s' % (low, min(high, 1), ' '.join(cells)))
        print('%-10s %22.3f %22.3f' % ('AUC', auc(strict), auc(lenient)))
    print('\nAUC, labels and sentences: strict %.3f, lenient %.3f' % (auc(judged), auc([line for line in judged if line.both])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('dir')
    parser.add_argument('sets', nargs='*', metavar='SET')
    parser.add_argument('--reliability', action='store_true')
    args = parser.parse_args()
    ending = '.gold.tsv'
    every = []
    for name in args.sets or sorted(name[:-len(ending)] for name in os.listdir(args.dir) if name.endswith(ending)):
        gold, judged, translations = score(args.binary, args.dir, name, ['--keep-all'] if args.reliability else [])
        every += judged
        table = {langs: of.figures() for langs, of in gold.items()}
        for mean, is_wanted in ('mean', False), ('between', True):
            columns = list(zip(*(row for langs, row in table.items() if (langs in translations) == is_wanted)))
            if columns:
                table[mean] = *(sum(column) / len(column) for column in columns[:3]), sum(columns[3])
        for langs, (precision, recall, f1, of) in table.items():
            print('%-14s %-12s %6d  P %.4f  R %.4f  F1 %.4f' % (name, langs, of, precision, recall, f1), flush=True)
    if args.reliability:
        reliability(every)


if __name__ == '__main__':
    main()
