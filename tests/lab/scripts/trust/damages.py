"""Damages finished stores in every way, and holds the program to what it then says.

    damages.py --binary target/fast/diglot --seed 1 --rounds 1000 [--archives sample | crawl:2000 | PATH...]

A round takes a store, damages one file of it, and asks. An answer equal to that of the undamaged store is right, and so is exit code
1 with a message that names a place and a remedy. A different answer with exit code 0 is a violation, also when an earlier command has told of
the damage; so are panics, signals, and what takes more than 20 seconds. Then `diglot run` follows, in half of the rounds with the archives
out of reach (and `check --repair` before it in some): the answers must be right again, or fail. Where they are not, what the messages say
is done: `check --repair` and `run`, after which all must be right unless archives are said to be lost; at last `diglot run ARCHIVES` must bring
all back, and `compact`, in half of the rounds, change no answer. `check` must find whatever a query stumbles over, and nothing at the end.
"""
import os
import re
import sys
from pathlib import Path

from common import HANG, PLACE, TOLD_LOSS, Bench, difference, differing, options, rounds

KINDS = ["flip", "flip", "zero", "zero", "garbage", "truncate", "truncate", "delete", "duplicate", "swap", "append", "stale"]
BLOCKS = [16, 64, 512, 4096]
# Shares of rounds.
AWAY, REPAIRED, COMPACTED = 0.5, 0.3, 0.5
# What only the store knows: what was requested of crawlers.
REQUESTS = {"recover", "rounds"}
# Why a query of what is lost can end as one of what never was.
NOTHING_LEFT = re.compile("there are no|nothing was learnt")
REMOVALS_LOST = "lost what was removed"
ARCHIVES_LOST = re.compile("lost [0-9]* ?pages")
# How a damaged manifest is told, and what archives must be given again.
DELETE_MANIFEST = "delete that file"
LOST = re.compile(r"\blost\b|give .*again|archives? .*again")


def damage(store, dice, older, made):
    """Damages one file of a store; what was done. The folder is chosen first, so that all kinds of records have their turn."""
    files = sorted(path for path in store.rglob("*") if path.is_file() and path.name != "lock")
    folders = sorted({path.relative_to(store).parts[0] for path in files})
    folders = [folder for folder in folders if not made.folders or folder in made.folders]
    while True:
        folder = dice.choice(folders)
        path = dice.choice([path for path in files if path.relative_to(store).parts[0] == folder])
        kind = dice.choice(made.kinds or KINDS)
        before = path.read_bytes()
        after, detail = change(bytearray(before), kind, dice)
        if kind == "stale":
            twin = older / path.relative_to(store)
            after = twin.read_bytes() if twin.is_file() else before
        done = {"file": str(path.relative_to(store)), "bytes": len(before), "kind": kind, **detail}
        if kind == "delete":
            path.unlink()
            return done
        if bytes(after) != before:
            path.write_bytes(after)
            return done


def change(data, kind, dice):
    size = len(data)
    if kind == "append":
        count = dice.choice([1, 16, 64, 4096])
        return data + (bytes(count) if dice.random() < 0.5 else dice.randbytes(count)), {"count": count}
    if not size or kind in ("stale", "delete"):
        return data, {}
    at = dice.randrange(size)
    if kind == "flip":
        data[at] ^= 1 << dice.randrange(8)
        return data, {"at": at}
    if kind in ("zero", "garbage"):
        count = min(dice.choice([1, 4, 16, 100, 512, 4096]), size - at)
        data[at:at + count] = bytes(count) if kind == "zero" else dice.randbytes(count)
        return data, {"at": at, "count": count}
    if kind == "truncate":
        left = dice.choice([size - 1, size - min(size, 16), size * 99 // 100, dice.randrange(size), at, min(64, size), 0])
        return data[:left], {"left": left}
    block = dice.choice(BLOCKS)
    blocks = max(1, size // block)
    one, other = (dice.randrange(blocks) * block for _ in range(2))
    first, second = bytes(data[one:one + block]), bytes(data[other:other + block])
    if kind == "swap":
        if len(first) == len(second):
            data[one:one + block], data[other:other + block] = second, first
    elif dice.random() < 0.5:
        data[other:other + len(first)] = first
    else:
        data[one:one] = first
    return data, {"block": block, "at": [one, other]}


class Damages:
    def __init__(self, bench):
        self.bench, self.book = bench, bench.book
        # Whether there is damage that `run` had no reason to meet.
        self.is_unseen = False
        self.inputs = Path(bench.work) / "inputs"
        self.away = Path(bench.work) / "inputs.away"
        requested = [["recover", "--min-chance", "0", "-o", str(bench.work / "requested.txt")],
                     ["explore", "-o", str(bench.work / "next.txt")]]
        everything = [["run", *bench.inputs], *requested]
        first = [["run", bench.inputs[0]]]
        changed = [*first, ["run", *bench.inputs[1:], "--site", "domain"], ["run", "--site", "host", "--min-score", "0.6"], *requested]
        self.bases = [bench.base(name, steps) for name, steps in (("plain", everything), ("changed", changed))]
        self.older = bench.base("older", first)
        bench.lay(self.bases[0])
        self.removal = ["remove", "--url", bench.program.must(bench.store, ["pairs", "--format", "tsv"]).out.decode().splitlines()[1].split("\t")[0]]
        removed = [["run", *bench.inputs], self.removal, ["run"], *requested]
        self.bases.append(bench.base("removed", removed))
        self.bases.append(bench.base("removed-compacted", [*removed, ["compact"]]))
        self.expected = []
        for base in self.bases:
            bench.lay(base)
            self.expected.append(bench.questions.ask_all(bench.store))

    def round(self, number, dice):
        bench, book = self.bench, self.book
        self.is_unseen = False
        which = dice.randrange(len(self.bases))
        expected = self.expected[which]
        bench.lay(self.bases[which])
        made = damage(bench.store, dice, self.older, bench.options)
        self.folder = made["file"].split("/")[0]
        self.report = {"round": number, "base": self.bases[which].name, "damage": made}
        self.sort = f"{self.folder} {made['kind']}"
        bench.lay_aside(bench.store)
        book.count(f"damaged {self.folder}")
        bad = self.damaged_store(expected, dice)
        healed, told = self.run_alone(expected, dice)
        if not healed:
            healed, told = self.repair(expected, told, dice)
        if not healed:
            healed = self.run_archives(expected, told, dice)
        if healed and dice.random() < COMPACTED:
            self.compact(expected, dice)
        if not bad and healed:
            book.count("fine throughout")

    def accuse(self, verdict, more, sort=None):
        self.book.violation(verdict, {**self.report, **more}, self.bench.work / "aside", [self.bench.store], sort=sort or self.sort)

    def is_back(self, outcome_of):
        """Whether the page that was removed is listed again."""
        return self.report["base"].startswith("base-removed") and any(self.removal[-1].encode() in answer.outcome.out for answer in outcome_of.values())

    def ask(self, names, expected, when):
        """Names of the queries that do not give the right answer; accuses those that do not say so either, together."""
        bench, wrong, accused = self.bench, [], {}
        answers = bench.questions.ask_all(bench.store, names)
        is_back = self.is_back({name: answers[name] for name in set(names) & {"pairs"}})
        for name, answer in answers.items():
            outcome = answer.outcome
            if not outcome.crashed and answer.same(expected[name]):
                continue
            wrong.append(name)
            if outcome.crashed:
                verdict, more = "crash", outcome.brief()
            elif answer.code == 0 and is_back:
                verdict, more = "what was removed is listed again", {"stderr": outcome.err[-300:]}
            elif answer.code == 0:
                verdict = "wrong answer, code 0, told on stderr" if outcome.err.strip() else "wrong answer, code 0, silent"
                more = {"differs": difference(answer, expected[name]), "stderr": outcome.err[-300:]}
            else:
                verdict, more = self.fault_of_message(outcome), outcome.brief()
            if verdict:
                accused.setdefault(verdict, []).append((name, more))
            else:
                self.book.count("told")
        for verdict, cases in accused.items():
            self.accuse(f"{verdict} {when}", {"queries": [name for name, _ in cases], "first": cases[0][1]})
        return wrong

    def fault_of_message(self, outcome):
        """What is wrong with how a command ended that did not end well."""
        place, remedy = outcome.says_what_and_where()
        place = place or bool(PLACE.search(outcome.out.decode(errors="replace")))  # `check` lists what it finds
        if outcome.code == 2 and TOLD_LOSS in outcome.err and NOTHING_LEFT.search(outcome.err):
            return None  # what was asked for is lost, which is said
        if outcome.code != 1:
            return f"exit code {outcome.code}"
        lacking = [name for name, has in (("place", place), ("remedy", remedy)) if not has]
        return f"message without {' and '.join(lacking)}" if lacking else None

    def told(self, outcome, when):
        verdict = self.fault_of_message(outcome)
        if verdict:
            self.accuse(f"{verdict} {when}", outcome.brief())

    def damaged_store(self, expected, dice):
        bench = self.bench
        names = bench.questions.some(dice)
        dice.shuffle(names)
        cut = dice.randint(0, len(names))
        bad = self.ask(names[:cut], expected, "on the damaged store")
        found = bench.program.run(bench.store, ["check"]) if "check" in bench.program.commands else None
        bad += self.ask(names[cut:], expected, "on the damaged store")
        if found and found.crashed:
            self.accuse("crash of check", found.brief())
        elif found and found.code != 0:
            self.told(found, "of check")
            self.book.count("check finds it")
        elif found and bad:
            self.accuse("check finds nothing", {"stumbled": bad, **found.brief()})
        elif found:
            self.book.count("check finds nothing, and no query stumbles")
        self.ask(dice.sample(bad, min(2, len(bad))), expected, "when asked again")
        return bad

    def run_alone(self, expected, dice):
        """`diglot run` without archives: whether all is right again, and all that was said."""
        bench = self.bench
        is_away = dice.random() < AWAY
        self.report["archives"] = "away" if is_away else "there"
        if is_away:
            os.rename(self.inputs, self.away)
        said = ""
        try:
            if bench.program.has_repair and dice.random() < REPAIRED:
                done = bench.program.run(bench.store, ["check", "--repair"])
                said += done.err
                self.report["repair"] = done.brief()
                if done.crashed:
                    self.accuse("crash of check --repair", done.brief())
            done = bench.program.run(bench.store, ["run"])
        finally:
            if is_away:
                os.rename(self.away, self.inputs)
        said += done.err
        self.report["run"] = {"code": done.code, "stderr": done.err[-400:]}
        if done.crashed:
            self.accuse("crash of run", done.brief())
        elif done.code != 0:
            self.told(done, "of run")
        when = "after run, which ended well" if done.code == 0 and not said.strip() else "after run, which told"
        wrong = self.ask(bench.questions.some(dice), expected, when)
        healed = not wrong and done.code == 0
        self.book.count(f"run {'heals' if healed else 'does not heal'}, archives {self.report['archives']}")
        return healed, said

    def repair(self, expected, said, dice):
        """What messages advise short of giving archives: whether all is right again, and all that was said."""
        bench = self.bench
        done = bench.program.run(bench.store, ["check", "--repair"])
        self.book.count(f"check --repair ends with {done.code}")
        steps = self.report["remedy"] = [done.brief()]
        if done.crashed:
            self.accuse("crash of check --repair", done.brief())
        elif done.code != 0 and DELETE_MANIFEST in done.err:
            (bench.store / "manifest.json").unlink()
            self.book.count("the manifest is deleted, as advised")
        elif done.code != 0:
            self.told(done, "of check --repair")
        said += done.err + done.out.decode(errors="replace")
        done = bench.program.run(bench.store, ["run"], timeout=3 * HANG)
        steps.append(done.brief())
        said += done.err
        if done.crashed:
            self.accuse("crash of run after check --repair", done.brief())
        elif done.code != 0:
            self.told(done, "of run after check --repair")
        names = bench.questions.some(dice)
        if self.remove_again(said):
            names = [name for name in names if name not in REQUESTS]  # with what is removed goes that it was requested
        wrong = self.ask(names, expected, "after check --repair and run")
        if wrong and set(wrong) <= REQUESTS and "request" in said:
            self.book.count("requests lost, and told")
            return True, said
        if (wrong or done.code != 0) and not LOST.search(said):
            self.accuse("check --repair and run do not heal, and no archive is said to be lost", {"differ": wrong, **done.brief()})
        healed = not wrong and done.code == 0
        self.book.count(f"check --repair and run {'heal' if healed else 'do not heal'}")
        if healed:
            self.check_is_clean("after check --repair and run")
        return healed, said

    def remove_again(self, said):
        """What was removed is removed again, if the store said that it lost what that was; whether it did."""
        is_due = self.report["base"].startswith("base-removed") and REMOVALS_LOST in said
        if is_due:
            for step in (self.removal, ["remove", "--lost"], ["run"]):
                done = self.bench.program.run(self.bench.store, step)
                if done.crashed:
                    self.accuse(f"crash of {step[0]} again", done.brief())
            self.book.count("removed again, as advised")
        return is_due

    def check_is_clean(self, when):
        done = self.bench.program.run(self.bench.store, ["check"])
        if done.code != 0 and not self.is_unseen:
            self.accuse(f"check complains {when}", {**done.brief(), "found": done.out.decode(errors="replace")[-400:]})

    def run_archives(self, expected, said, dice):
        bench = self.bench
        done = bench.program.run(bench.store, ["run", *bench.inputs], timeout=3 * HANG)
        if done.tells_of_loss and not ARCHIVES_LOST.search(done.err):
            said += done.err
            bench.program.run(bench.store, ["remove", "--lost"])
            self.book.count("what no archive brings back is accepted as lost")
            done = bench.program.run(bench.store, ["run", *bench.inputs], timeout=3 * HANG)
        self.report["run archives"] = {"code": done.code, "stderr": done.err[-400:]}
        if done.crashed:
            return self.accuse("crash of run ARCHIVES", done.brief())
        if done.code != 0:
            why = done.err.strip().replace(str(bench.store), "STORE").splitlines()[-1:]
            return self.accuse("run ARCHIVES fails", done.brief(), f"{self.folder}: {''.join(why)[-160:]}")
        said += done.err
        self.remove_again(said)
        answers = bench.questions.ask_all(bench.store, bench.questions.some(dice))
        wrong = differing(answers, expected)
        if wrong and set(wrong) <= REQUESTS and "request" in said:
            self.book.count("requests lost, and told")
        elif wrong and self.is_back(answers):
            self.accuse("what was removed is listed again after run ARCHIVES", {"differ": wrong})
        elif wrong:
            what = "requests are lost, untold" if set(wrong) <= REQUESTS else "other answers after run ARCHIVES"
            self.accuse(what, {"differ": wrong, "first": difference(answers[wrong[0]], expected[wrong[0]])})
        else:
            self.book.count("run ARCHIVES heals")
        self.check_is_clean("after run ARCHIVES")
        return not wrong

    def compact(self, expected, dice):
        """Compaction of what was healed changes no answer. Damage of what no query reads is met by it, or stays."""
        self.is_unseen = self.bench.program.run(self.bench.store, ["check"]).code != 0
        done = self.bench.program.run(self.bench.store, ["compact"])
        if done.code != 0 and self.is_unseen:
            return self.told(done, "of compact")
        if done.code != 0:
            return self.accuse("compact fails", done.brief())
        names = [name for name in self.bench.questions.some(dice) if name not in REQUESTS]
        self.ask(names, expected, "after compact")
        self.check_is_clean("after compact")
        self.book.count("compacted")


def main():
    def extra(parser):
        parser.add_argument("--folders", nargs="*", help="damage files of these only, such as pages or manifest.json")
        parser.add_argument("--kinds", nargs="*", choices=sorted(set(KINDS)), help="only these kinds of damage")
    made = options(__doc__, extra=extra)
    bench = Bench(made, "damages")
    bench.program.has_repair = bench.program.has("check", "--repair")
    damages = Damages(bench)
    for number, dice in rounds(made):
        damages.round(number, dice)
    sys.exit(bench.close())


if __name__ == "__main__":
    main()
