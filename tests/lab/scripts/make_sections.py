"""Makes an archive of one domain with many sections, as hosts or as folders of one host, and the gold pairs of its pages.

    make_sections.py BITEXT.tsv.gz LANG HOW SECTIONS PAGES SEED OUT.warc.gz OUT.pairs.tsv

BITEXT has judged sentence pairs of English and LANG, as in the folder `gold` of a laboratory's data: `install.en-fr.bitext.tsv.gz`. Each section
has PAGES pages in each language, of eight sentences drawn from these, which two pages hardly ever share, and links to
the next twenty pages of its section. HOW is `hosts` (http://s7.big.test/en/p0) or `folders` (http://big.test/s7/en/p0).
"""
import gzip
import random
import sys
import zlib


def main():
    bitext, lang, how, sections, pages, seed, warc, gold = sys.argv[1:9]
    rows = (line.rstrip("\n").split("\t") for line in gzip.open(bitext, "rt", encoding="utf-8"))
    pairs = [(row[0], row[1]) for row in rows if len(row) > 1 and len(row[0]) > 30]
    draw = random.Random(int(seed))
    serial = 0
    with open(warc, "wb") as out, open(gold, "w", encoding="utf-8") as judged:
        for section in range(int(sections)):
            base = f"http://s{section}.big.test/" if how == "hosts" else f"http://big.test/s{section}/"
            for page in range(int(pages)):
                text = draw.sample(pairs, 8)
                urls = [f"{base}{mark}/p{page}" for mark in ("en", lang)]
                print(*urls, "en", lang, sep="\t", file=judged)
                for side, mark in enumerate(("en", lang)):
                    links = "".join(f'<a href="{base}{mark}/p{other % int(pages)}">{other}</a>' for other in range(page, page + min(20, int(pages))))
                    body = "".join(f"<p>{pair[side]}</p>" for pair in text)
                    html = f"<html><head><title>{text[0][side]}</title></head><body>{links}{body}</body></html>".encode()
                    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(html) + html
                    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {urls[side]}\r\nWARC-Date: 2026-11-21T00:00:00Z\r\n"
                            f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{serial:012x}>\r\n"
                            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n")
                    member = zlib.compressobj(1, zlib.DEFLATED, 31)
                    out.write(member.compress(head.encode() + block + b"\r\n\r\n") + member.flush())
                    serial += 1


main()
