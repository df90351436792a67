"""Makes web archives of sites out of a corpus of Bibles, to measure how languages are told in texts that no profile is made of.

    bible.py BIBLES OUT

BIBLES is the folder `bibles` of the corpus of Christodouloupoulos & Steedman 2015 (github.com/christos-c/bible-corpus, tried with its state of
2025): XML files with a text each. Each language is on a site of its own beside Latvian, ten pages of six verses in each. It writes the
folders OUT/bible-both, where directories and `<html lang>` name the languages, OUT/bible-neither, where nothing does, and OUT/bible-one, where nothing
does and all are on one domain; in the form of `udhr.py`.

Only the small languages of the corpus are meant: files of a New Testament, or of a part of it.
"""
import glob
import html
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

from make_sites import record  # noqa: E402
from tags import one  # noqa: E402

# Codes of the corpus that are not those of the language.
CODES = {'ssw': 'sw', 'oji': 'oj'}
PAGES, VERSES = 10, 6


def read(path):
    """The tag of a text, and its verses by number."""
    with open(path, encoding='utf-8', errors='replace') as f:
        text = f.read()
    code = re.search(r'iso639="(\w+)"', text) or re.search(r'<language id="([\w-]+)"', text)
    verses = re.findall(r'<seg id="([^"]+)"[^>]*>(.*?)</seg>', text, re.S)
    plain = {number: ' '.join(re.sub(r'<[^>]*>', '', verse).split()) for number, verse in verses}
    return code and one(CODES.get(code[1], code[1])), plain


def write(out, name, texts, latvian):
    folder = os.path.join(out, name)
    os.makedirs(folder, exist_ok=True)
    is_named, langs, gold = name == 'bible-both', [], []
    with open(os.path.join(folder, 'pages.warc.gz'), 'wb') as warc:
        for tag, verses in texts:
            numbers = [number for number, verse in verses.items() if number in latvian and len(verse) > 40][:3000]
            step = len(numbers) // (PAGES * VERSES)
            if step == 0:
                continue
            host = '%s.bible.test' % tag if name == 'bible-one' else 'bible-%s.test' % tag
            for page in range(PAGES):
                chosen = [numbers[(page * VERSES + at) * step] for at in range(VERSES)]
                urls = []
                for lang, text, place in (('lv', latvian, ''), (tag, verses, 'x/')):
                    url = 'http://%s/%sp%d.html' % (host, lang + '/' if is_named else place, page)
                    says = ' lang="%s"' % lang if is_named else ''
                    rows = ''.join('<p>%s</p>' % html.escape(text[number]) for number in chosen)
                    warc.write(record(url, ('<html%s><head><title>%d</title></head><body>%s</body></html>' % (says, page, rows)).encode()))
                    langs.append((url, lang, lang if is_named else '', '0', host))
                    urls.append(url)
                gold.append((*urls, 'lv', tag, 'x'))
    for ending, rows in ((name + '.pairs.tsv', gold), (name + '.grey.tsv', []), ('gold-langs.tsv', langs)):
        with open(os.path.join(folder, ending), 'w', encoding='utf-8') as f:
            f.writelines('\t'.join(row) + '\n' for row in rows)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bibles, out = sys.argv[1:]
    texts = dict(read(path) for path in sorted(glob.glob(os.path.join(bibles, '*-NT*.xml')) + glob.glob(os.path.join(bibles, '*-PART.xml'))))
    texts.pop(None, None)
    latvian = texts.pop('lv')
    for name in ('bible-both', 'bible-neither', 'bible-one'):
        write(out, name, sorted(texts.items()), latvian)


if __name__ == '__main__':
    main()
