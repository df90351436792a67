"""Makes system calls fail under a command: full disk, broken disk, short writes, no memory to map.

    faults.py --binary target/fast/diglot --seed 1 --rounds 1000

The calls of an undisturbed command on the files of its store are counted (see faults.c). Each round then makes a random one of them fail, in
half of the rounds with all later ones of the kind. The command must end with exit code 1 and a message that names the path, without panic or hang; or
well, with the right results, where the call did not matter, which one that writes, syncs or renames always does.
Queries afterwards must answer as some commit, and the command given again, without faults, must end as if undisturbed.
"""
import sys
from pathlib import Path

from common import COUNTED, HANG, Bench, difference, differing, options, rounds

# What fails how. A short write is no error: the rest must be written by the program.
FAULTS = {"open": ["enospc", "eio"], "write": ["enospc", "eio", "short"], "pwrite": ["enospc", "eio", "short"], "fsync": ["eio", "enospc"],
          "rename": ["enospc", "eio"], "mmap": ["enomem"], "truncate": ["enospc", "eio"], "unlink": ["eio"], "mkdir": ["enospc", "eio"]}
# Calls of these kinds make a commit durable: a program that does not mind their failure has not noticed it.
MATTER = {"write", "pwrite", "fsync", "rename"}
QUESTIONS = 5
# Folders where it need not: what is temporary, and the token index, which is made again where it is lost.
UNMINDED = {"tmp", "tokens"}


class Faults:
    def __init__(self, bench):
        self.bench, self.book = bench, bench.book

    def round(self, number, scenario, dice):
        bench, book = self.bench, self.book
        step = dice.randrange(len(scenario.steps))
        bench.lay(scenario.base)
        for before in scenario.steps[:step]:
            bench.program.must(bench.store, before, may_lose=scenario.may_lose)
        kinds = [kind for kind in COUNTED[:-1] if scenario.counts[step][kind]]
        kind = dice.choice(kinds)
        what, sticky = dice.choice(FAULTS[kind]), dice.random() < 0.5
        at = dice.randint(1, scenario.counts[step][kind])
        environment = bench.fault(kind=kind, at=at, do=what, sticky=int(sticky))
        bench.lay_aside(bench.store)
        done = bench.program.run(bench.store, scenario.steps[step], environment, max(HANG, 20 * max(scenario.durations)))
        where = (bench.faulted_paths() or [""])[0]
        report = {"round": number, "scenario": scenario.name, "fault": [kind, what, at, "sticky" if sticky else "once"], "path": where,
                  **done.brief()}
        self.sort = f"{kind} {what}{' sticky' if sticky else ''}"
        book.count(f"{kind} {what} {'not reached' if not where else 'survived' if done.code == 0 else 'told'}")
        # Records are named by their folder, views and the like by what is below the store's folder.
        place = Path(where).relative_to(bench.store).parts[0] if where and where != str(bench.store) else "store"
        # sled syncs once more when it is closed, after the last commit.
        is_closing = kind == "fsync" and place.startswith("tokens") and at == scenario.counts[step][kind]
        if done.crashed:
            self.accuse(f"{'hang' if done.hung else 'crash'}", place, report)
        elif done.code not in (0, 1):
            self.accuse(f"exit code {done.code}", place, report)
        elif scenario.fails(done) and not self.is_named(place, sticky, done.err):
            self.accuse("message does not name the path", place, report)
        elif done.code == 0 and where and kind in MATTER and what != "short" and place not in UNMINDED and not is_closing:
            self.accuse("failure is not noticed", place, report)
        if done.code == 0 and step == len(scenario.steps) - 1:
            self.compare(scenario, dice, report, place, "other results of a command that ended well in spite of a fault")
        self.ask(scenario, dice, report, place)
        for again in scenario.steps[step:]:
            done = bench.program.run(bench.store, again, timeout=max(HANG, 20 * max(scenario.durations)))
            if again[0] == "remove" and done.code == 2 and "the store has no" in done.err:
                continue
            if scenario.fails(done):
                return self.accuse("given again without faults, it fails", place, {**report, "again": done.brief()})
        self.compare(scenario, dice, report, place, "other results when given again without faults")

    def is_named(self, place, sticky, message):
        """Whether a message names what failed; where all later calls fail too, it may be one of these."""
        names = [place, place.replace("manifest.new", "manifest.json"), *([str(self.bench.store)] if sticky else [])]
        return any(name in message for name in names)

    def accuse(self, verdict, place, report):
        self.book.violation(verdict, report, self.bench.store, [self.bench.work / "aside"], sort=f"{report['scenario']}: {self.sort} {place}")

    def ask(self, scenario, dice, report, place):
        bench = self.bench
        answers = bench.questions.ask_all(bench.store, dice.sample(list(scenario.final), QUESTIONS))
        if scenario.may_lose:  # it was damaged before, and may still be
            answers = {name: answer for name, answer in answers.items() if not answer.outcome.is_told()}
        for name, answer in answers.items():
            if answer.outcome.crashed or all(not answer.same(known[name]) for known in scenario.commits):
                what = "crashes" if answer.outcome.crashed else "fails" if answer.code else "answers as no commit"
                return self.accuse(f"query afterwards {what}", place, {**report, "query": answer.outcome.brief()})
        if not scenario.may_lose and scenario.fit(answers) is None:
            self.accuse("queries afterwards answer as different commits", place, {**report, "asked": list(answers)})

    def compare(self, scenario, dice, report, place, verdict):
        answers = self.bench.questions.ask_all(self.bench.store, self.bench.questions.some(dice))
        wrong = differing(answers, scenario.final)
        if wrong:
            self.accuse(f"{verdict}: {', '.join(wrong)}", place, {**report, "differ": wrong, "first": difference(answers[wrong[0]], scenario.final[wrong[0]])})


def main():
    def extra(parser):
        parser.add_argument("--scenarios", nargs="*", help="only these; default: all that the program has the commands for")
    made = options(__doc__, extra=extra)
    bench = Bench(made, "faults")
    scenarios = [bench.record(scenario) for scenario in bench.scenarios(made.scenarios)]
    bench.book.more["calls"] = {one.name: [{kind: count for kind, count in of.items() if kind != "matching"} for of in one.counts]
                                for one in scenarios}
    faults = Faults(bench)
    for number, dice in rounds(made):
        faults.round(number, scenarios[number % len(scenarios)], dice)
    sys.exit(bench.close())


if __name__ == "__main__":
    main()
