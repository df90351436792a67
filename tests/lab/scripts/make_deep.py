"""Takes a share of one language's pages out of a WARC, at random, and puts them into a second one.

    make_deep.py IN.warc.gz PAGES.tsv.gz LANG SHARE SEED REST.warc.gz TAKEN.warc.gz TAKEN.txt [unlinked]

PAGES has the address and the claimed language of each page in its first two columns. With `unlinked`, links to what was taken
lead to the linking page itself. Needs warcio.
"""
import gzip
import io
import random
import re
import sys
from urllib.parse import urldefrag, urljoin

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

LINK = re.compile(rb"""(\b(?:href|src)\s*=\s*["']?)([^"'\s>]+)""", re.I)


def unlinked(writer, record, url, taken):
    """The record without its links to taken pages."""

    body = record.content_stream().read()
    base = re.search(rb"""<base\b[^>]*\bhref\s*=\s*["']?([^"'\s>]+)""", body, re.I)
    base = urljoin(url, base[1].decode("latin-1")) if base else url

    def replace(found):
        target = found[2].decode("latin-1").replace("&amp;", "&")
        return found[1] + b"#" if urldefrag(urljoin(base, target))[0] in taken else found[0]

    body = LINK.sub(replace, body)
    # The body is as it was sent no more: its codings are undone, and its length is another.
    gone = {"transfer-encoding", "content-encoding", "content-length"}
    headers = [pair for pair in record.http_headers.headers if pair[0].lower() not in gone]
    http = StatusAndHeaders(record.http_headers.statusline, headers, record.http_headers.protocol)
    date = {"WARC-Date": record.rec_headers.get_header("WARC-Date")}
    return writer.create_warc_record(url, "response", io.BytesIO(body), http_headers=http, warc_headers_dict=date)


def main():
    source, pages, lang, share, seed, rest, taken, listing = sys.argv[1:9]
    rows = [line.rstrip("\n").split("\t") for line in gzip.open(pages, "rt", encoding="utf-8")]
    candidates = sorted(row[0] for row in rows if row[1] == lang)
    chosen = set(random.Random(int(seed)).sample(candidates, round(len(candidates) * float(share))))
    with open(source, "rb") as stream, open(rest, "wb") as a, open(taken, "wb") as b:
        writers = [WARCWriter(a, gzip=True), WARCWriter(b, gzip=True)]
        for record in ArchiveIterator(stream):
            if record.rec_type == "response":
                url = record.rec_headers.get_header("WARC-Target-URI").strip("<>")
                if "unlinked" in sys.argv[9:] and url not in chosen:
                    record = unlinked(writers[0], record, url, chosen)
                writers[url in chosen].write_record(record)
    with open(listing, "w", encoding="utf-8") as out:
        out.writelines(url + "\n" for url in sorted(chosen))


main()
