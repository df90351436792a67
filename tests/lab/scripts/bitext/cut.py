"""Makes sets whose pages differ out of those of `make.py`.

    cut.py DIR SET ... [--seed 1]

Writes DIR/SET-cut.warc.gz and DIR/SET-cut.gold.tsv. Each page loses 12 % of its blocks on its own, and on three pages in ten a run of 5 to
14 more; 12 % of the paragraphs are joined with the next; in one language in three, by the seed, items of lists become
paragraphs. Gold are the segments whose blocks are left on both pages.
"""
import argparse
import os
import random

import pages
from pages import normal

LISTS = {'ul', 'ol', 'dl'}


def innermost(tree, tags):
    """The block elements of the tags that hold text and no other block element."""
    return [element for element in tree.find('body').iter(*tags)
            if next(element.iterdescendants(*pages.BLOCKS), None) is None and element.text_content().strip()]


def lose(tree, chance):
    """Takes blocks away."""
    units = innermost(tree, pages.BLOCKS)
    gone = {i for i in range(len(units)) if chance.random() < .12}
    if units and chance.random() < .3:
        start = chance.randrange(len(units))
        gone.update(range(start, min(start + chance.randint(5, 14), len(units))))
    for i in gone:
        units[i].drop_tree()


def join(tree, chance):
    """Joins paragraphs with the next; some sites write paragraphs as `div`."""
    paragraphs = innermost(tree, ('p', 'div'))
    for paragraph, following in reversed(list(zip(paragraphs, paragraphs[1:]))):
        if paragraph.getnext() is following and paragraph.tag == following.tag and chance.random() < .12:
            following.text = ' ' + (following.text or '')
            paragraph.append(following)
            following.drop_tag()


def flatten(tree):
    """Makes paragraphs of lists."""
    for element in list(tree.find('body').iter('li', 'dt', 'dd', *LISTS)):
        is_leaf = next(element.iterdescendants(*pages.BLOCKS), None) is None
        element.tag = 'p' if is_leaf and element.tag not in LISTS else 'div'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('dir')
    parser.add_argument('sets', nargs='+', metavar='SET')
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    for name in args.sets:
        source, out = os.path.join(args.dir, name), os.path.join(args.dir, name + '-cut')
        segments = pages.read_gold(source + '.gold.tsv')
        left, cut = {}, []
        for url, html in pages.read_pages(source + '.warc.gz'):
            chance = random.Random('%d %s' % (args.seed, url))
            tree = pages.parsed(html)
            lose(tree, chance)
            left[url] = {normal(block.text) for block in pages.blocks(tree)}
            join(tree, chance)
            if random.Random('%d %s %s' % (args.seed, name, pages.language(url))).random() < 1 / 3:
                flatten(tree)
            cut.append((url, pages.written(tree)))
        gold = [s for s in segments if normal(s.text_a) in left[s.url_a] and normal(s.text_b) in left[s.url_b]]
        pages.write_pages(out + '.warc.gz', cut)
        pages.write_gold(out + '.gold.tsv', gold)
        print('%s-cut: %d pages, %d segments' % (name, len(cut), len(pages.different(gold))), flush=True)


if __name__ == '__main__':
    main()
