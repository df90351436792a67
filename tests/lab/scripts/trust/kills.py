"""Kills commands at every kind of moment; queries must go on answering as some commit, and the command given again must end as if undisturbed.

    kills.py --binary target/fast/diglot --seed 1 --rounds 1000

Each round takes a scenario (a fresh store, a grown one, changed settings, compact, remove, repair, …, as far as the program
has the commands) and kills one of its commands: after a random share of its time; right before or after a commit; at a random
system call, before it, after it or when half of its bytes are written; or there with everything lost that was not synced, as
when the power fails, by the order of ext4 or by no more than POSIX promises. `--every` lets the power fail at each system call of each step
instead, once in each of these ways, and goes on from each store that this leaves once: most calls leave one that an earlier call left.
Then, after most kills, queries: all must give the answers of one commit. The command is killed again sometimes, at last left to end, and
all answers must be byte for byte those of the undisturbed run. `check` must find nothing, if there is one.
"""
import hashlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from common import COMMIT_MARK, HANG, Bench, Outcome, copy, difference, differing, options, rounds

# Share of rounds in which queries are asked between kill and resumption, and of kills that are followed by another.
ASKED, AGAIN = 0.6, 0.35
# How the power fails: see faults.c.
POWER = ["power-all", "power-some", "power-posix"]
# Queries asked then.
QUESTIONS = 7
# What a program says of a store that it finds damaged, which a kill must not make.
DAMAGED = "damaged"
NOTHING_TO_CHECK = re.compile("written in format|manifest.json is missing|there is no store here")
# What `remove` says, with exit code 2, if it was done before it was killed.
REMOVED = "the store has no"


class Kills:
    def __init__(self, bench, modes):
        self.bench, self.modes = bench, modes
        self.left = set()  # what `--every` has gone on from

    def kill(self, scenario, step, dice, fixed=None):
        """Runs a step and kills it; how, and whether it was hit. `fixed`: at which call the power fails, and how."""
        bench = self.bench
        mode = "power" if fixed else dice.choice(self.modes)
        arguments, counts = scenario.steps[step], scenario.counts[step]
        calls = max(1, sum(counts[kind] for kind in counts if kind != "matching"))
        detail = {"mode": mode}
        environment, delay = {}, None
        if mode == "instant":
            delay = dice.uniform(0, scenario.durations[step] * 1.05)
            detail["after"] = round(delay, 4)
        elif mode == "commit":
            at, do = dice.randint(1, max(1, scenario.renames[step])), dice.choice(["before", "after", *POWER])
            environment = bench.fault(kind="rename", match=COMMIT_MARK, at=at, do=do, seed=dice.randrange(2**31))
            detail.update(at=at, do=do)
        else:
            do = dice.choice(POWER if mode == "power" else ["before", "after", "torn"])
            at = dice.randint(1, calls)
            at, do = fixed or (at, do)
            environment = bench.fault(kind="any", at=at, do=do, seed=dice.randrange(2**31))
            detail.update(at=at, do=do)
        process = bench.program.start(bench.store, arguments, environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE)
        try:
            if delay is not None:
                time.sleep(delay)
                process.kill()
            _, err = process.communicate(timeout=max(HANG, scenario.durations[step] * 20))
            for lost in bench.work.glob("store.lost-*"):
                shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            bench.book.violation(f"{scenario.name}: hangs", {"kill": detail, "step": arguments}, bench.store)
            return detail, True
        detail["where"] = bench.faulted_paths()[:1] if environment else []
        was_hit = process.returncode == -signal.SIGKILL
        said = err.decode(errors="replace")
        is_done = arguments[0] == "remove" and process.returncode == 2 and REMOVED in said
        if not was_hit and not is_done and scenario.fails(Outcome(arguments, process.returncode, err=said)):
            bench.book.violation(f"{scenario.name}: {arguments[0]} fails when it is given again",
                                 {"kill": detail, "code": process.returncode, "stderr": said[-600:]}, bench.store)
        return detail, was_hit

    def every(self, scenarios):
        """Rounds of which each lets the power fail at another call, or in another way: scenario, step, call and way."""
        for scenario in scenarios:
            for step, counts in enumerate(scenario.counts):
                calls = sum(counts[kind] for kind in counts if kind != "matching")
                for at in range(1, calls + 1):
                    yield from ((scenario, step, at, do) for do in POWER)

    def round(self, number, scenario, dice, target=None, fixed=None):
        bench, book = self.bench, self.bench.book
        bench.lay(scenario.base)
        if target is None:
            target = dice.randrange(len(scenario.steps))
        for step in scenario.steps[:target]:
            bench.program.must(bench.store, step, may_lose=scenario.may_lose)
        story = []
        while True:
            bench.lay_aside(bench.store)
            detail, was_hit = self.kill(scenario, target, dice, fixed)
            story.append(detail)
            book.count(f"{scenario.name} {detail['mode']} {'kills' if was_hit else 'ended before'}")
            if fixed:
                left = (scenario.name, target, was_hit, digest(bench.store))
                if left in self.left:
                    book.count("left a store as before")
                    return
                self.left.add(left)
            if was_hit and (fixed or dice.random() < ASKED):
                self.ask(number, scenario, story, dice)
            if fixed or not was_hit or dice.random() >= AGAIN:
                break
        report = {"round": number, "scenario": scenario.name, "step": scenario.steps[target][0], "kills": story}
        for step in scenario.steps[target:]:
            done = bench.program.run(bench.store, step, timeout=max(HANG, 20 * max(scenario.durations)))
            if step[0] == "remove" and done.code == 2 and REMOVED in done.err:
                continue
            if scenario.fails(done):
                what = "crashes" if done.crashed else "fails"
                book.violation(f"{scenario.name}: {step[0]} {what} when it is given again after a kill", {**report, **done.brief()},
                               bench.store, [bench.work / "aside"])
                return
        answers = bench.questions.ask_all(bench.store, bench.questions.some(dice))
        wrong = differing(answers, scenario.final)
        if wrong:
            book.violation(f"other results after a kill: {', '.join(wrong)}", {**report, "differ": wrong,
                           "first": difference(answers[wrong[0]], scenario.final[wrong[0]])}, bench.store, [bench.work / "aside"], sort=scenario.name)
        if "check" in bench.program.commands:
            done = bench.program.run(bench.store, ["check"])
            if done.code != 0 or done.crashed:
                book.violation(f"{scenario.name}: check complains of a store that was resumed", {**report, **done.brief()}, bench.store)

    def ask(self, number, scenario, story, dice):
        """After the first kill, queries must answer as one commit of the undisturbed run; after others they must not crash, nor tell of damage."""
        bench, book = self.bench, self.bench.book
        killed = bench.work / "killed"
        shutil.rmtree(killed, ignore_errors=True)
        if bench.store.exists():
            copy(bench.store, killed)
        names = dice.sample(list(scenario.final), QUESTIONS)
        answers = bench.questions.ask_all(bench.store, names)
        report = {"round": number, "scenario": scenario.name, "kills": story}
        how = f"{story[-1]['mode']} {story[-1].get('do', '')}".strip()
        was_damaged = any(DAMAGED in answer.outcome.err for answer in scenario.commits[0].values())
        wrong = []
        for name, answer in answers.items():
            if answer.outcome.crashed or DAMAGED in answer.outcome.err and not was_damaged:
                wrong.append((name, "crashes" if answer.outcome.crashed else "tells of damage"))
            elif was_damaged and answer.outcome.is_told():
                book.count("still damaged, and told")
            elif len(story) == 1 and all(not answer.same(known[name]) for known in scenario.commits):
                wrong.append((name, "fails" if answer.code else "answers as no commit"))
        if wrong:
            name, what = wrong[0]
            near = difference(answers[name], scenario.final[name])
            book.violation(f"query {what} after a kill: {how}", {**report, "queries": [name for name, _ in wrong], "against the end": near,
                           **answers[name].outcome.brief()}, killed, [bench.work / "aside"], sort=self.place(scenario, story))
        elif len(story) == 1 and not was_damaged and scenario.fit(answers) is None:
            book.violation(f"queries after a kill answer as different commits: {how}", {**report, "asked": names}, killed,
                           [bench.work / "aside"], sort=self.place(scenario, story))
        book.count("asked between")
        if "check" in bench.program.commands and bench.store.exists() and not was_damaged:
            done = bench.program.run(bench.store, ["check"])
            # Neither an older store nor one that has no commit yet is damaged.
            if done.crashed or done.code != 0 and not NOTHING_TO_CHECK.search(done.err):
                found = [line for line in done.out.decode(errors="replace").splitlines() if not line.startswith("sound")]
                book.violation(f"check complains after a kill: {how}", {**report, "found": found, **done.brief()}, killed, [bench.work / "aside"],
                               sort=self.place(scenario, story))

    def place(self, scenario, story):
        where = [str(Path(path).relative_to(self.bench.store)) for path in story[-1]["where"] if path.startswith(str(self.bench.store) + "/")]
        return " at ".join([scenario.name, *where])


def digest(folder):
    """Of the names and bytes below a folder."""
    made = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        made.update(f"{path.relative_to(folder)}\0{path.is_dir()}\0".encode())
        if path.is_file():
            made.update(hashlib.sha256(path.read_bytes()).digest())
    return made.digest()


def main():
    def extra(parser):
        parser.add_argument("--scenarios", nargs="*", help="only these")
        parser.add_argument("--modes", nargs="*", default=["instant", "instant", "commit", "call", "power"],
                            help="instant, commit, call, power (default: %(default)s)")
        parser.add_argument("--every", action="store_true", help="let the power fail at every system call")
    made = options(__doc__, extra=extra)
    bench = Bench(made, "kills")
    scenarios = [bench.record(scenario) for scenario in bench.scenarios(made.scenarios)]
    bench.book.more["scenarios"] = {one.name: {"commits": one.renames, "answers": len(one.commits),
                                               "calls": [sum(c.values()) - c["matching"] for c in one.counts]} for one in scenarios}
    kills = Kills(bench, made.modes)
    if made.every:
        cases = list(kills.every(scenarios))
        # So that a run that is stopped by `--seconds` has tried some of each.
        random.Random(made.seed).shuffle(cases)
        bench.book.more["cases"] = len(cases)
        made.rounds = len(cases)
        for number, dice in rounds(made):
            scenario, step, at, do = cases[number]
            kills.round(number, scenario, dice, step, (at, do))
    else:
        for number, dice in rounds(made):
            kills.round(number, scenarios[number % len(scenarios)], dice)
    sys.exit(bench.close())


if __name__ == "__main__":
    random.seed(0)
    main()
