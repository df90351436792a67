"""Memory of `ingest` over many large bodies that are small when compressed.

    memory.py --binary target/fast/diglot [--bodies 1 200 10000] [--body-bytes 16000000]

For each number it makes a WARC of so many gzip-coded bodies of repetitive text, the records as compressed members once more, and ingests it
together with a good archive. The peak of RssAnon must stay below --limit-mb whatever the number, the exit code must be 0, and the pages of the good archive must be in the store.
"""
import gzip
import json
import resource
import shutil
import subprocess
import sys
import time
import zlib

from common import Bench, options

POLL_SECONDS = 0.005
# Times the limit, at which the program is killed.
KILLED_AT = 4
SENTENCE = b"<p>The quick brown fox jumps over the lazy dog, and the store holds what was committed. </p>\n"


def gzip_member(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def bomb(path, count, body_bytes):
    """Records that differ in their URL only, each a gzip member that holds a gzip-coded body."""
    body = b"<html><head><title>Large</title></head><body>" + SENTENCE * (body_bytes // len(SENTENCE)) + b"</body></html>"
    coded = gzip_member(body)
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(coded) + coded
    with open(path, "wb") as out:
        for at in range(count):
            head = (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://large.test/%06d.html\r\nWARC-Date: 2026-11-21T00:00:00Z\r\n"
                    b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012x>\r\nContent-Type: application/http; msgtype=response\r\n"
                    b"Content-Length: %d\r\n\r\n" % (at, at, len(block)))
            out.write(gzip.compress(head + block + b"\r\n\r\n", 1, mtime=0))


def measure(bench, args, timeout, most_mb):
    """Exit code, peak of RssAnon in MB, CPU seconds, wall seconds, and what was said. Beyond a time or a memory it is killed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with open(bench.work / "stderr", "wb") as err:
        process = bench.program.start(bench.store, args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        peak = 0
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/status") as status:
                    peak = max([peak, *(int(line.split()[1]) for line in status if line.startswith("RssAnon"))])
            except (OSError, ProcessLookupError):
                pass
            if time.monotonic() - began > timeout or peak > most_mb * 1024:
                process.kill()
            time.sleep(POLL_SECONDS)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"code": process.returncode, "peak_mb": round(peak / 1024, 1), "user": round(after.ru_utime - before.ru_utime, 2),
            "wall": round(time.monotonic() - began, 2), "stderr": (bench.work / "stderr").read_text(errors="replace")[-300:]}


def main():
    def extra(parser):
        parser.add_argument("--bodies", nargs="+", type=int, default=[1, 200, 10000])
        parser.add_argument("--body-bytes", type=int, default=16_000_000)
        parser.add_argument("--memory", default="1G", help="what `--memory` is given")
        parser.add_argument("--limit-mb", type=float, default=1024, help="peak of RssAnon that must not be passed")
        parser.add_argument("--timeout", type=float, default=3600, help="seconds for each number of bodies")
    made = options(__doc__, extra=extra)
    bench = Bench(made, "memory")
    bench.base("good", [["ingest", *bench.inputs]])
    good = pages_of(bench)
    figures = bench.book.more["figures"] = {}
    for count in made.bodies:
        path = bench.work / f"large-{count}.warc.gz"
        bomb(path, count, made.body_bytes)
        bench.lay(None)
        found = figures[count] = measure(bench, ["ingest", str(path), *bench.inputs, "--memory", made.memory], made.timeout, made.limit_mb * KILLED_AT)
        found["warc_mb"], found["pages"] = round(path.stat().st_size / 1e6, 1), pages_of(bench) if found["code"] == 0 else {}
        found["store_mb"] = round(sum(file.stat().st_size for file in bench.store.rglob("*") if file.is_file()) / 1e6, 1)
        path.unlink()
        if found["code"] != 0:
            why = "not done in time" if found["wall"] > made.timeout else f"exit code {found['code']}"
            bench.book.violation(f"{count} bodies: {why}", found)
        if found["peak_mb"] > made.limit_mb:
            bench.book.violation(f"{count} bodies: more memory than {made.limit_mb} MB", found)
        if found["code"] == 0 and any(name not in found["pages"] or found["pages"][name] != pages for name, pages in good.items()):
            bench.book.violation(f"{count} bodies: the good archive was not read", {**found, "expected": good})
        shutil.rmtree(bench.store, ignore_errors=True)
    sys.exit(bench.close())


def pages_of(bench):
    """Details of each archive, as the status tells them."""
    rows = (json.loads(line) for line in bench.program.must(bench.store, ["status", "--archives", "--format", "jsonl"]).out.splitlines())
    return {row["name"].rsplit("/", 1)[-1]: row["detail"] for row in rows if row["what"] == "archive"}


if __name__ == "__main__":
    main()
