"""Lets the system refuse one allocation of a run, each time another one, and holds the program to what it then says.

    cargo rustc --profile fast --bin diglot -- --cfg failing_allocations
    allocations.py --binary target/fast/diglot --seed 1 --rounds 2000

A round runs the archives into a new store, or goes on with one that a refused run has left, while one allocation fails, drawn from all
that a run makes: half of them evenly, half by the logarithm, so that beginnings have their share. The run must end with exit code 1 and
the message that the system gives no more memory, and neither by a signal nor late. At the end, and after every tenth round, a run to the end
must give the answers of an undisturbed one.
"""
import math
import os
import shutil
import sys

from common import Bench, differing, options, rounds

COUNT = "DIGLOT_FAIL_ALLOCATION"
MESSAGE = "the system gives no more memory"
# More than any small run makes.
MANY = 10**12
# Share of rounds that go on with what was left, and after how many rounds a run goes to its end.
GOES_ON, WHOLE = 0.5, 10


def main():
    made = options(__doc__, rounds=2000)
    bench = Bench(made, "allocations")
    bench.base("whole", [["run", *bench.inputs]])
    expected = bench.questions.ask_all(bench.store)
    shutil.rmtree(bench.store)
    counted = bench.program.run(bench.store, ["run", *bench.inputs], {COUNT: str(MANY)})
    left = [line for line in counted.err.splitlines() if line.startswith("allocations left: ")]
    if not left:
        raise SystemExit("the program counts no allocations: build it with --features internals")
    total = MANY - int(left[0].split()[-1])
    bench.book.more["allocations of a run"] = total
    for number, dice in rounds(made):
        at = dice.randrange(1, total + 1) if dice.random() < 0.5 else int(math.exp(dice.uniform(0, math.log(total))))
        if dice.random() >= GOES_ON:
            shutil.rmtree(bench.store, ignore_errors=True)
        done = bench.program.run(bench.store, ["run", *bench.inputs], {COUNT: str(at)})
        report = {"round": number, "allocation": at, **done.brief()}
        if done.crashed:
            bench.book.violation(f"ends with {done.code}", report, bench.store)
        elif done.code == 0:
            bench.book.count("done before")
        elif done.code != 1 or MESSAGE not in done.err:
            bench.book.violation("another message", report, bench.store)
        else:
            bench.book.count("told")
        if number % WHOLE == WHOLE - 1 or number == made.rounds - 1:
            bench.program.must(bench.store, ["run", *bench.inputs])
            wrong = differing(bench.questions.ask_all(bench.store), expected)
            if wrong:
                bench.book.violation("other answers after a run to the end", {**report, "differ": wrong}, bench.store)
            bench.book.count("runs to the end")
    sys.exit(bench.close())


if __name__ == "__main__":
    os.environ.pop(COUNT, None)
    main()
