"""Makes a set of the pages of a crawled site whose versions have another order: lists of functions, glossaries.

    sorted.py SITE.warc.gz OUT PLACE [--others N] [--least N]

PLACE is a regular expression of the addresses of its pages, with the groups `lang` and `page`; the originals are English. Writes OUT.warc.gz and OUT.gold.tsv
(see `pages.py`), in which the pages of a document are at http://sorted.example/LANGUAGE/PAGE. What belongs together is told by ids, as in `make.py`. Taken
are the documents of which a version has LEAST ids [3] and more that are not in the order of the original, and N others [120], from which words are
learnt. Gold of the others is left out, so that what is measured is how lists are aligned.
"""
import argparse
import bisect
import collections
import hashlib
import re

import pages
from make import common
from pages import Segment


def out_of_order(html_a, html_b):
    """How many ids two pages share that are not part of the longest run in the same order."""
    ids = [list(dict.fromkeys(block.section for block in pages.blocks(pages.parsed(html)))) for html in (html_a, html_b)]
    places = {name: place for place, name in enumerate(ids[1])}
    shared = [places[name] for name in ids[0] if name in places]
    ends = []
    for place in shared:
        at = bisect.bisect_left(ends, place)
        ends[at:at + 1] = [place]
    return len(shared) - len(ends)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('site')
    parser.add_argument('out')
    parser.add_argument('place')
    parser.add_argument('--others', type=int, default=120)
    parser.add_argument('--least', type=int, default=3)
    args = parser.parse_args()
    found = collections.defaultdict(dict)
    for url, html in pages.read_pages(args.site):
        fits = re.search(args.place, url)
        if fits:
            found[fits['page']][fits['lang']] = html
    taken, gold, others, lists = [], [], 0, 0
    for page in sorted(found, key=lambda page: hashlib.md5(page.encode()).digest()):
        of = found[page]
        english = next((lang for lang in of if lang[:2] == 'en'), None)
        versions = [lang for lang in of if english and lang != english]
        is_list = any(out_of_order(of[english], of[lang]) >= args.least for lang in versions)
        if not versions or not is_list and others >= args.others:
            continue
        others, lists = others + (not is_list), lists + is_list
        url = {lang: 'http://sorted.example/%s/%s' % (lang, page) for lang in of}
        taken += [(url[lang], of[lang]) for lang in of]
        for lang in versions if is_list else []:
            pair = english + '-' + lang, url[english], url[lang]
            gold += [Segment(*pair, *texts) for texts in common(of[english], of[lang])]
    pages.write_pages(args.out + '.warc.gz', sorted(taken))
    pages.write_gold(args.out + '.gold.tsv', sorted(gold))
    print('%s: %d lists, %d others, %d segments' % (args.out, lists, others, len(pages.different(gold))))


if __name__ == '__main__':
    main()
