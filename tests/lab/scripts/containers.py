"""Does a site give the same pairs in every container? containers.py DIGLOT SITE.warc.gz...

Repacks each WARC as WARC (plain, gzip a record, xz, bzip2, Zstandard), ARC, tar, ZIP, WACZ, multi-WACZ, a folder as `wget -m` leaves it, MHTML,
pages saved by SingleFile, and ZIM; runs diglot on each and prints how its pairs differ from those of the WARC. Needs warcio, and libzim for ZIM.
"""
import bz2
import email.policy
import gzip
import hashlib
import json
import lzma
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email.encoders import encode_base64
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from pathlib import Path
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator


def pages_of(warc):
    """Responses that are HTML, as (URL, time, content type, body, status line, headers), first capture of each URL."""
    seen = {}
    with open(warc, "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != "response" or record.http_headers.get_statuscode() != "200":
                continue
            kind = record.http_headers.get_header("content-type") or ""
            url = record.rec_headers.get_header("WARC-Target-URI")
            body = record.content_stream().read()
            if "html" in kind and url not in seen:
                seen[url] = (url, record.rec_headers.get_header("WARC-Date"), kind, body)
    return list(seen.values())


def wacz(path, warcs):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as pack:
        resources = []
        for warc in warcs:
            data, name = Path(warc).read_bytes(), f"archive/{Path(warc).name}"
            pack.writestr(name, data)
            digest = hashlib.sha256(data).hexdigest()
            resources.append({"name": Path(warc).name, "path": name, "hash": f"sha256:{digest}", "bytes": len(data)})
        pack.writestr("datapackage.json", json.dumps({"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}))


def halves(warc, folder):
    """The records of a WARC in two files, cut between two members."""
    data = Path(warc).read_bytes()
    with open(warc, "rb") as file:
        iterator = ArchiveIterator(file)
        starts = [iterator.get_record_offset() for _ in iterator]
    middle = starts[len(starts) // 2 // 2 * 2]
    parts = []
    for name, part in (("one", data[:middle]), ("two", data[middle:])):
        path = folder / f"{name}.warc.gz"
        path.write_bytes(part)
        parts.append(path)
    return parts


def plain(warc):
    with gzip.open(warc) as file:
        return file.read()


def arc(path, pages):
    with open(path, "wb") as out:
        head = b"1 0 diglot\nURL IP-address Archive-date Content-type Archive-length\n"
        out.write(b"filedesc://site.arc 0.0.0.0 20240101000000 text/plain %d\n" % len(head) + head + b"\n")
        for url, date, kind, body in pages:
            content = b"HTTP/1.1 200 OK\r\nContent-Type: " + kind.encode() + b"\r\n\r\n" + body
            when = "".join(digit for digit in date if digit.isdigit())[:14]
            kind = kind.split(";")[0].strip()
            out.write(f"{url} 127.0.0.1 {when} {kind} {len(content)}\n".encode() + content + b"\n")


def folder(path, pages):
    """As `wget -m` writes: a folder named as the host, and index.html in folders; what a name cannot hold is left out."""
    for url, _, _, body in pages:
        parts = urlsplit(url)
        name = parts.path.lstrip("/")
        name = name + "index.html" if name.endswith("/") or not name else name
        name += f"?{parts.query}" if parts.query else ""
        file = path / parts.netloc / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
        except OSError:
            pass


def mhtml(path, pages):
    path.mkdir()
    for number, (url, _, kind, body) in enumerate(pages):
        part = MIMEBase("text", "html")
        part["Content-Location"] = url
        if "charset=" in kind:
            part.set_param("charset", kind.split("charset=")[1].split(";")[0].strip(' "'))
        part.set_payload(body)
        encode_base64(part)
        whole = MIMEMultipart("related", type="text/html")
        whole["From"], whole["Snapshot-Content-Location"] = "<Saved by Blink>", url
        whole.attach(part)
        (path / f"{number:06}.mhtml").write_bytes(whole.as_bytes(policy=email.policy.HTTP))


def single_file(path, pages):
    path.mkdir()
    for number, (url, _, _, body) in enumerate(pages):
        note = f"<!--\n Page saved with SingleFile \n url: {url} \n saved date: Sat Nov 28 2026 12:00:00 GMT+0100 (CET)\n-->"
        (path / f"{number:06}.html").write_bytes(note.encode() + body)


def zim(path, pages):
    from libzim.writer import Creator, Hint, Item, StringProvider

    class Page(Item):
        def __init__(self, name, body, kind):
            super().__init__()
            self.name, self.body, self.kind = name, body, kind

        def get_path(self):
            return self.name

        def get_title(self):
            return self.name

        def get_mimetype(self):
            return self.kind

        def get_contentprovider(self):
            return StringProvider(self.body)

        def get_hints(self):
            return {Hint.FRONT_ARTICLE: True}

    with Creator(str(path)) as creator:
        for name, value in (("Scraper", "zimit 2"), ("Language", "eng"), ("Name", "site"), ("Title", "site"), ("Creator", "x"),
                            ("Publisher", "x"), ("Description", "x"), ("Date", "2026-11-28")):
            creator.add_metadata(name, value)
        for url, _, kind, body in pages:
            parts = urlsplit(url)
            name = parts.netloc + parts.path + (f"?{parts.query}" if parts.query else "")
            creator.add_item(Page(name, body, kind))


def containers(warc, at):
    """Makes each container below the folder `at`: (name, input, options)."""
    unpacked, pages = plain(warc), pages_of(warc)
    (at / "site.warc").write_bytes(unpacked)
    yield "WARC, plain", at / "site.warc", []
    (at / "site.warc.xz").write_bytes(lzma.compress(unpacked, preset=0))
    yield "WARC, xz", at / "site.warc.xz", []
    (at / "site.warc.bz2").write_bytes(bz2.compress(unpacked, 1))
    yield "WARC, bzip2", at / "site.warc.bz2", []
    subprocess.run(["zstd", "-q", "-f", at / "site.warc", "-o", at / "site.warc.zst"], check=True)
    yield "WARC, Zstandard", at / "site.warc.zst", []
    with tarfile.open(at / "site.tar", "w") as pack:
        pack.add(warc, "crawl/site.warc.gz")
    yield "tar", at / "site.tar", []
    with zipfile.ZipFile(at / "site.zip", "w", zipfile.ZIP_STORED) as pack:
        pack.write(warc, "crawl/site.warc.gz")
    yield "ZIP", at / "site.zip", []
    wacz(at / "site.wacz", [warc])
    yield "WACZ", at / "site.wacz", []
    several = at / "multi"
    several.mkdir()
    for part in halves(warc, several):
        wacz(several / f"{part.name.split('.')[0]}.wacz", [part])
        part.unlink()
    names = [{"name": f"{name}.wacz", "path": f"{name}.wacz"} for name in ("one", "two")]
    (several / "datapackage.json").write_text(json.dumps({"profile": "multi-wacz-package", "resources": names}))
    yield "multi-WACZ", several / "datapackage.json", []
    arc(at / "site.arc", pages)
    yield "ARC", at / "site.arc", []
    folder(at / "mirror", pages)
    yield "folder of pages", at / "mirror", []
    mhtml(at / "mhtml", pages)
    yield "MHTML", at / "mhtml", []
    single_file(at / "single", pages)
    yield "SingleFile", at / "single", []
    zim(at / "site.zim", pages)
    yield "ZIM", at / "site.zim", []


def pairs(diglot, source, options, at):
    store = at / "store"
    subprocess.run(["rm", "-rf", store], check=True)
    command = [diglot, "--store", store, "run", source, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1:]
    rows = subprocess.run([diglot, "--store", store, "pairs", "--format", "jsonl"], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in rows.stdout.splitlines()]
    # A folder holds no scheme, and calls a folder's page index.html.
    cut = lambda url: url.split("://", 1)[-1].removesuffix("index.html")
    return {frozenset((cut(row["url_a"]), cut(row["url_b"]))) for row in rows}, []


def main():
    diglot, warcs = sys.argv[1], sys.argv[2:]
    for warc in map(Path, warcs):
        with tempfile.TemporaryDirectory() as temporary:
            at = Path(temporary)
            wanted, told = pairs(diglot, warc, [], at)
            print(f"{warc.name.split('.')[0]}\tWARC, gzip\t{len(wanted)} pairs", flush=True)
            for name, source, options in containers(warc, at):
                found, told = pairs(diglot, source, options, at)
                if found is None:
                    print(f"{warc.name.split('.')[0]}\t{name}\tfailed: {told}", flush=True)
                    continue
                lost, more = wanted - found, found - wanted
                print(f"{warc.name.split('.')[0]}\t{name}\t{len(found)} pairs\t-{len(lost)} +{len(more)}", flush=True)
                for sign, some in (("-", lost), ("+", more)):
                    for pair in sorted(map(sorted, some))[:2]:
                        print(f"\t\t{sign} {pair[0]} {pair[-1]}", flush=True)


if __name__ == "__main__":
    main()
