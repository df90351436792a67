"""Makes an archive of domains that differ in their public suffix only: versions of one site, and traps.

    make_suffixes.py GOLD_FOLDER SITE SEED OUT.warc OUT.pairs.tsv OUT.grey.tsv [BRANDS TRAPS]

The text is that of the judged sentence pairs GOLD_FOLDER/SITE.en-LANG.bitext.tsv.gz: pages of versions have the same
paragraphs, each in its language, those of traps have none in common. A name that is in the grey file only is a trap: every pair of
its pages is wrong.
"""
import glob
import gzip
import random
import re
import sys

SUFFIXES = {"en": ["com", "co.uk", "co.nz"], "de": ["de", "at"], "fr": ["fr"], "es": ["es", "com.ar"], "cs": ["cz"]}
COMMON = ["", "contact.html", "about.html", "news.html", "imprint.html", "jobs.html", "search.html"]
# What publishing systems and lawyers put on every site.
USUAL = ["privacy-policy.html", "terms-of-service.html", "about-us/our-team.html", "category/uncategorized.html",
         "blog/hello-world.html", "author/admin/posts.html", "shop/shopping-cart.html", "help/getting-started.html"]
VERSIONS = ["bar", "hreflang", "unlinked", "www", "partial", "numbers", "home-links", "with-mirror"]
TRAPS = ["common", "template", "mirror", "parked", "usual", "name-sakes"]
SYLLABLES = ["ba", "ko", "li", "mer", "no", "ta", "ru", "vel", "sin", "dor", "ga", "pi"]


def texts(folder, site):
    """Paragraphs that all languages have."""
    by_lang = {}
    for path in glob.glob(f"{folder}/{site}.en-*.bitext.tsv.gz"):
        lang = re.search(r"\.en-([a-z-]+)\.bitext", path).group(1)
        if lang in SUFFIXES:
            rows = (line.rstrip("\n").split("\t") for line in gzip.open(path, "rt", encoding="utf-8"))
            by_lang[lang] = {row[0]: row[1] for row in rows if len(row) > 1 and len(row[0]) > 60}
    shared = sorted(set.intersection(*(set(rows) for rows in by_lang.values())))
    return [{"en": text, **{lang: rows[text] for lang, rows in by_lang.items()}} for text in shared]


class Site:
    """Some pages on one host."""

    def __init__(self, host, lang, skin):
        self.host, self.lang, self.skin = host, lang, skin
        self.pages = {}

    def url(self, path):
        return f"http://{self.host}/{path}"

    def page(self, path, title, paragraphs, links, alternates):
        item = ["li", "p", "div"][self.skin % 3]
        body = "".join(f"<{item}>{text}</{item}>" for text in paragraphs)
        menu = "".join(f'<a href="/{other}">{other or "/"}</a> ' for other in sorted(self.pages)[:12])
        bar = "".join(f'<a href="{url}">{name}</a> ' for name, url in links)
        head = "".join(f'<link rel="alternate" hreflang="{lang}" href="{url}">' for lang, url in alternates)
        parts = [f"<div class=bar>{bar}</div>", f"<div class=menu>{menu}</div>", f"<h1>{title}</h1>{body}"]
        if self.skin % 2:
            parts.reverse()
        return f"<html><head><title>{title}</title>{head}</head><body>{''.join(parts)}</body></html>"


def main():
    folder, site, seed, warc, gold, grey = sys.argv[1:7]
    brands, traps = (int(number) for number in sys.argv[7:9]) if len(sys.argv) > 7 else (40, 36)
    rng = random.Random(int(seed))
    pool = texts(folder, site)
    rng.shuffle(pool)
    halves = [pool[: len(pool) // 2], pool[len(pool) // 2:]]
    names = set()

    def name():
        while True:
            made = "".join(rng.choice(SYLLABLES) for _ in range(3))
            if made not in names:
                names.add(made)
                return made

    def words(text):
        return re.findall(r"[a-z]{4,}", text.lower())

    def content(source):
        return [rng.choice(source) for _ in range(rng.randint(5, 9))]

    def slug(paragraphs):
        return "-".join(words(paragraphs[0]["en"])[:3]) + ".html"

    records, pairs, silent = [], [], []

    def publish(site, contents, links, alternates):
        site.pages = contents
        for path, paragraphs in sorted(contents.items()):
            text = [paragraph[site.lang] for paragraph in paragraphs]
            title = " ".join(text[0].split()[:5])
            records.append((site.url(path), site.page(path, title, text, links(path), alternates(path))))

    def hosts(count):
        langs = rng.sample(sorted(SUFFIXES), count)
        brand = name()
        return brand, [(lang, f"{brand}.{rng.choice(SUFFIXES[lang])}") for lang in langs]

    for number in range(brands):
        kind = VERSIONS[number % len(VERSIONS)]
        _, of = hosts(rng.choice([2, 2, 3]))
        if kind == "www":
            of = [(lang, "www." + host if at == 0 else host) for at, (lang, host) in enumerate(of)]
        skin = rng.randrange(6)
        contents = {path: content(pool) for path in COMMON[: rng.randint(1, 4)]}
        for at in range(rng.randint(8, 25)):
            paragraphs = content(pool)
            contents[f"node/{at + 1}" if kind == "numbers" else slug(paragraphs)] = paragraphs
        versions = [Site(host, lang, skin) for lang, host in of]
        kept = [dict(contents) for _ in versions]
        if kind == "partial":
            for path in rng.sample(sorted(contents), len(contents) // 2):
                del kept[1][path]
        if kind == "with-mirror":
            lang, host = of[0]
            suffix = next(s for s in ["org", "net"] if not host.endswith(s))
            mirror = Site(f"{host.split('.')[0]}.{suffix}", lang, skin)
        for version, own in zip(versions, kept):
            def links(path):
                others = [(o.lang, o.url(path if kind != "home-links" else "")) for o in versions if o is not version]
                return others if kind in ("bar", "www", "partial", "numbers", "home-links", "with-mirror") else []

            def alternates(path):
                there = [(o.lang, o.url(path)) for o, has in zip(versions, kept) if path in has]
                return there if kind == "hreflang" else []

            publish(version, own, links, alternates)
        for x in range(len(versions)):
            for y in range(x + 1, len(versions)):
                a, b = versions[x], versions[y]
                for path in sorted(set(kept[x]) & set(kept[y])):
                    pairs.append((a.url(path), b.url(path), a.lang, b.lang))
        if kind == "with-mirror":
            publish(mirror, dict(contents), lambda path: [], lambda path: [])
            for other in versions[1:]:
                silent += [(mirror.url(p), other.url(p), mirror.lang, other.lang, "mixed") for p in sorted(contents)]

    for number in range(traps):
        kind = TRAPS[number % len(TRAPS)]
        brand, of = hosts(2)
        sources = [0, 1]
        skins = [rng.randrange(6)] * 2 if kind in ("template", "usual") else [0, rng.choice([1, 3, 5])]
        paths = COMMON[: rng.randint(3, 7)]
        if kind == "template":
            paths = COMMON[:3] + [f"node/{at}" for at in range(1, rng.randint(10, 25))]
        elif kind == "parked":
            paths = COMMON[: rng.randint(1, 2)]
        elif kind == "usual":
            paths = COMMON[:3] + USUAL
        sites = [Site(host, lang, skin) for (lang, host), skin in zip(of, skins)]
        own = []
        for source in sources:
            contents = {path: content(halves[source]) for path in paths}
            if kind not in ("template", "parked"):
                for _ in range(rng.randint(8, 20)):
                    paragraphs = content(halves[source])
                    contents[slug(paragraphs)] = paragraphs
            own.append(contents)
        for at, (site, contents) in enumerate(zip(sites, own)):
            other = sites[1 - at]
            publish(site, contents, lambda path: [("other", other.url(""))] if kind == "name-sakes" else [], lambda path: [])
        if kind == "mirror":
            mirror = Site(f"{brand}.org", sites[0].lang, skins[0])
            publish(mirror, own[0], lambda path: [], lambda path: [])
            silent.append((mirror.url(""), sites[1].url(""), mirror.lang, sites[1].lang, "untranslated"))
        silent.append((sites[0].url(""), sites[1].url(""), sites[0].lang, sites[1].lang, "untranslated"))

    with open(warc, "wb") as out:
        for url, html in sorted(records):
            body = html.encode()
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
            head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
            head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            out.write(head.encode() + http + b"\r\n\r\n")
    for path, rows in [(gold, pairs), (grey, silent)]:
        with open(path, "w", encoding="utf-8") as out:
            out.writelines("\t".join(row) + "\n" for row in sorted(rows))
    print(f"{len(records)} pages, {len(pairs)} pairs, {brands} brands, {traps} traps")


main()
