"""What the instruments of this folder share: archives, stores, the answers of a store, scenarios, and the book of violations.

An *answer* is the exit code and the bytes that a query gives. A *reference* is what all queries answer at every commit of an
undisturbed command: the process is stopped after each (see faults.c), and its store copied and asked.
"""
import argparse
import collections
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[3] / "data"
# Longest a query, and a run of the sizes made here, may take, in seconds.
HANG = 20
# Stores kept of each sort of a cause, and in all.
KEPT_OF_A_SORT, KEPT = 1, 60
# Violations of each cause that are told as they come; the summary counts all.
TOLD_OF_A_CAUSE = 3
# Sorts of a cause in the summary.
SORTS = 12
COUNTED = ["open", "write", "pwrite", "fsync", "rename", "mmap", "truncate", "unlink", "mkdir", "matching"]
COMMIT_MARK = "/manifest.json"
# How every command tells, with exit code 1, of what must be given again.
TOLD_LOSS = "damage: the store lost"
# How `explain` tells of a page that was removed.
NO_SUCH_PAGE = "the store has no such page"

PLACE = re.compile(r"(pages|batches|sites|results|skips|graphs|webs|verified|resolved|learnt|bitexts|repeats|models|requests|scores|views?|tokens"
                   r"|manifest|lock|tmp)\b|\.rec\b|/|" + TOLD_LOSS)
REMEDY = re.compile(r"`diglot [a-z]|diglot (run|check|compact)|\b(run|give|delete|restore|free|make|copy|wait|try|try again|again|use)\b")
PANIC = re.compile(r"panicked at|RUST_BACKTRACE|core dumped|SIGBUS|overflowed its stack|memory allocation of")


# ---- Archives ----

def members(path):
    """Gzip members of a WARC, as they are when unpacked."""
    data = gzip.decompress(Path(path).read_bytes())
    starts = [found.start() for found in re.finditer(rb"WARC/1\.[01]\r\nWARC-Type", data)]
    return [data[start:end] for start, end in zip(starts, starts[1:] + [len(data)])]


def pack(out, records):
    with open(out, "wb") as file:
        for record in records:
            file.write(gzip.compress(record, 1, mtime=0))


def target(record):
    found = re.search(rb"WARC-Target-URI: <?([^\r>]+)", record)
    return found.group(1).decode() if found else ""


def excerpt(source, out, names):
    """The pages of a site whose path has one of the so many names that most languages have; one of them is left out, to be missed."""
    pages = [record for record in members(source) if b"WARC-Type: response" in record[:200]]
    by_name = collections.defaultdict(list)
    for page in pages:
        by_name[re.sub(r"^.*?/manual/[a-z-]+/", "", target(page))].append(page)
    best = sorted(by_name, key=lambda name: (-len(by_name[name]), name))[:names]
    pack(out, [page for page in pages if any(page in by_name[name] for name in best)][:-1])


def crawl(source, out, pages):
    """A crawl of so many pages: the responses of a WARC again and again, each time on another domain of as many letters."""
    responses = [record for record in members(source) if b"WARC-Type: response" in record[:200]]
    rounds = max(1, pages // max(1, len(responses)))
    pack(out, (record.replace(b".site.test", b".s%03d.test" % k) for k in range(rounds) for record in responses))


def make_archives(names, folder):
    """Paths of these archives: files and folders as they are given, and what is made here.

    `tiny`: a mirror, and an excerpt of a WARC; `sample`: the sample of the repository; `crawl:N`: a crawl of about N pages.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sample = DATA / "sites" / "webserver.warc.gz"
    made = []
    for name in names:
        if name in ("tiny", "sample"):
            mirror = folder / "packaging"
            if not mirror.exists():
                shutil.copytree(DATA / "sites" / "packaging", mirror)
            made.append(mirror)
        if name == "tiny":
            made.append(folder / "few.warc.gz")
            excerpt(sample, made[-1], 5)
        elif name == "sample":
            made.append(folder / sample.name)
            shutil.copy(sample, made[-1])
        elif name.startswith("crawl:"):
            made.append(folder / f"crawl-{name[6:]}.warc.gz")
            crawl(sample, made[-1], int(name[6:]))
        elif name not in ("tiny", "sample"):
            source = Path(name).resolve()
            made.append(folder / source.name)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, made[-1])
    return [str(path) for path in made]


# ---- The program ----

@dataclass
class Outcome:
    """How a process ended."""
    args: list
    code: int  # negative: a signal
    out: bytes = b""
    err: str = ""
    seconds: float = 0.0
    hung: bool = False

    @property
    def crashed(self):
        return self.hung or self.code < 0 or self.code in (101, 134) or bool(PANIC.search(self.err))

    @property
    def tells_of_loss(self):
        return self.code == 1 and TOLD_LOSS in self.err

    def says_what_and_where(self):
        return bool(PLACE.search(self.err)), bool(REMEDY.search(self.err))

    def is_told(self):
        """Whether it ended with exit code 1, a place and a remedy."""
        return self.code == 1 and not self.crashed and all(self.says_what_and_where())

    def brief(self):
        panic = self.err.find("panicked at")
        said = self.err[-600:] if panic < 0 else self.err[panic:panic + 600]
        return {"command": " ".join(self.args), "code": self.code, "hung": self.hung, "stderr": said}


class Program:
    """The binary, always with one thread."""

    def __init__(self, binary):
        self.binary = str(Path(binary).resolve())
        self.environment = {name: text for name, text in os.environ.items() if not name.startswith("DIGLOT_")}
        listed = subprocess.run([self.binary, "help"], capture_output=True, text=True, check=True).stdout
        self.commands = set(re.findall(r"^  ([a-z]+)  ", listed, re.M))

    def has(self, command, option=""):
        if command not in self.commands:
            return False
        listed = subprocess.run([self.binary, "help", command], capture_output=True, text=True).stdout
        return option in listed

    def start(self, store, args, environment=None, **more):
        command = [self.binary, *args, "--store", str(store), "--threads", "1"]
        return subprocess.Popen(command, env={**self.environment, **(environment or {})}, **more)

    def run(self, store, args, environment=None, timeout=HANG, stall=None):
        """`stall`: after how many seconds it is stopped, and for how many."""
        began = time.monotonic()
        process = self.start(store, args, environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if stall:
            time.sleep(stall[0])
            process.send_signal(signal.SIGSTOP)
            time.sleep(stall[1])
            process.send_signal(signal.SIGCONT)
        return self.end(process, store, args, timeout, began)

    def end(self, process, store, args, timeout, began):
        """Waits for a process that was started at this time, and kills it if it takes longer than `timeout`."""
        hung = False
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            (out, err), hung = process.communicate(), True
        # Commands that are to be given are told with the store they were asked of, and copies of a store are to give the same answers.
        out = out.replace(os.fsencode(store), b"STORE")
        return Outcome(list(args), process.returncode, out, err.decode(errors="replace"), time.monotonic() - began, hung)

    def must(self, store, args, timeout=600, may_lose=False):
        done = self.run(store, args, timeout=timeout)
        if done.code != 0 and not (may_lose and done.tells_of_loss):
            raise SystemExit(f"{' '.join(args)}: exit code {done.code}: {done.err}")
        return done


# ---- Answers ----

@dataclass
class Answer:
    code: int
    digest: str
    outcome: Outcome

    def same(self, other):
        return (self.code, self.digest) == (other.code, other.digest)


class Questions:
    """All queries, and how to ask them."""
    # Asked whenever results are compared; some of the others are, by the dice.
    CORE = ["pairs", "keys", "hosts", "status", "bitext.tsv", "recover"]
    OTHERS = 3

    def __init__(self, program, folder, gold, pages=()):
        self.program, self.folder, self.gold, self.pages = program, Path(folder), str(gold), list(pages)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def commands(self):
        """Name → arguments; `@` stands for the file to write."""
        made = {
            "pairs": ["pairs", "--format", "tsv"],
            "keys": ["keys", "--weak", "--format", "tsv"],
            "hosts": ["hosts", "--format", "tsv"],
            "status": ["status", "--archives", "--format", "jsonl"],
            "bitext": ["bitext", "--format", "tsv"],
            "rounds": ["explore", "--rounds", "--format", "tsv"],
            "recover": ["recover", "--min-chance", "0", "--format", "tsv"],
            "eval": ["eval", "--gold", self.gold, "--format", "tsv"],
            "pairs.tsv": ["export", "--format", "tsv", "-o", "@"],
            "pairs.jsonl": ["export", "--format", "jsonl", "-o", "@"],
            "bitext.tsv": ["export", "--what", "bitext", "--keep-all", "--format", "tsv", "-o", "@"],
            "bitext.jsonl": ["export", "--what", "bitext", "--format", "jsonl", "-o", "@"],
            "bitext.tmx": ["export", "--format", "tmx", "--langs", "en,fr", "-o", "@"],
            "bitext.moses": ["export", "--format", "moses", "--langs", "en,fr", "-o", "@"],
            "bitext.parquet": ["export", "--format", "parquet", "-o", "@"],
            "lexicon": ["export", "--what", "lexicon", "--langs", "en,fr", "-o", "@"],
        }
        for at, page in enumerate(self.pages):
            made[f"explain.{at}"] = ["explain", *page, "--json"]
        return made

    def arguments(self, name):
        """Those of a query that is asked now: what the last one wrote is gone."""
        for old in self.folder.glob("answer*"):
            old.unlink()
        return [str(self.folder / "answer") if arg == "@" else arg for arg in self.commands()[name]]

    def answer(self, done):
        """What a query that has ended gave."""
        path = self.folder / "answer"
        if done.code == 0 and str(path) in done.args:
            written = sorted(self.folder.glob("answer*"))
            digest = hashlib.sha256()
            for file in written:
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
            return Answer(0, digest.hexdigest() if written else "nothing written", done)
        if done.code != 0 and list(self.folder.glob("answer*")):
            return Answer(done.code, "a file in spite of the error", done)
        return Answer(done.code, hashlib.sha256(done.out).hexdigest(), done)

    def ask(self, store, name, stall=None):
        return self.answer(self.program.run(store, self.arguments(name), stall=stall))

    def ask_all(self, store, names=None):
        return {name: self.ask(store, name) for name in names or self.commands()}

    def some(self, dice):
        others = [name for name in self.commands() if name not in self.CORE]
        return self.CORE + dice.sample(others, self.OTHERS)

    def choose_pages(self, store):
        """A pair, a page of another pair, and a page without a partner are explained from now on."""
        rows = [line.split("\t") for line in self.program.must(store, ["pairs", "--format", "tsv"]).out.decode().splitlines()[1:]]
        if rows:
            self.pages = [(rows[0][0], rows[0][1]), (rows[len(rows) // 2][0],)]
        recovered = self.program.run(store, ["recover", "--min-chance", "0", "--format", "tsv"]).out.decode().splitlines()
        if len(recovered) > 1:
            self.pages.append((recovered[1].split("\t")[-1],))


def difference(found, expected):
    """The first line that differs, of what was printed."""
    lines = [answer.outcome.out.decode(errors="replace").splitlines() for answer in (found, expected)]
    for at in range(max(map(len, lines))):
        one, other = (of[at] if at < len(of) else None for of in lines)
        if one != other:
            return {"line": at + 1, "found": one and one[:300], "expected": other and other[:300]}
    return {"codes": [found.code, expected.code], "stderr": found.outcome.err[-300:]}


def differing(found, expected):
    return [name for name in found if not found[name].same(expected[name])]


# ---- Scenarios ----

@dataclass
class Scenario:
    """Commands on a store."""
    name: str
    base: Path = None  # store to begin with; none: there is no store
    steps: list = field(default_factory=list)
    commits: list = field(default_factory=list)  # answers before the first step, and at each commit
    final: dict = None
    durations: list = field(default_factory=list)
    counts: list = field(default_factory=list)  # calls of each step, by kind
    renames: list = field(default_factory=list)  # commits of each step
    is_sampled: bool = False  # some commits were not asked at
    may_lose: bool = False  # its steps, but for the last, may end with telling what must be given again

    def fails(self, outcome):
        return outcome.crashed or outcome.code != 0 and not (self.may_lose and outcome.tells_of_loss)

    def fit(self, answers):
        """The last commit with these answers; none where there is no such commit."""
        places = [at for at, known in enumerate(self.commits) if not differing(answers, known)]
        return places[-1] if places else None


class Bench:
    """A work folder with archives, stores and the program."""

    def __init__(self, options, instrument):
        self.options, self.instrument = options, instrument
        self.made_folder = options.work is None
        self.work = Path(options.work or tempfile.mkdtemp(prefix=f"{instrument}-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
        self.work.mkdir(parents=True, exist_ok=True)
        self.program = Program(options.binary)
        self.questions = Questions(self.program, self.work / "answers", options.gold)
        self.store = self.work / "store"
        self.inputs = make_archives(options.archives, self.work / "inputs")
        self.shim = self.work / "faults.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", str(self.shim), str(HERE / "faults.c"), "-ldl", "-lpthread"], check=True)
        self.book = Book(options, instrument)
        self.bases = {}

    def close(self):
        if self.made_folder:
            shutil.rmtree(self.work, ignore_errors=True)
        return self.book.close()

    def fault(self, **what):
        """Environment for faults.c below the store in work."""
        made = {"LD_PRELOAD": str(self.shim), "DIGLOT_FAULT_ROOT": str(self.store), "DIGLOT_FAULT_COUNTS": str(self.work / "counts"),
                "DIGLOT_FAULT_LOG": str(self.work / "fault.log")}
        for leftover in ("counts", "fault.log"):
            (self.work / leftover).unlink(missing_ok=True)
        made.update({f"DIGLOT_FAULT_{name.upper()}": str(value) for name, value in what.items()})
        return made

    def counted(self):
        try:
            return dict(zip(COUNTED, struct.unpack(f"{len(COUNTED)}Q", (self.work / "counts").read_bytes())))
        except (OSError, struct.error):
            return dict.fromkeys(COUNTED, 0)

    def faulted_paths(self):
        try:
            return [line.split("\t")[2] for line in (self.work / "fault.log").read_text().splitlines()]
        except OSError:
            return []

    def lay(self, base):
        """The store in work is a copy of this one."""
        shutil.rmtree(self.store, ignore_errors=True)
        if base is not None:
            copy(base, self.store)

    def base(self, name, steps):
        """A finished store, made once."""
        if name not in self.bases:
            shutil.rmtree(self.store, ignore_errors=True)
            for step in steps:
                self.program.must(self.store, step)
            self.bases[name] = self.work / f"base-{name}"
            shutil.rmtree(self.bases[name], ignore_errors=True)
            copy(self.store, self.bases[name])
            if not self.questions.pages:
                self.questions.choose_pages(self.bases[name])
        return self.bases[name]

    def scenarios(self, wanted=None):
        """Those that the program has the commands for."""
        first, more = self.inputs[:1], self.inputs[1:] or self.inputs
        everything = self.base("whole", [["run", *self.inputs]])
        host = self.program.must(everything, ["pairs", "--format", "tsv"]).out.decode().splitlines()
        url = host[1].split("\t")[0] if len(host) > 1 else "http://en.packaging.site.test/"
        host = re.sub(r"^https?://([^/]+)/.*", r"\1", url)
        requested = str(self.work / "requested.txt")
        made = [
            Scenario("fresh", None, [["run", *self.inputs]]),
            Scenario("grown", self.base("first", [["run", *first]]), [["run", *more]]),
            Scenario("settings", everything, [["run", "--site", "domain", "--min-score", "0.9"]]),
            Scenario("preset", everything, [["run", "--preset", "pupsniffer-2013"], ["run", "--reset", "all"]]),
            Scenario("reindex", everything, [["run", "--across-suffixes"]]),
            Scenario("requests", everything, [["recover", "--min-chance", "0", "-o", requested]]),
        ]
        grown = [["run", *first], ["run", *more, "--site", "domain"], ["run", "--reset", "all"]]
        if self.program.has("compact"):
            made.append(Scenario("compact", self.base("grown", grown), [["compact"]]))
        if self.program.has("remove"):
            for option, value in (("--archive", first[0]), ("--host", host), ("--url", url)):
                if self.program.has("remove", option):
                    made.append(Scenario(f"remove{option[1:]}", everything, [["remove", option, value], ["run"]]))
        if self.program.has("check", "--repair"):
            made.append(Scenario("repair", self.damaged(everything), [["check", "--repair"], ["run", *self.inputs]], may_lose=True))
        return [scenario for scenario in made if not wanted or scenario.name in wanted]

    def damaged(self, base):
        """A copy with one bit flipped in the middle of the results, and of the pages."""
        store = self.work / "base-damaged"
        shutil.rmtree(store, ignore_errors=True)
        copy(base, store)
        for kind in ("results", "pages"):
            for path in sorted((store / kind).rglob("*.rec"))[-1:]:
                data = bytearray(path.read_bytes())
                data[len(data) // 2] ^= 16
                path.write_bytes(data)
        return store

    def record(self, scenario, most=None):
        """Runs a scenario undisturbed, and asks everything at each commit; at no more than so many of each step, evenly spread."""
        self.lay(scenario.base)
        names = list(self.questions.commands())
        scenario.commits.append(self.questions.ask_all(self.store, names))
        for step in scenario.steps:
            began = time.monotonic()
            self.lay_aside(self.store)
            self.program.must(self.store, step, may_lose=scenario.may_lose)
            scenario.durations.append(time.monotonic() - began)
            every = self.every(step, most)
            scenario.is_sampled |= every > 1
            stops = 0
            environment = self.fault(kind="rename", match=COMMIT_MARK, at=0, do="stop")
            process = self.program.start(self.store, step, environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            while True:
                _, state = os.waitpid(process.pid, os.WUNTRACED)
                if not os.WIFSTOPPED(state):
                    break
                stops += 1
                if stops % every == 0:
                    view = self.work / "stopped"
                    shutil.rmtree(view, ignore_errors=True)
                    copy(self.store, view)
                    answers = self.questions.ask_all(view, names)
                    if differing(answers, scenario.commits[-1]):
                        scenario.commits.append(answers)
                os.kill(process.pid, signal.SIGCONT)
            process.returncode = os.waitstatus_to_exitcode(state)
            err = process.stderr.read().decode(errors="replace")
            process.stderr.close()
            if scenario.fails(Outcome(step, process.returncode, err=err)):
                raise SystemExit(f"{scenario.name}: {' '.join(step)}: exit code {process.returncode}: {err}")
            scenario.counts.append(self.counted())
            scenario.renames.append(len(self.faulted_paths()))
            scenario.commits.append(self.questions.ask_all(self.store, names))
        scenario.final = scenario.commits[-1]
        for name, answer in scenario.final.items():
            if answer.outcome.crashed or answer.code == 1 and not answer.outcome.is_told() and NO_SUCH_PAGE not in answer.outcome.err:
                self.book.violation(f"{scenario.name}: {name} fails after an undisturbed run", answer.outcome.brief())
        return scenario

    def every(self, step, most):
        """At each how many commits of a step to ask; the store laid aside is put back and the step run once more to count them."""
        self.put_back(self.store)
        if most is None:
            return 1
        environment = self.fault(kind="rename", match=COMMIT_MARK)
        self.program.run(self.store, step, environment, timeout=3600)
        commits = self.counted()["matching"]
        self.put_back(self.store)
        return -(-commits // most) if commits > most else 1

    def lay_aside(self, store):
        shutil.rmtree(self.work / "aside", ignore_errors=True)
        if store.exists():
            copy(store, self.work / "aside")

    def put_back(self, store):
        shutil.rmtree(store, ignore_errors=True)
        if (self.work / "aside").exists():
            copy(self.work / "aside", store)


def copy(source, target_folder):
    subprocess.run(["cp", "-r", "--reflink=auto", str(source), str(target_folder)], check=True)


# ---- Violations ----

class Book:
    """Counts what happened, tells violations on stderr, and keeps their stores."""

    def __init__(self, options, instrument):
        self.options, self.instrument = options, instrument
        self.began = time.monotonic()
        self.counts = collections.Counter()
        self.causes = collections.Counter()
        self.sorts = collections.defaultdict(collections.Counter)
        self.kept = []
        self.more = {}

    def count(self, what, number=1):
        self.counts[what] += number

    def violation(self, cause, detail, store=None, also=(), sort=None):
        """`also`: other folders to keep, such as the store before the command; `sort`: what is counted within the cause."""
        self.causes[cause] += 1
        if sort:
            self.sorts[cause][sort] += 1
        is_new = (self.sorts[cause][sort] if sort else self.causes[cause]) <= KEPT_OF_A_SORT
        kept = None
        if store is not None and Path(store).exists() and is_new and len(self.kept) < KEPT:
            kept = Path(self.options.keep) / f"{self.instrument}-{len(self.kept):03}"
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir(parents=True)
            for folder in filter(os.path.exists, (store, *also)):
                copy(folder, kept / Path(folder).name)
            (kept / "violation.json").write_text(json.dumps({"cause": cause, **detail}, indent=1, default=str) + "\n")
            self.kept.append(str(kept))
        if self.causes[cause] <= TOLD_OF_A_CAUSE or kept:
            print(json.dumps({"violation": cause, **detail, "kept": kept}, default=str), file=sys.stderr, flush=True)

    def close(self):
        """Prints the summary; gives the exit code."""
        summary = {"instrument": self.instrument, "binary": self.options.binary, "seed": self.options.seed, "rounds": self.options.rounds,
                   "archives": self.options.archives, "seconds": round(time.monotonic() - self.began, 1),
                   "violations": sum(self.causes.values()), "causes": dict(self.causes.most_common()), "sorts": {cause: dict(of.most_common(SORTS)) for cause, of in self.sorts.items()},
                   "counts": dict(sorted(self.counts.items())), **self.more, "kept": self.kept}
        print(json.dumps(summary), flush=True)
        return 1 if self.causes else 0


# ---- Command line ----

def options(doc, archives="tiny", rounds=100, extra=None):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the program to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seconds", type=float, help="begin no round after so many")
    parser.add_argument("--only-round", type=int, help="only this round of the seed")
    parser.add_argument("--archives", nargs="+", default=archives.split(),
                        help="paths, or tiny, sample, crawl:PAGES (default: %(default)s); the first is read before the others")
    parser.add_argument("--gold", default=str(DATA / "gold"), help="gold for `eval`")
    parser.add_argument("--work", help="work folder (default: a new one below /dev/shm)")
    parser.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "diglot-violations"), help="where stores of violations are kept")
    if extra:
        extra(parser)
    os.nice(max(0, 5 - os.nice(0)))
    return parser.parse_args()


def rounds(made):
    """Numbers of rounds, each with its dice. SIGTERM ends them after the one under way."""
    began, told = time.monotonic(), []
    signal.signal(signal.SIGTERM, lambda *_: told.append(True))
    for number in range(made.rounds) if made.only_round is None else [made.only_round]:
        if told or (made.seconds and time.monotonic() - began > made.seconds):
            made.rounds = number  # for the summary
            return
        yield number, random.Random(f"{made.seed}/{number}")
