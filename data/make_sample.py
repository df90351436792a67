#!/usr/bin/env python3
"""Cuts the sample sites of this folder, and their gold, from full crawls.

    make_sample.py warc FULL.warc.gz PAGES KEEP OUT.warc.gz
    make_sample.py httrack FULL_MIRROR PAGES SAVED OUT_MIRROR
    make_sample.py gold FULL.pairs.tsv FULL.grey.tsv FULL.keys.tsv OUT_PREFIX PAGES...

warc     copies the gzip members of the responses whose address ends in a line of PAGES, byte for byte, and the
         first warcinfo record; a line of KEEP is `TYPE ADDRESS` of one more record to copy (`response`, `request`).
httrack  copies those entries of hts-cache/new.zip (local headers and data byte for byte, the central directory
         with new offsets), their lines of new.txt and new.lst, doit.log, hts-log.txt without errors about other
         entries, and the saved files whose path in the mirror is a line of SAVED.
gold     keeps the rows of pairs both of whose addresses are lines of PAGES..., and the keys that name two of
         the languages that pairs are left of.

Only the Python standard library.
"""

import re
import shutil
import struct
import sys
import zlib
from pathlib import Path


def lines(path):
    return [line for line in Path(path).read_text("utf-8").splitlines() if line and not line.startswith("#")]


def members(data):
    """(bytes of the gzip member, the record in it) of each member."""
    at = 0
    while at < len(data):
        stream = zlib.decompressobj(31)
        record, end = b"", at
        while not stream.eof:
            chunk = data[end : end + 65536]
            if not chunk:
                sys.exit(f"member at byte {at} is cut off")
            record += stream.decompress(chunk)
            end += len(chunk)
        end -= len(stream.unused_data)
        yield data[at:end], record
        at = end


def header(record, name):
    found = re.search(rb"^" + name + rb": *<?([^>\r\n]*)", record.split(b"\r\n\r\n", 1)[0], re.M | re.I)
    return found.group(1).decode("utf-8", "replace") if found else ""


def cut_warc(full, pages, keep, out):
    pages, keep = tuple(lines(pages)), set(lines(keep))
    missing, info = set(pages) | keep, True
    with open(out, "wb") as sink:
        for member, record in members(Path(full).read_bytes()):
            kind, address = header(record, b"WARC-Type"), header(record, b"WARC-Target-URI")
            wanted = f"{kind} {address}" in keep
            missing.discard(f"{kind} {address}")
            if kind == "warcinfo" and info:
                wanted, info = True, False
            if kind == "response":
                hits = [page for page in pages if address.endswith(page)]
                missing.difference_update(hits)
                wanted = wanted or bool(hits)
            if wanted:
                sink.write(member)
    if missing:
        sys.exit(f"not in {full}: {sorted(missing)}")


def cut_zip(full, wanted, out):
    data = Path(full).read_bytes()
    end = data.rindex(b"PK\5\6")
    count, _, at = struct.unpack_from("<HII", data, end + 10)
    body, directory, kept = b"", b"", 0
    for _ in range(count):
        name_len, extra_len, comment_len = struct.unpack_from("<HHH", data, at + 28)
        entry = bytearray(data[at : at + 46 + name_len + extra_len + comment_len])
        at += len(entry)
        if bytes(entry[46 : 46 + name_len]).decode("utf-8") not in wanted:
            continue
        (size,) = struct.unpack_from("<I", entry, 20)
        (local,) = struct.unpack_from("<I", entry, 42)
        local_name, local_extra = struct.unpack_from("<HH", data, local + 26)
        struct.pack_into("<I", entry, 42, len(body))
        body += data[local : local + 30 + local_name + local_extra + size]
        directory += entry
        kept += 1
    tail = bytearray(data[end:])
    struct.pack_into("<HHII", tail, 8, kept, kept, len(directory), len(body))
    Path(out).write_bytes(body + directory + tail)


def cut_httrack(full, pages, saved, out):
    full, out = Path(full), Path(out)
    wanted = set(lines(pages))
    cache = out / "hts-cache"
    cache.mkdir(parents=True, exist_ok=True)
    cut_zip(full / "hts-cache/new.zip", wanted, cache / "new.zip")
    # new.txt: date, size, flags, status, message, type, etag, address, local file, referrer.
    log = (full / "hts-cache/new.txt").read_text("utf-8").splitlines(keepends=True)
    rows = [line for line in log[1:] if line.split("\t")[7] in wanted]
    (cache / "new.txt").write_text("".join(log[:1] + rows), "utf-8")
    files = {"/".join(address.split("://", 1)[1].split("/")) for address in wanted}
    files |= {file + "index.html" for file in files if file.endswith("/")}
    listed = (full / "hts-cache/new.lst").read_text("utf-8").splitlines(keepends=True)
    (cache / "new.lst").write_text("".join(line for line in listed if line.strip().strip("[]") in files), "utf-8")
    shutil.copyfile(full / "hts-cache/doit.log", cache / "doit.log")
    # Of the errors, those about the entries kept.
    about = re.compile(r" at link (\S+) \(from")
    log = (full / "hts-log.txt").read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in log if not (link := about.search(line)) or "http://" + link.group(1) in wanted]
    (out / "hts-log.txt").write_text("".join(kept), "utf-8")
    for file in lines(saved):
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(full / file, out / file)


def cut_gold(pairs, grey, keys, prefix, *pages):
    kept = {page for file in pages for page in lines(file)}
    langs = set()
    for kind, file in ("pairs", pairs), ("grey", grey):
        rows = [line for line in lines(file) if kept.issuperset(line.split("\t")[:2])]
        Path(f"{prefix}.{kind}.tsv").write_text("".join(row + "\n" for row in rows), "utf-8")
        if kind == "pairs":
            langs = {frozenset(row.split("\t")[2:4]) for row in rows}
    rows = [row for row in lines(keys) if frozenset(row.split("\t")[:2]) in langs]
    Path(f"{prefix}.keys.tsv").write_text("".join(row + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    commands = {"warc": (cut_warc, 4), "httrack": (cut_httrack, 4), "gold": (cut_gold, 5)}
    command, least = commands.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if command is None or len(sys.argv) - 2 < least:
        sys.exit(__doc__)
    command(*sys.argv[2:])
