"""Makes sets of pages with gold segments out of Debian's packages of documentation in several languages.

    make.py [SET ...] --out DIR [--packages DIR] [--install DIR] [--most N]

Writes OUT/SET.warc.gz and OUT/SET.gold.tsv (see `pages.py`) of each set, of all without names. Packages are fetched with `apt-get download`
into the folder of packages [OUT/packages], those that lie there already are taken as they are. Pages are at http://SET.example/LANGUAGE/PAGE,
named as in the package; the manuals of `edu` are one page a chapter.

Gold is what two pages of one name, one of them English, have in common by their form: the blocks that stand below one id are paired, if they are of the
same tags in the same order, code left out. So a part that one version lacks costs the blocks below its id alone. Where more than half of
the words are the same, a block is not translated and no gold, and a page of which half of the blocks is not has none. Of a set with more
than N segments [25000], as many pages are taken, in an order that depends on their names only.

`install` is made of a folder with warc/install.warc.gz, gold/install.pairs.tsv (url_a url_b lang_a lang_b) and
gold/install.*.bitext.tsv.gz (segments of a language pair: text_a text_b), and left out if there is none.
"""
import argparse
import collections
import glob
import gzip
import hashlib
import os
import re
import subprocess

import pages
from pages import Segment, normal

# The packages of a set, and where its pages lie in them.
SETS = {
    'aptitude': ('aptitude-doc-{en,es,fr,it,ja,nl,ru}', r'usr/share/doc/aptitude/html/(?P<lang>[^/]+)/(?P<page>.+)'),
    'edu': ('debian-edu-doc-{en,da,de,es,fr,it,ja,nb-no,nl,pt-br,pt-pt,zh-cn}', r'usr/share/doc/debian-edu-doc-(?P<lang>[^/]+)/(?P<page>[^/]+)'),
    'handbook': ('debian-handbook',
                 r'usr/share/doc/debian-handbook/html/(?P<lang>(?:en|ar|de|es|fr|id|it|ja|nb|pl|pt|ru|zh)-(?!TW)..)/(?P<page>[^/]+)'),
    'gimp': ('gimp-help-{en,da,de,el,es,fi,fr,it,ja,nl,nn,ru}', r'usr/share/gimp/2.0/help/(?P<lang>[^/]+)/(?P<page>.+)'),
    'refbook': ('debian-reference-{en,de,es,fr,id,it,ja,pt,pt-br,zh-cn,zh-tw}',
                r'usr/share/debian-reference/(?P<page>\w+)\.(?P<lang>[\w-]+)\.html'),
    'faq': ('debian-faq debian-faq-{de,fr,it,ja,ko,nl,pt,ru,zh-cn}', r'usr/share/doc/debian/FAQ/(?:[\w-]+/)?(?P<page>[\w-]+)\.(?P<lang>[\w-]+)\.html'),
}


def expanded(names):
    """The names of packages, braces taken apart."""
    for name in names.split():
        before, _, rest = name.partition('{')
        yield from ([before + part for part in rest.rstrip('}').split(',')] if rest else [name])


def unpacked(package, folder):
    """The folder of a package's HTML pages, fetched if it is not there."""
    place = os.path.join(folder, package)
    if not os.path.isdir(place):
        if not glob.glob(os.path.join(glob.escape(folder), package + '_*.deb')):
            subprocess.run(['apt-get', 'download', '-q', package], cwd=folder, check=True)
        deb = glob.glob(os.path.join(glob.escape(folder), package + '_*.deb'))[0]
        subprocess.run(['dpkg-deb', '-x', deb, place], check=True)
    return place


def chapters(page, html):
    """A manual that is one page as a page a chapter."""
    tree = pages.parsed(html)
    parts = tree.xpath('//div[@class="article"]/div[@class="section"]')
    head = '<html><head><title>%s</title></head><body>%%s</body></html>' % tree.findtext('.//title')
    texts = [pages.lxml.html.tostring(part, encoding='unicode', with_tail=False) for part in parts]
    return [('%s-%02d.html' % (page.removesuffix('.html'), i), head % text) for i, text in enumerate(texts, 1)]


def versions(name, folder):
    """The pages of a set: for each name of a page, for each language, the text."""
    packages, place = SETS[name]
    found = collections.defaultdict(dict)
    for package in expanded(packages):
        root = unpacked(package, folder)
        for path in sorted(glob.glob(os.path.join(glob.escape(root), '**', '*.html'), recursive=True)):
            fits = re.fullmatch(place, os.path.relpath(path, root))
            if fits:
                with open(path, encoding='utf-8', errors='replace') as f:
                    html = f.read()
                page = fits['page'].removesuffix('.html') + '.html'
                for part, text in chapters(page, html) if name == 'edu' else [(page, html)]:
                    found[part][fits['lang']] = text
    return found


def is_translated(a, b):
    """Whether at most half of the words of a text stand in the other one too."""
    words_a, words_b = (re.findall(r'[^\W\d_]{2,}', text.lower()) for text in (a, b))
    return 2 * sum(word in words_a for word in words_b) <= len(words_b) > 0 < len(words_a)


def common(html_a, html_b):
    """The blocks of two pages that belong together by id, tags and order, as pairs of texts; none if most are not translated."""
    sections = []
    for html in (html_a, html_b):
        of = collections.defaultdict(list)
        for block in pages.blocks(pages.parsed(html)):
            of[block.section].append(block)
        sections.append(of)
    pairs = []
    for section, blocks_a in sections[0].items():
        blocks_b = sections[1].get(section, [])
        if [block.tag for block in blocks_a] == [block.tag for block in blocks_b]:
            pairs += [(a.text, b.text) for a, b in zip(blocks_a, blocks_b)]
    translated = [pair for pair in pairs if is_translated(*pair)]
    return translated if 2 * len(translated) > len(pairs) else []


def made(name, folder, most):
    """(pages, gold) of a set."""
    taken, gold, seen = [], [], set()
    found = versions(name, folder)
    for page in sorted(found, key=lambda page: hashlib.md5(page.encode()).digest()):
        of = found[page]
        english = next((lang for lang in of if lang[:2] == 'en'), None)
        url = {lang: 'http://%s.example/%s/%s' % (name, lang, page) for lang in of}
        taken += [(url[lang], of[lang]) for lang in of]
        for lang in of:
            if english and lang != english:
                pair = english + '-' + lang, url[english], url[lang]
                segments = [Segment(*pair, *texts) for texts in common(of[english], of[lang])]
                gold += segments
                seen.update(pages.different(segments))
        if len(seen) > most:
            break
    return sorted(taken), sorted(gold)


def install(folder):
    """(pages, gold) of the site install."""
    found = list(pages.read_pages(os.path.join(folder, 'warc', 'install.warc.gz')))
    texts = {url: {normal(block.text): block.text for block in pages.blocks(pages.parsed(html))} for url, html in found}
    segments = {}
    for path in glob.glob(os.path.join(glob.escape(folder), 'gold', 'install.*.bitext.tsv.gz')):
        with gzip.open(path, 'rt', encoding='utf-8') as rows:
            segments[os.path.basename(path).split('.')[1]] = [[normal(side) for side in row.rstrip('\n').split('\t')] for row in rows]
    gold = []
    with open(os.path.join(folder, 'gold', 'install.pairs.tsv'), encoding='utf-8') as rows:
        for a, b, *langs in (row.rstrip('\n').split('\t') for row in rows):
            pair = '-'.join(langs), a, b
            gold += [Segment(*pair, texts[a][x], texts[b][y]) for x, y in segments.get(pair[0], []) if x in texts[a] and y in texts[b]]
    return found, gold


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('sets', nargs='*', metavar='SET', help=', '.join(['install', *SETS]))
    parser.add_argument('--out', required=True)
    parser.add_argument('--packages')
    parser.add_argument('--install')
    parser.add_argument('--most', type=int, default=25000)
    args = parser.parse_args()
    folder = args.packages or os.path.join(args.out, 'packages')
    os.makedirs(folder, exist_ok=True)
    for name in args.sets or ['install', *SETS]:
        if name == 'install' and not args.install:
            print('install is left out: --install names no folder')
            continue
        taken, gold = install(args.install) if name == 'install' else made(name, folder, args.most)
        pages.write_pages(os.path.join(args.out, name + '.warc.gz'), taken)
        pages.write_gold(os.path.join(args.out, name + '.gold.tsv'), gold)
        print('%s: %d pages, %d segments' % (name, len(taken), len(pages.different(gold))), flush=True)


if __name__ == '__main__':
    main()
