"""Takes a share of one language's pages out of a WARC, at random, and puts them into a second one.

    make_deep.py IN.warc.gz PAGES.tsv.gz LANG SHARE SEED REST.warc.gz TAKEN.warc.gz TAKEN.txt

PAGES has the address and the claimed language of each page in its first two columns. Needs warcio.
"""
import gzip
import random
import sys

from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter


def main():
    source, pages, lang, share, seed, rest, taken, listing = sys.argv[1:9]
    rows = [line.rstrip("\n").split("\t") for line in gzip.open(pages, "rt", encoding="utf-8")]
    candidates = sorted(row[0] for row in rows if row[1] == lang)
    chosen = set(random.Random(int(seed)).sample(candidates, round(len(candidates) * float(share))))
    with open(source, "rb") as stream, open(rest, "wb") as a, open(taken, "wb") as b:
        writers = [WARCWriter(a, gzip=True), WARCWriter(b, gzip=True)]
        for record in ArchiveIterator(stream):
            if record.rec_type == "response":
                writers[record.rec_headers.get_header("WARC-Target-URI").strip("<>") in chosen].write_record(record)
    with open(listing, "w", encoding="utf-8") as out:
        out.writelines(url + "\n" for url in sorted(chosen))


main()
