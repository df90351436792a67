"""Changes the files of a store in place while a command reads it, and holds the command to what it then says.

    touched.py --binary target/fast/diglot --seed 1 --rounds 1000 [--archives sample | crawl:2000 | PATH...]

A round starts a query, stops it at a random instant of its life, and changes what lies in the store's folder without asking anybody:
it truncates a file, overwrites part of one, deletes one, gives another file its name, or copies another state of the store over all of it, as `cp -r BACKUP/. STORE/` does. Then the
query goes on. Right are the answer of the store as it was, that of the copied state, and exit code 1 with a message that names a
place and a remedy; anything else is a violation: a signal, a panic, a hang, another answer with exit code 0, a message that names nothing.
One query in ten is `check`. `--served` does the same to a running `diglot review`, which must still be there to answer; `--written` to a
`diglot run` with other settings, which may end well or with a message, but by no signal.
"""
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from common import HANG, Bench, difference, options, rounds

KINDS = ["truncate", "overwrite", "delete", "replace", "restore"]
CHECKS = 0.1
# How much longer than usual a query may live before it is touched.
STRETCH = 1.1
# Pages that `review` is asked for; some are of a host or of a pair.
PAGES = ["", "hosts", "host?host={host}", "pair?a={a}&b={b}"]


def touch(store, other, kind, dice):
    """Changes files in place, as `cp` and editors do: the file that is open elsewhere is the one that changes."""
    if kind == "restore":
        subprocess.run(["cp", "-r", f"{other}/.", str(store)], check=True)
        return {"kind": kind}
    files = [path for path in sorted(store.rglob("*")) if path.is_file() and path.name != "lock" and path.stat().st_size]
    folder = dice.choice(sorted({path.relative_to(store).parts[0] for path in files}))
    path = dice.choice([path for path in files if path.relative_to(store).parts[0] == folder])
    size = path.stat().st_size
    done = {"kind": kind, "file": str(path.relative_to(store)), "bytes": size}
    if kind == "delete":
        path.unlink()
        return done
    if kind == "replace":
        # What is open elsewhere stays as it is; its name leads to other bytes.
        fresh = path.with_name(path.name + ".fresh")
        fresh.write_bytes(dice.randbytes(size))
        fresh.rename(path)
        return done
    if kind == "truncate":
        left = dice.choice([0, min(64, size), dice.randrange(size), dice.randrange(size) // 4096 * 4096])
        os.truncate(path, left)
        return {**done, "left": left}
    at = dice.choice([0, dice.randrange(size)])
    count = min(size - at, dice.choice([4, 64, 4096, 1 << 16, size]))
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(dice.choice([bytes(count), b"\xff" * count, dice.randbytes(count)]))
    return {**done, "at": at, "count": count}


class Touched:
    def __init__(self, bench):
        self.bench, self.book = bench, bench.book
        everything = [["run", *bench.inputs]]
        other = [["run", bench.inputs[0]], ["run", *bench.inputs[1:], "--site", "host"]]
        self.bases = [bench.base("plain", everything), bench.base("other", other)]
        self.expected = []
        for base in self.bases:
            bench.lay(base)
            self.expected.append(bench.questions.ask_all(bench.store))
        rows = [expected["pairs"].outcome.out.decode().splitlines()[1].split("\t") for expected in self.expected]
        self.pairs = [row[:2] for row in rows]
        # What a run with other settings ends in, where nobody touches it.
        self.ends = {}

    def round(self, number, dice):
        bench = self.bench
        which = dice.randrange(2)
        bench.lay(self.bases[which])
        kind = dice.choice(KINDS)
        name = dice.choice(list(self.expected[which]))
        is_check = dice.random() < CHECKS
        args = ["check"] if is_check else bench.questions.arguments(name)
        usual = self.expected[which][name].outcome.seconds
        instant = dice.uniform(0, STRETCH * usual)
        process = bench.program.start(bench.store, args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(instant)
        process.send_signal(signal.SIGSTOP)
        done = {**touch(bench.store, self.bases[1 - which], kind, dice), "after": round(instant, 4)}
        process.send_signal(signal.SIGCONT)
        outcome = bench.program.end(process, bench.store, args, HANG, time.monotonic() - instant)
        self.judge(number, name, is_check, which, outcome, done)

    def judge(self, number, name, is_check, which, outcome, done):
        report = {"round": number, "touched": done, **outcome.brief()}
        accuse = lambda cause, **more: self.book.violation(cause, {**report, **more}, sort=f"{outcome.args[0]} {done['kind']}")
        if outcome.crashed:
            accuse("hang" if outcome.hung else "crash" if outcome.code > 0 else f"signal {-outcome.code}")
        elif outcome.code == 1:
            place, remedy = outcome.says_what_and_where()
            if is_check or place and remedy:
                self.book.count(f"{done['kind']}: told")
            else:
                accuse("message without place or remedy")
        elif is_check:
            self.book.count(f"{done['kind']}: checked")
        else:
            answer = self.bench.questions.answer(outcome)
            if any(answer.same(expected[name]) for expected in (self.expected if done["kind"] == "restore" else [self.expected[which]])):
                self.book.count(f"{done['kind']}: answered")
            else:
                accuse("other answer, code %d" % outcome.code, differs=difference(answer, self.expected[which][name]))

    def serve(self, number, dice):
        """Asks a running `review` for pages while its store is touched."""
        bench = self.bench
        which = dice.randrange(2)
        bench.lay(self.bases[which])
        process = bench.program.start(bench.store, ["review", "--port", "0"], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            address = process.stdout.readline().split()[-1]
            quote = lambda text: urllib.parse.quote(text, safe="")
            a, b = self.pairs[which]
            pages = [page.format(a=quote(a), b=quote(b), host=quote(a.split("/")[2])) for page in PAGES]
            for _ in range(20):
                kind = dice.choice(KINDS)
                done = touch(bench.store, self.bases[1 - which], kind, dice)
                page = dice.choice(pages)
                code = ask(address + page)
                self.book.count(f"served: {code}")
                if code not in (200, 404, 500):
                    self.book.violation(f"served: {code}", {"round": number, "touched": done, "page": page})
                if process.poll() is not None:
                    err = process.stderr.read()
                    return self.book.violation(f"review ends with {process.returncode}", {"round": number, "touched": done, "stderr": err[-600:]})
        finally:
            process.kill()
            process.communicate()


    def write(self, number, dice):
        """Touches the store of a run with other settings."""
        bench = self.bench
        which = dice.randrange(2)
        bench.lay(self.bases[which])
        args = ["run", "--min-score", "0.6", "--langs", "en,fr,de"] if dice.random() < 0.5 else ["run", "--across-suffixes"]
        if (which, args[1]) not in self.ends:
            bench.program.must(bench.store, args)
            self.ends[which, args[1]] = bench.questions.ask_all(bench.store)
            bench.lay(self.bases[which])
        process = bench.program.start(bench.store, args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(dice.uniform(0, 1) * bench.options.longest)
        process.send_signal(signal.SIGSTOP)
        done = touch(bench.store, self.bases[1 - which], dice.choice(KINDS), dice)
        process.send_signal(signal.SIGCONT)
        outcome = bench.program.end(process, bench.store, args, 600, time.monotonic())
        report = {"round": number, "touched": done, **outcome.brief()}
        if outcome.crashed:
            self.book.violation(f"run ends with {outcome.code}", report, sort=done["kind"])
        elif outcome.code == 1 and not outcome.is_told():
            self.book.violation("message without place or remedy", report)
        elif outcome.code == 0 and done["kind"] != "restore":
            expected = self.ends[which, args[1]]
            wrong = [name for name, answer in bench.questions.ask_all(bench.store).items() if not answer.same(expected[name]) and not answer.outcome.is_told()]
            if wrong:
                self.book.violation("other answers after a run that ended well", {**report, "differ": wrong}, sort=done["kind"])
            self.book.count(f"{done['kind']}: ended well")
        else:
            self.book.count(f"{done['kind']}: {'told' if outcome.code else 'ended well'}")


def ask(address):
    try:
        with urllib.request.urlopen(address, timeout=HANG) as answer:
            answer.read()
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return type(error).__name__


def main():
    def extra(parser):
        parser.add_argument("--served", action="store_true", help="touch the store of a running `review`")
        parser.add_argument("--written", action="store_true", help="touch the store of a `run`")
        parser.add_argument("--longest", type=float, default=0.5, help="seconds after which a `run` is touched, at the most")
    made = options(__doc__, extra=extra)
    bench = Bench(made, "touched")
    touched = Touched(bench)
    for number, dice in rounds(made):
        (touched.serve if made.served else touched.write if made.written else touched.round)(number, dice)
    sys.exit(bench.close())


if __name__ == "__main__":
    main()
