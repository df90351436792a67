"""Makes web archives of multilingual sites out of documentation packages, with addresses of many kinds.

    make_sites.py UNPACKED OUT [SITE ...]

UNPACKED has one folder for each package of PACKAGES (`dpkg -x PACKAGE.deb UNPACKED/PACKAGE`). For every site it writes
OUT/warc/SITE.warc.gz, the pages that links reach from the start page, in that order, and OUT/layout/SITE.tsv:
`url language document`; pages of one document are meant to be translations of each other. Many are not translated, or in part:
gold is made of the layout by a language identifier.
"""
import collections
import gzip
import hashlib
import html
import os
import posixpath
import random
import re
import sys
import unicodedata
from urllib.parse import quote, urldefrag, urljoin

PACKAGES = """aptitude-doc-{en,fi,nl,cs,es,ja,ru} debian-edu-doc-{en,da,de,nl,nb-no,pt-pt} debian-faq
debian-faq-{de,fr,it,ja,ko,nl,pt,ru,zh-cn} debian-handbook debian-history debmake-doc doublecmd-help-{en,ru,uk}
gimp-help-{en,ca,el,ko,nl,pt-br,sv,uk} kicad-doc-{en,ca,id,ja,pl,ru} live-manual-html"""

LINK = re.compile(r'''(<a\b[^>]*?\shref\s*=\s*)(?:"([^"]*)"|'([^']*)')''', re.I | re.S)


class Page:
    def __init__(self, source, url, lang, doc, text):
        self.source, self.url, self.lang, self.doc, self.text = source, url, lang, doc, text


class Site:
    """Pages by where they lay (`source`, which their links are relative to) and by the address they get."""

    def __init__(self, name):
        self.name, self.pages = name, {}

    def add(self, source, url, lang, doc, text):
        self.pages[source] = Page(source, url, lang, doc, text)

    def start(self, url, links):
        """A page that leads to every language; `links` are (source, label)."""
        rows = ''.join('<li><a href="%s">%s</a></li>\n' % link for link in links)
        self.add('', url, None, None, '<html><head><title>%s</title></head><body><ul>\n%s</ul></body></html>\n' % (self.name, rows))

    def href(self, page, target):
        host = page.url.split('/', 3)
        return '/' + target.url.split('/', 3)[3] if target.url.split('/', 3)[2] == host[2] else target.url

    def rewritten(self, page):
        """The text with links to the new addresses, and the pages it links to."""
        to = []

        def sub(m):
            raw = html.unescape((m.group(2) if m.group(2) is not None else m.group(3)).strip())
            path, fragment = urldefrag(raw)
            if not path or re.match(r'[a-zA-Z][\w+.-]*:|//', path):
                return m.group(0)
            source = posixpath.normpath(urljoin('/' + page.source, path)).lstrip('/')
            target = self.pages.get(source) or self.pages.get(source + '#' + fragment)
            if target is None:
                return m.group(1) + '"#"'
            to.append(target)
            return '%s"%s"' % (m.group(1), html.escape(self.href(page, target) + ('#' + fragment if fragment else '')))

        return LINK.sub(sub, page.text), to

    def write(self, out):
        for folder in ('warc', 'layout'):
            os.makedirs(os.path.join(out, folder), exist_ok=True)
        queue, seen, rows = collections.deque([self.pages['']]), {''}, []
        with open(os.path.join(out, 'warc', self.name + '.warc.gz'), 'wb') as warc:
            while queue:
                page = queue.popleft()
                text, to = self.rewritten(page)
                for target in to:
                    if target.source not in seen:
                        seen.add(target.source)
                        queue.append(target)
                warc.write(record(page.url, text.encode('utf-8')))
                if page.doc:
                    rows.append('%s\t%s\t%s\n' % (page.url, page.lang, page.doc))
        with open(os.path.join(out, 'layout', self.name + '.tsv'), 'w', encoding='utf-8') as layout:
            layout.writelines(sorted(rows))
        print(self.name, len(seen), 'of', len(self.pages), 'pages reached')


def record(url, body, content_type='text/html; charset=utf-8'):
    http = b'HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n' % (content_type.encode(), len(body)) + body
    mark = hashlib.md5(url.encode()).hexdigest()
    head = ('WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n'
            'WARC-Record-ID: <urn:uuid:%s-%s-%s-%s-%s>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n'
            % (url, mark[:8], mark[8:12], mark[12:16], mark[16:20], mark[20:], len(http)))
    return gzip.compress(head.encode() + http + b'\r\n\r\n', mtime=0)


def files(root):
    """(path, text) of the HTML files below a folder."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith('.html'):
                path = os.path.join(folder, name)
                with open(path, encoding='utf-8', errors='replace') as f:
                    yield os.path.relpath(path, root).replace(os.sep, '/'), f.read()


def put(text, top='', bottom=''):
    """A text with something at the beginning and at the end of its body."""
    text = re.sub(r'<body\b[^>]*>', lambda m: m.group(0) + top, text, count=1, flags=re.I)
    return re.sub(r'</body', lambda m: bottom + m.group(0), text, count=1, flags=re.I)


def some(paths, share):
    """Whether a document is among so many in a hundred, the same in all languages."""
    return {p for p in paths if int(hashlib.md5(p.encode()).hexdigest(), 16) % 100 < share or p.endswith('index.html')}


def sections(text, cut, title):
    """(anchor, title, html) of the parts that begin where `cut` matches."""
    at = [m.start() for m in re.finditer(cut, text)] + [text.rfind('</body')]
    for a, b in zip(at, at[1:]):
        head = re.search(title, text[a:b], re.S)
        yield re.findall(r'\bid="([^"]+)"', text[a:b])[:1], re.sub(r'<[^>]+>|\s+', ' ', head.group(1)).strip(), text[a:b]


def slug(title):
    s = re.sub(r'^[\W\d]*?(\d+\.)*\d*\.?\s+', '', unicodedata.normalize('NFC', html.unescape(title))).lower()
    return re.sub(r'[\W_]+', '-', s).strip('-')


def title_of(text):
    return re.sub(r'\s+', ' ', re.search(r'<title[^>]*>(.*?)</title', text, re.S).group(1)).strip()


# Sites.

def paint(x):
    """a host for each language, named as it came: www (en), nl, ko-kr, sv-se, br; menus in English on every page; half of the pages"""
    s = Site('paint')
    menu = '<div id="nav"><ul>%s</ul></div>' % ''.join('<li>%s</li>' % w for w in (
        'Home', 'News', 'Features', 'Screenshots', 'Downloads', 'Documentation', 'Tutorials', 'Get involved', 'Report a bug', 'Donate to the project'))
    foot = '<div id="foot"><p>All content on this site is licensed by its authors. Read our privacy policy before you leave a comment. Follow us for news on releases.</p></div>'
    hosts = {'en': 'www', 'nl': 'nl', 'ko': 'ko-kr', 'sv': 'sv-se', 'pt_BR': 'br'}
    for lang, host in hosts.items():
        pages = dict(files(x('gimp-help-' + lang.lower().replace('_', '-'), 'usr/share/gimp/2.0/help', lang)))
        for path in some(pages, 40):
            s.add('%s/%s' % (lang, path), 'http://%s.paint.site.test/manual/2.10/%s' % (host, path), lang, path, put(pages[path], menu, foot))
    s.start('http://www.paint.site.test/', [(l + '/index.html', l) for l in hosts])
    return s


def brush(x):
    """a query value among other parameters, in other orders, with a session in the address"""
    s = Site('brush')
    langs = {'en': 'en_US', 'uk': 'uk_UA', 'el': 'el_GR', 'ca': 'ca_ES'}
    for i, (lang, token) in enumerate(langs.items()):
        pages = dict(files(x('gimp-help-' + lang, 'usr/share/gimp/2.0/help', lang)))
        session = hashlib.md5(lang.encode()).hexdigest()[:10]
        for path in some(pages, 37):
            page = int(hashlib.md5(path.encode()).hexdigest(), 16) % 10**7
            s.add('%s/%s' % (lang, path), 'http://brush.site.test/help/index.php?sid=%s&page=%d&hl=%s&print=0' % (session, page, token), lang, path, pages[path])
    s.start('http://brush.site.test/', [(l + '/index.html', l) for l in langs])
    return s


def apt(x):
    """codes of three letters, and English without any, at the root of the folder"""
    s = Site('apt')
    langs = {'en': '', 'fi': 'fin/', 'nl': 'dut/', 'cs': 'cze/', 'es': 'spa/', 'ja': 'jpn/', 'ru': 'rus/'}
    for lang, token in langs.items():
        pages = dict(files(x('aptitude-doc-' + lang, 'usr/share/doc/aptitude/html', lang)))
        figures = sorted((p for p in pages if p.startswith('ld-idm')), key=lambda p: int(p[6:-5]))
        for path, text in pages.items():
            doc = 'figure %d' % figures.index(path) if path in figures else path
            # The Czech and the Finnish edition are older, with sections numbered otherwise: nobody knows their partners.
            s.add('%s/%s' % (lang, path), 'http://apt.site.test/manual/%s%s' % (token, path), lang, '' if lang in ('cs', 'fi') else doc, text)
    s.start('http://apt.site.test/', [(l + '/index.html', l) for l in langs])
    return s


def faq(x):
    """a code in the folder and in the file, in upper and lower case: /FAQ/ZH-CN/Kernel_zh-cn.htm"""
    s = Site('faq')
    langs = ['en', 'de', 'fr', 'it', 'ja', 'ko', 'nl', 'pt', 'ru', 'zh-cn']
    for lang in langs:
        root = x('debian-faq' + ('' if lang == 'en' else '-' + lang), 'usr/share/doc/debian/FAQ', '' if lang == 'en' else lang)
        for path, text in files(root):
            if path.endswith('.%s.html' % lang):
                doc = path[:-len('.%s.html' % lang)]
                s.add('%s/%s' % (lang, path), 'http://faq.site.test/FAQ/%s/%s_%s.htm' % (lang.upper(), doc.title(), lang), lang, doc, text)
    s.start('http://faq.site.test/FAQ/', [('%s/index.%s.html' % (l, l), l) for l in langs])
    return s


def handbook(s, x, langs, address):
    root = x('debian-handbook/usr/share/doc/debian-handbook/html')
    for lang, token in langs.items():
        for path, text in files(os.path.join(root, lang)):
            s.add('%s/%s' % (lang, path), address(token, path, text), lang[:2], path, text)
    s.start('http://%s.site.test/' % s.name, [(l + '/index.html', l) for l in langs])
    return s


def names(x):
    """names of languages, deep in the address, and a slash at the end: /books/arabic/handbook/apt/; English where nobody translated"""
    langs = {'en-US': 'english', 'fr-FR': 'francais', 'pl-PL': 'polski', 'sv-SE': 'svenska', 'ro-RO': 'romana', 'ar-MA': 'arabic', 'el-GR': 'ellinika', 'nl-NL': 'nederlands'}
    return handbook(Site('names'), x, langs, lambda token, path, _: 'http://names.site.test/books/%s/handbook/%s/' % (token, path[:-5]) if path != 'index.html'
                    else 'http://names.site.test/books/%s/' % token)


def slugs(x):
    """a folder for each language, and the title of the page for a name"""
    langs = {'en-US': 'en', 'cs-CZ': 'cs', 'it-IT': 'it', 'tr-TR': 'tr', 'vi-VN': 'vi', 'ko-KR': 'ko'}
    taken = collections.Counter()

    def address(token, path, text):
        name = quote(slug(title_of(text)))
        taken[token, name] += 1
        n = taken[token, name]
        return 'http://slugs.site.test/%s/%s%s' % (token, name, '-%d' % n if n > 1 else '')
    return handbook(Site('slugs'), x, langs, address)


def nodes(x):
    """numbers that say nothing: /node/20417, other ones in each language; short sections"""
    s = Site('nodes')
    rng = random.Random(5)
    numbers = iter(rng.sample(range(1000, 30000), 5000))
    langs = ['en', 'da', 'de', 'nl', 'nb-no', 'pt-pt']
    for lang in langs:
        book = dict(files(x('debian-edu-doc-' + lang, 'usr/share/doc', 'debian-edu-doc-' + lang)))['debian-edu-bookworm-manual.html']
        parts = list(sections(book, r'<div class="section"><div class="titlepage"><div><div><h[23]', r'<h[23][^>]*>(.*?)</h[23]'))
        bar = ''.join('<a href="/%s/0">%s</a> ' % (l, l) for l in langs if l != lang)
        toc = ''.join('<li><a href="%d">%s</a></li>' % (i + 1, t) for i, (_, t, _) in enumerate(parts))
        lang2 = lang[:2]
        page = '<html><head><title>%s</title></head><body><p>%s</p>%s<p>%s</p></body></html>'
        s.add(lang + '/0', 'http://nodes.site.test/node/%d' % next(numbers), lang2, 'toc', page % (lang, bar, '<ul>' + toc + '</ul>', ''))
        for i, (_, t, text) in enumerate(parts):
            around = ' '.join('<a href="%d">%s</a>' % (j, m) for j, m in ((i, '&lt;'), (0, '^'), (i + 2, '&gt;')) if j <= len(parts))
            s.add('%s/%d' % (lang, i + 1), 'http://nodes.site.test/node/%d' % next(numbers), lang2, str(i + 1), page % (t, bar, text, around))
    s.start('http://nodes.site.test/', [(l + '/0', l) for l in langs])
    return s


def commander(x):
    """the code in the name of the program, a number in the query: page_ru.php?id=7, and page.php?id=7 in English"""
    s = Site('commander')
    for lang in ('en', 'ru', 'uk'):
        for path, text in files(x('doublecmd-help-' + lang, 'usr/share/doublecmd/doc', lang)):
            number = int(hashlib.md5(path.encode()).hexdigest(), 16) % 10**5
            s.add('%s/%s' % (lang, path), 'http://commander.site.test/help/page%s.php?id=%d' % ('' if lang == 'en' else '_' + lang, number), lang, path, text)
    s.start('http://commander.site.test/', [(l + '/index.html', l) for l in ('en', 'ru', 'uk')])
    return s


def debmake(x):
    """behind the name of a program: /guide/index.php/ja/ch05; Chinese in both scripts"""
    s = Site('debmake')
    langs = ['en', 'de', 'ja', 'ru', 'zh-cn', 'zh-tw']
    for path, text in files(x('debmake-doc/usr/share/doc/debmake-doc/html')):
        doc, lang, _ = path.split('.')
        s.add(path, 'http://debmake.site.test/guide/index.php/%s/%s' % (lang, doc), lang, doc, text)
    s.start('http://debmake.site.test/', [('index.%s.html' % l, l) for l in langs])
    return s


def history(x):
    """the code with a country behind the page: /history/intro,en-gb.html, /history/intro,lt-lt.html"""
    s = Site('history')
    country = {'en': 'gb', 'ja': 'jp', 'ko': 'kr'}
    langs = set()
    for path, text in files(x('debian-history/usr/share/doc/debian-history/docs')):
        doc, lang, _ = path.split('.')
        langs.add(lang)
        s.add(path, 'http://history.site.test/history/%s,%s-%s.html' % (doc, lang, country.get(lang, lang)), lang, doc, text)
    s.start('http://history.site.test/', [('index.%s.html' % l, l) for l in sorted(langs)])
    return s


def wiki(x):
    """the code after the page, none in English: /wiki/Installing_tools, /wiki/Installing_tools/pt-br"""
    s = Site('wiki')
    langs = ['en', 'ca', 'de', 'es', 'fr', 'it', 'ja', 'pl', 'pt_BR', 'ro']
    for path, text in files(x('live-manual-html/usr/share/doc/live-manual/html/live-manual')):
        doc, lang, _ = path.split('.')
        s.add(path, 'http://wiki.site.test/wiki/%s%s' % (doc[0].upper() + doc[1:].replace('-', '_'), '' if lang == 'en' else '/' + lang.lower().replace('_', '-')), lang, doc, text)
    s.start('http://wiki.site.test/', [('toc.%s.html' % l, l) for l in langs])
    return s


def circuits(x):
    """sections of seven manuals behind a program, with sessions that change: show.do;jsessionid=A1B2?lang=PL&chap=kicad-4"""
    s = Site('circuits')
    langs = {'en': 'EN', 'pl': 'PL', 'ca': 'CA', 'id': 'IN', 'ja': 'JA', 'ru': 'RU'}
    home = 'http://circuits.site.test/docs/show.do;jsessionid=%s?lang=%s&chap=%s'
    page = '<html><head><title>%s</title></head><body>%s<p>%s</p></body></html>'
    for lang, token in langs.items():
        session = lambda doc: hashlib.md5(('%s %d' % (lang if lang == 'en' else '', int(hashlib.md5((lang + doc).encode()).hexdigest(), 16) % 3)).encode()).hexdigest()[:16].upper()
        books = []
        for path, text in files(x('kicad-doc-' + lang, 'usr/share/doc/kicad/help', lang)):
            book = path[:-5]
            if book == 'introduction':
                continue
            parts = list(sections(text, r'<h[23] ', r'<h[23][^>]*>(.*?)</h[23]'))
            books.append((book, title_of(text)))
            toc = '<ol>%s</ol>' % ''.join('<li><a href="%s-%d">%s</a></li>' % (book, i + 1, t) for i, (_, t, _) in enumerate(parts))
            s.add('%s/%s' % (lang, book), home % (session(book), token, book), lang, book, page % (title_of(text), toc, '<a href="home">^</a>'))
            for i, (_, t, part) in enumerate(parts):
                name = '%s-%d' % (book, i + 1)
                around = '<a href="%s">^</a> <a href="%s-%d">&gt;</a>' % (book, book, i + 2)
                s.add('%s/%s' % (lang, name), home % (session(name), token, name), lang, name, page % (t, part, around))
        s.add(lang + '/home', home % (session('home'), token, 'home'), lang, 'home',
              page % (lang, ''.join('<p><a href="%s">%s</a></p>' % b for b in books), ' '.join('<a href="/%s/home">%s</a>' % (l, l) for l in langs)))
    s.start('http://circuits.site.test/', [(l + '/home', l) for l in langs])
    return s


def shop(x):
    """a folder for each language, a number that all share, and the title: /nl-nl/p/4711/penselen; English without a folder"""
    s = Site('shop')
    langs = {'en': '', 'nl': 'nl-nl/', 'pt_BR': 'pt-br/', 'sv': 'sv-se/', 'ca': 'ca-es/'}
    for lang, token in langs.items():
        pages = dict(files(x('gimp-help-' + lang.lower().replace('_', '-'), 'usr/share/gimp/2.0/help', lang)))
        left = set(pages) - some(pages, 55) | {'index.html'}
        for path in left:
            number = int(hashlib.md5(path.encode()).hexdigest(), 16) % 10**6
            s.add('%s/%s' % (lang, path), 'http://shop.site.test/%sp/%d/%s' % (token, number, quote(slug(title_of(pages[path])))), lang, path, pages[path])
    s.start('http://shop.site.test/', [(l + '/index.html', l) for l in langs])
    return s


def books(x):
    """a parameter that English pages lack: view?topic=sect.apt, view?setlang=ja&topic=sect.apt"""
    langs = {'en-US': '', 'es-ES': 'setlang=es&', 'ja-JP': 'setlang=ja&', 'de-DE': 'setlang=de&', 'pt-BR': 'setlang=pt&', 'da-DK': 'setlang=da&'}
    return handbook(Site('books'), x, langs, lambda token, path, _: 'http://books.site.test/view?%stopic=%s' % (token, path[:-5]))


def school(x):
    """a host for each language but English, which has the bare domain; folders and files named in capitals"""
    s = Site('school')
    for lang in ('en', 'da', 'de', 'nl', 'nb-no'):
        folder = 'debian-edu-doc-' + lang
        book = dict(files(x(folder, 'usr/share/doc', folder)))['debian-edu-bullseye-manual.html']
        parts = list(sections(book, r'<div class="section"><div class="titlepage"><div><div><h2', r'<h2[^>]*>(.*?)</h2'))
        host = 'http://%sschool.test' % ('' if lang == 'en' else lang[:2] + '.')
        toc = ''.join('<li><a href="%d">%s</a></li>' % (i + 1, t) for i, (_, t, _) in enumerate(parts))
        page = '<html><head><title>%s</title></head><body>%s<p>%s</p></body></html>'
        s.add(lang + '/0', host + '/Manual/', lang[:2], 'toc', page % (lang, '<ul>%s</ul>' % toc, ''))
        for i, (_, t, text) in enumerate(parts):
            s.add('%s/%d' % (lang, i + 1), '%s/Manual/CHAPTER%02d.HTM' % (host, i + 1), lang[:2], str(i + 1), page % (t, text, '<a href="0">^</a>'))
    s.start('http://school.test/', [(l + '/0', l) for l in ('en', 'da', 'de', 'nl', 'nb-no')])
    return s


SITES = dict(paint=paint, brush=brush, apt=apt, faq=faq, names=names, slugs=slugs, nodes=nodes, commander=commander, debmake=debmake,
             history=history, wiki=wiki, circuits=circuits, shop=shop, books=books, school=school)

if __name__ == '__main__':
    unpacked, out = sys.argv[1:3]
    for site in sys.argv[3:] or SITES:
        SITES[site](lambda *path: os.path.join(unpacked, *path)).write(out)
