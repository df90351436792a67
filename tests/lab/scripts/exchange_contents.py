"""Puts the contents of some pages of a judged site at other addresses: pairs that URLs and links still speak for, and contents do not.

    exchange_contents.py HOW SHARE SITE.warc.gz SITE.pairs.tsv OUT.warc.gz OUT.false.tsv [OTHER.warc.gz OTHER.pairs.tsv]

Of the language with the second most pages in the gold pairs, a share of the pages (0..1, two at the least) changes its contents. HOW
says for which: `round`, those of each other in a random order; `shift`, pages that stand together in the list of addresses, each for
that of the next; `other`, pages of the same language of another site. OUT.false.tsv has the gold pairs that are wrong now. Needs warcio.
"""
import collections
import io
import random
import sys

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

OF_THE_BODY = {"content-length", "content-encoding", "transfer-encoding"}


def identity(url):
    return url.split("://", 1)[-1]


def gold(path):
    """Rows of gold pairs, and the language of each page."""
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8") if line.strip()]
    langs = {identity(row[side]): row[2 + side] for row in rows for side in (0, 1)}
    return rows, langs


def bodies(path):
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "response":
                yield record, identity(record.rec_headers.get_header("WARC-Target-URI")), record.content_stream().read()


def main(how, share, site, pairs, out, false, *other):
    dice = random.Random(7)
    rows, langs = gold(pairs)
    lang = collections.Counter(langs.values()).most_common(2)[-1][0]
    known = {url: body for _, url, body in bodies(site)}
    pages = sorted(url for url, of in langs.items() if of == lang and url in known)
    count = min(len(pages), max(2, round(float(share) * len(pages))))
    start = dice.randrange(len(pages) - count + 1)
    chosen = pages[start:start + count] if how == "shift" else sorted(dice.sample(pages, count))
    if how == "other":
        of_lang = {url for url, of in gold(other[1])[1].items() if of == lang}
        contents = [body for _, url, body in bodies(other[0]) if url in of_lang]
        if not contents:
            sys.exit(f"{other[0]} has no page in {lang}")
        dice.shuffle(contents)
    else:
        contents = [known[url] for url in chosen]
        if how == "round":
            order = list(range(count))
            dice.shuffle(order)
            chosen = [chosen[at] for at in order]
            contents = [contents[at] for at in order]
        contents = contents[1:] + contents[:1]
    new = {url: contents[at % len(contents)] for at, url in enumerate(chosen)}
    new = {url: body for url, body in new.items() if body != known[url]}
    with open(out, "wb") as file:
        writer = WARCWriter(file, gzip=True)
        for record, url, body in bodies(site):
            body = new.get(url, body)
            head = record.http_headers
            kept = [(name, value) for name, value in head.headers if name.lower() not in OF_THE_BODY]
            head = StatusAndHeaders(head.statusline, [*kept, ("Content-Length", str(len(body)))], protocol=head.protocol)
            date = {"WARC-Date": record.rec_headers.get_header("WARC-Date")}
            target = record.rec_headers.get_header("WARC-Target-URI")
            writer.write_record(writer.create_warc_record(
                target, "response", payload=io.BytesIO(body), http_headers=head, warc_headers_dict=date))
    with open(false, "w", encoding="utf-8") as file:
        for row in rows:
            if identity(row[0]) in new or identity(row[1]) in new:
                file.write("\t".join(row) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    main(*sys.argv[1:])
