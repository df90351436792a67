"""Readers beside a writer: every answer must be one that some commit gives, and no reader may see the store go back.

    readers.py --binary target/fast/diglot --rounds 3 [--archives guide.warc.gz install.warc.gz] [--readers 3] [--pause 0.05] [--stall 1]

All queries are first answered at each commit of an undisturbed command. Then the command is run beside readers that ask in turn, without stop. An
answer must be that of a commit, in exit code and bytes; the commits that one reader sees must not go back; nothing may say that the store is in use; and after the command
all answers must be those of the undisturbed one. Some readers are stopped in the middle for a while, as by a pager. The cost to the writer is
measured by runs with and without readers in turn, the slowest answer of a reader that was not stopped is told.
Stores are asked at fewer commits where there are many (--commits): answers that are none of those are then only counted, unless they fail.
"""
import os
import random
import subprocess
import sys
import threading
import time

from common import Bench, Questions, difference, differing, options

IN_USE = "in use"
# Share of queries that are stopped in the middle, and within how many seconds of their beginning.
STALLED, STALL_WITHIN = 0.25, 0.015
# Runs without readers that are measured.
ALONE = 3


class Reader(threading.Thread):
    """Asks one query after the other until it is told to stop."""

    def __init__(self, bench, scenario, number, pause, begin_at):
        super().__init__()
        self.bench, self.scenario, self.pause = bench, scenario, pause
        self.questions = Questions(bench.program, bench.work / f"reader-{number}", bench.options.gold, bench.questions.pages)
        self.names = list(scenario.final)
        self.dice = random.Random(f"{bench.options.seed}/{number}")
        self.dice.shuffle(self.names)
        self.slowest = 0.0
        self.commit = begin_at  # the oldest that the last answer may be of
        self.ended = threading.Event()
        self.asked, self.unknown, self.accusations = 0, 0, []

    def run(self):
        at = 0
        while not self.ended.is_set():
            name = self.names[at % len(self.names)]
            at += 1
            stall = None
            if self.dice.random() < STALLED:
                stall = self.dice.uniform(0, STALL_WITHIN), self.dice.uniform(0, self.bench.options.stall)
            answer = self.questions.ask(self.bench.store, name, stall)
            self.judge(name, answer)
            if not stall:
                self.slowest = max(self.slowest, answer.outcome.seconds)
            time.sleep(self.pause)

    def judge(self, name, answer):
        self.asked += 1
        outcome = answer.outcome
        places = [at for at, known in enumerate(self.scenario.commits) if known[name].same(answer)]
        if outcome.crashed:
            self.accusations.append((f"{'hang' if outcome.hung else 'crash'} of {name}", outcome.brief()))
        elif IN_USE in outcome.err:
            self.accusations.append(("in use", outcome.brief()))
        elif not places and answer.code != 0:
            self.accusations.append((f"{name} fails", outcome.brief()))
        elif not places and not self.scenario.is_sampled:
            nearest = difference(answer, self.scenario.final[name])
            self.accusations.append((f"{name} answers as no commit", {"against the last": nearest, **outcome.brief()}))
        elif not places or self.scenario.is_sampled and places[-1] < self.commit:
            self.unknown += 1  # that of a commit not asked at, which may be like that of an earlier one
        elif places[-1] < self.commit:
            self.accusations.append((f"{name} goes back", {"commits": places, "before": self.commit, **outcome.brief()}))
        else:
            self.commit = next(place for place in places if place >= self.commit)


def write(bench, scenario):
    """Runs all steps; exit codes, user CPU seconds and wall seconds of the writer."""
    began, user = time.monotonic(), 0.0
    for step in scenario.steps:
        with open(bench.work / "stderr", "wb") as err:
            process = bench.program.start(bench.store, step, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        user += usage.ru_utime
        if process.returncode != 0:
            said = (bench.work / "stderr").read_text(errors="replace")
            bench.book.violation(f"{scenario.name}: the writer fails beside readers",
                                 {"step": step, "code": process.returncode, "stderr": said[-600:]}, bench.store)
    return user, time.monotonic() - began


def beside(bench, scenario, count):
    """The scenario with so many readers; what it took."""
    bench.lay(scenario.base)
    readers = [Reader(bench, scenario, number, bench.options.pause, 0) for number in range(count)]
    for reader in readers:
        reader.start()
    cost = write(bench, scenario)
    for reader in readers:
        reader.ended.set()
    for reader in readers:
        reader.join()
        bench.book.count(f"{scenario.name}: answers", reader.asked)
        slow = bench.book.more.setdefault("seconds of the slowest answer", {})
        slow[scenario.name] = round(max(slow.get(scenario.name, 0), reader.slowest), 2)
        bench.book.count(f"{scenario.name}: answers between the commits asked at", reader.unknown)
        for cause, detail in reader.accusations:
            bench.book.violation(f"{scenario.name}: {cause}", detail)
    answers = bench.questions.ask_all(bench.store)
    wrong = differing(answers, scenario.final)
    if wrong:
        bench.book.violation(f"{scenario.name}: other results beside readers",
                             {"differ": wrong, "first": difference(answers[wrong[0]], scenario.final[wrong[0]])}, bench.store)
    return cost


def main():
    def extra(parser):
        parser.add_argument("--readers", type=int, default=2)
        parser.add_argument("--pause", type=float, default=0.05, help="seconds between two queries of a reader")
        parser.add_argument("--stall", type=float, default=1.0, help="seconds that a query is stopped for at most")
        parser.add_argument("--commits", type=int, default=200, help="queries are answered beforehand at no more commits than these")
        parser.add_argument("--scenarios", nargs="*", default=["fresh", "grown", "compact", "remove-archive", "remove-host"])
    made = options(__doc__, rounds=3, extra=extra)
    bench = Bench(made, "readers")
    costs = bench.book.more["seconds of the writer (user, wall)"] = {}
    for scenario in bench.scenarios(made.scenarios):
        bench.record(scenario, made.commits)
        alone, besides = [], []
        for number in range(made.rounds):
            if number < ALONE:
                bench.lay(scenario.base)
                alone.append(write(bench, scenario))
            besides.append(beside(bench, scenario, made.readers))
        costs[scenario.name] = {name: [[round(part, 2) for part in cost] for cost in of[:ALONE]] for name, of in
                                (("alone", alone), ("beside readers", besides))}
        bench.book.count(f"{scenario.name}: commits", sum(scenario.renames))
    sys.exit(bench.close())


if __name__ == "__main__":
    main()
