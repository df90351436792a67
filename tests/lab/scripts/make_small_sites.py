#!/usr/bin/env python3
"""Makes crawls of many small sites.

make_small_sites.py pages BITEXT.tsv SITES OUT.warc.gz: registrable domains of two pages each, in two languages, of five sentence pairs that
are drawn from the first two columns of BITEXT.tsv (`diglot bitext --langs en,de`); a gzip member a record.
make_small_sites.py index SITES PAGES > OUT.cdxj: lines of an index of domains of so many URLs each, in /en/ and /fr/, nine of ten in both.
"""
import random
import sys
import zlib


def pages(bitext, sites, out):
    rows = [line.rstrip("\n").split("\t")[:2] for line in open(bitext, encoding="utf-8")]
    rows = [row for row in rows if all(40 < len(text) < 160 for text in row)]
    draw = random.Random(7)
    words = sorted({word.lower() for row in rows for word in row[0].split() if word.isascii() and word.isalpha() and len(word) > 3})
    for site in range(sites):
        host = f"www.{draw.choice(words)}-{draw.choice(words)}{site}.{draw.choice(['com', 'org', 'net', 'de', 'fr'])}"
        name, picks = draw.choice(words), [draw.choice(rows) for _ in range(5)]
        urls = [
            (f"http://{host}/en/{name}.html", f"http://{host}/de/{name}.html"),
            (f"http://{host}/{name}?lang=en", f"http://{host}/{name}?lang=de"),
            (f"http://{host}/", f"http://{host}/de/"),
        ][site % 3]
        for side, lang in enumerate(("en", "de")):
            paragraphs = "".join(f"<p>{pick[side]}</p>\n" for pick in picks)
            body = (
                f'<!DOCTYPE html>\n<html lang="{lang}"><head><title>{host} {name}</title></head><body><h1>{name}</h1>\n{paragraphs}'
                f'<a href="{urls[1 - side]}">{("Deutsch", "English")[side]}</a></body></html>'
            ).encode()
            block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {urls[side]}\r\nWARC-Date: 2026-11-21T00:00:{(2 * site + side) % 60:02}Z\r\n"
                f"WARC-Record-ID: <urn:uuid:{draw.getrandbits(32):08x}-0000-4000-8000-{draw.getrandbits(48):012x}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
            ).encode()
            member = zlib.compressobj(6, zlib.DEFLATED, 31)
            out.write(member.compress(head + block + b"\r\n\r\n") + member.flush())


def index(sites, count):
    at = 0
    for site in range(sites):
        urls = ((page, lang, code) for page in range(count) for lang, code in (("en", "eng"), ("fr", "fra")) if lang == "en" or page % 10 != 9)
        for (page, lang, code), _ in zip(urls, range(count)):
            url = f"https://www.site{site}.example/{lang}/part{page % 7}/article-{page * 7919 % 100003}.html"
            print(
                f'example,site{site})/{lang}/{page} 20240506070809 {{"url": "{url}", "mime": "text/html", "status": "200", "languages": "{code}", '
                f'"length": "{4000 + page}", "offset": "{at * 5000}", "filename": "crawl/{at // 100000:05}.warc.gz"}}'
            )
            at += 1


if __name__ == "__main__":
    if sys.argv[1] == "pages":
        with open(sys.argv[4], "wb") as out:
            pages(sys.argv[2], int(sys.argv[3]), out)
    else:
        index(int(sys.argv[2]), int(sys.argv[3]))
