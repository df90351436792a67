"""Makes web archives of multilingual sites that packages ship as they were published: no page, path or link is changed.

    make_web_sites.py UNPACKED OUT [SITE ...]

UNPACKED has one folder for each package of PACKAGES (`dpkg -x PACKAGE.deb UNPACKED/PACKAGE`). For every site it writes
OUT/warc/SITE.warc.gz, all its pages in the order of their paths under http://SITE.site.test/, and OUT/layout/SITE.tsv:
`url language document`; pages of one document are meant to be translations of each other, and a document that ends in
`@alt` is a second address of its page. Many pages are not translated, or in part: gold is made of the layout by language identifiers.
"""
import os
import re
import sys
import zipfile

from make_sites import record

# Package, version it was tried with, licence of the pages.
PACKAGES = [('linux-doc-6.1', '6.1.192-2', 'GPL-2'),
            ('redmine', '5.0.4-5+deb12u1', 'GPL-2+'),
            ('simutrans-data', '123.0.1-1', 'Artistic-1.0'),
            ('squid-langpack', '20220130-1', 'GPL-2+'),
            ('stellarium-data', '0.22.2-1', 'GPL-2+'),
            ('sweethome3d', '7.0.2+dfsg-3', 'GPL-2+')]


class Site:
    """Pages by path: (language, document, bytes). A page whose language is None is on the site, but has no partner."""

    def __init__(self, name, charset=None):
        self.name, self.type, self.pages = name, 'text/html' + ('; charset=' + charset if charset else ''), {}

    def add(self, path, lang, doc, body):
        self.pages[path] = lang, doc, body

    def write(self, out):
        for folder in ('warc', 'layout'):
            os.makedirs(os.path.join(out, folder), exist_ok=True)
        rows = []
        with open(os.path.join(out, 'warc', self.name + '.warc.gz'), 'wb') as warc:
            for path, (lang, doc, body) in sorted(self.pages.items()):
                url = 'http://%s.site.test/%s' % (self.name, path)
                warc.write(record(url, body, self.type))
                if lang:
                    rows.append('%s\t%s\t%s\n' % (url, lang, doc))
        with open(os.path.join(out, 'layout', self.name + '.tsv'), 'w', encoding='utf-8') as layout:
            layout.writelines(rows)
        print(self.name, len(self.pages), 'pages')


def files(root):
    """(path, bytes) of the files below a folder, without links to files and folders."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                with open(path, 'rb') as f:
                    yield os.path.relpath(path, root).replace(os.sep, '/'), f.read()


# Sites.

def kernel(x):
    """Sphinx: /html/process/howto.html, /html/translations/zh_CN/process/howto.html. Most pages are English only; of them, those of parts
    with a translated page are taken. Every page declares English and has an English menu; some translations are a note and no more."""
    s = Site('kernel')
    langs = {'zh_CN': 'zh-cn', 'zh_TW': 'zh-tw', 'it_IT': 'it', 'ja_JP': 'ja', 'ko_KR': 'ko'}
    moved = {'ja_JP/howto': 'process/howto', 'ko_KR/howto': 'process/howto', 'it_IT/networking/netdev-FAQ': 'process/maintainer-netdev'}
    english, parts = {}, set()
    for path, body in files(x('linux-doc-6.1/usr/share/doc/linux-doc-6.1/html')):
        if not path.endswith('.html') or path in ('genindex.html', 'search.html'):
            continue
        name = path[:-5]
        if name.startswith('translations/') and name.count('/') > 1:
            _, folder, doc = name.split('/', 2)
            parts.add(doc.split('/')[0])
            s.add('html/' + path, langs[folder], moved.get(folder + '/' + doc, doc), body)
        else:
            english[path] = name, body
    for path, (doc, body) in english.items():
        if '/' not in path or path.split('/')[0] in parts:
            s.add('html/' + path, 'en', doc, body)
    return s


def errors(x):
    """Error pages of a proxy server: /pt-br/ERR_ACCESS_DENIED; 44 languages, 42 short pages that share most of their text, with
    placeholders (%U). Half is not translated, or only its headings are. /templates has the English pages once more."""
    s = Site('errors')
    for path, body in files(x('squid-langpack/usr/share/squid-langpack')):
        folder, name = path.split('/')
        if name.startswith('ERR_') and folder != 'sr-latn':
            lang = {'templates': 'en', 'zh-hans': 'zh-cn', 'zh-hant': 'zh-tw', 'sr-cyrl': 'sr'}.get(folder, folder)
            s.add(path, lang, name + ('@alt' if folder == 'templates' else ''), body)
    return s


def sky(x):
    """Essays on the constellations of peoples: /skycultures/tupi/description.pt_BR.utf8; HTML without head, body and links to each other;
    and descriptions of landscapes, of a sentence or two; 40 languages, each with some of the pages; Chinese of three regions."""
    s = Site('sky', 'utf-8')
    for path, body in files(x('stellarium-data/usr/share/stellarium')):
        m = re.fullmatch(r'((skycultures|landscapes)/[^/]+)/description\.(\w+)\.utf8', path)
        if m:
            s.add(path, m.group(3).lower().replace('_', '-'), m.group(1), body)
    return s


def tracker(x):
    """Help of a web application for teams: /help/pt-br/wiki_syntax_textile.html; four to six pages in 49 languages, most of them copies of the
    English ones; en and en-gb, es and es-pa, pt and pt-br, sr and sr-yu, zh and zh-tw."""
    s = Site('tracker')
    for path, body in files(x('redmine/usr/share/redmine/public/help')):
        if path.endswith('.html'):
            folder, _, name = path.rpartition('/')
            s.add('help/' + path, {'zh': 'zh-cn', 'sr-yu': 'sr-latn', 'no': 'nb'}.get(folder, folder) or None, name, body)
    return s


def town(x):
    """Help texts of a game: /text/cz/finances.txt; HTML without a head in folders named by country (cz, dk; cn and zh are the two scripts
    of Chinese); languages that need other letters are encoded twice; editions of differing age."""
    s = Site('town', 'utf-8')
    for path, body in files(x('simutrans-data/usr/share/games/simutrans/text')):
        if path.endswith('.txt') and path.count('/') == 1:
            folder, name = path.split('/')
            s.add('text/' + path, {'cz': 'cs', 'dk': 'da', 'cn': 'zh-cn', 'zh': 'zh-tw'}.get(folder, folder), name, body)
    return s


def home(x):
    """Help of a program to furnish homes, hand-made: /help/ja/tips.html; a charset per language, in <meta> only (Shift_JIS, GB2312, Big5)."""
    s = Site('home')
    with zipfile.ZipFile(x('sweethome3d/usr/share/sweethome3d/sweethome3d.jar')) as jar:
        for path in jar.namelist():
            m = re.search(r'/resources/(help/(\w+)/(\w+\.html))$', path)
            if m:
                s.add(m.group(1), m.group(2).lower().replace('_', '-'), m.group(3), jar.read(path))
    return s


SITES = dict(kernel=kernel, errors=errors, sky=sky, tracker=tracker, town=town, home=home)

if __name__ == '__main__':
    unpacked, out = sys.argv[1:3]
    for site in sys.argv[3:] or SITES:
        SITES[site](lambda *path: os.path.join(unpacked, *path)).write(out)
