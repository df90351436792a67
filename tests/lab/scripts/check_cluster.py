#!/usr/bin/env python3
"""check_cluster.py DIGLOT FOLDER KILLS INPUT...: a cluster on this machine whose processes are killed at random.

Starts a master and two workers of Spark on loopback, does the run of `diglot.spark` on the inputs again and again, and kills, at random times,
programs, workers of Python, executors and workers (which are started again), until KILLS were killed. After each run its tables must be those of `diglot run` and
`diglot export`: no row lost, none doubled. Ends with 1 where they are not. Needs pyspark, pyarrow and Java; FOLDER is made, and left behind.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import diglot
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pyspark

TABLES = ("pairs", "bitext", "keys")
PORT = 17077


class Cluster:
    """A master and two workers, a core each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"spark://127.0.0.1:{PORT}"
        home = os.path.dirname(pyspark.__file__)
        self.environment = {**os.environ, "SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        self.java = f"{home}/bin/spark-class"
        self.master = self.start("master", "master.Master", "--host", "127.0.0.1", "--port", str(PORT), "--webui-port", "0")
        time.sleep(4)
        self.workers = [self.worker(number) for number in (0, 1)]

    def worker(self, number: int) -> subprocess.Popen[bytes]:
        folder = self.folder / f"worker-{number}"
        arguments = ["--host", "127.0.0.1", "--cores", "1", "--memory", "2g", "--webui-port", "0", "--work-dir", str(folder), self.url]
        return self.start(f"worker-{number}", "worker.Worker", *arguments)

    def start(self, name: str, of: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = open(self.folder / f"{name}.log", "ab")
        command = [self.java, f"org.apache.spark.deploy.{of}", *arguments]
        return subprocess.Popen(command, stdout=log, stderr=log, env=self.environment)

    def kill_worker(self) -> str:
        """Kills a worker with its executors, and starts another."""
        number = random.randrange(2)
        worker = self.workers[number]
        worker.kill()
        worker.wait()
        self.workers[number] = self.worker(number)
        return f"worker {number}"

    def stop(self) -> None:
        for process in [*self.workers, self.master]:
            process.kill()
            process.wait()


def processes(word: str) -> list[int]:
    """The processes whose command has a word, and which are not this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            # What names inputs is a child of the driver, and no task; other programs have arguments of that name too.
            is_ours = word != "exec" or command[0] == os.environ["DIGLOT"].encode()
            if word.encode() in command and b"inputs" not in command and is_ours:
                found.append(int(entry.name))
    return found


# What is killed, by a word of its command.
WORDS = {"program": "exec", "python": "pyspark.daemon", "executor": "org.apache.spark.executor.CoarseGrainedExecutorBackend", "worker": ""}


class Killer(threading.Thread):
    """Kills a process every few seconds while a run goes on."""

    def __init__(self, cluster: Cluster, pause: float) -> None:
        super().__init__(daemon=True)
        self.cluster, self.pause = cluster, pause
        self.killed: dict[str, int] = {}
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(random.uniform(0.3, 2) * self.pause):
            what = random.choices(list(WORDS), [6, 2, 3, 1])[0]
            if what == "worker":
                self.cluster.kill_worker()
            else:
                found = processes(WORDS[what])
                if not found:
                    continue
                try:
                    os.kill(random.choice(found), signal.SIGKILL)
                except ProcessLookupError:
                    continue
            self.killed[what] = self.killed.get(what, 0) + 1


# What a run is: a process of its own, as that of `spark-submit` is.
RUN = """
import json, sys
import diglot.spark
master, work, out, *inputs = sys.argv[1:]
spark = diglot.spark.session(master, spark_task_maxFailures="100", spark_deploy_maxExecutorRetries="-1", spark_executor_memory="1g",
    spark_stage_maxConsecutiveAttempts="100", spark_excludeOnFailure_enabled="false",
    spark_speculation="true", spark_speculation_multiplier="1.1", spark_speculation_quantile="0.3", spark_speculation_minTaskRuntime="100ms")
result = diglot.spark.run(spark, inputs, work=work, out=out, pages_per_part=2000)
print(json.dumps(result.counts))
spark.stop()
"""


def lines(table: pa.Table, names: list[str]) -> list[str]:
    columns = [column.to_pylist() for column in table.select(names).columns]
    return sorted(map(repr, zip(*columns)))


def main() -> int:
    program, folder, kills, *inputs = sys.argv[1:]
    base = Path(folder).absolute()
    base.mkdir(parents=True)
    os.environ["DIGLOT"] = str(Path(program).absolute())
    inputs = [str(Path(path).absolute()) for path in inputs]
    store = base / "run.store"
    subprocess.run([program, "run", "-q", "--store", store, *inputs], check=True)
    expected = {}
    for table in TABLES:
        file = base / f"{table}.parquet"
        if table == "keys":
            read = diglot.open(store).keys()
        else:
            subprocess.run([program, "export", "-q", "--store", store, "--what", table, "-o", file], check=True)
            read = pa.parquet.read_table(file)
        expected[table] = (read.schema.names, lines(read, read.schema.names))
    cluster = Cluster(base)
    count, runs, wrong = 0, 0, 0
    try:
        # Where every run fails before anything is killed, there is no end to wait for.
        while count < int(kills) and wrong < 3:
            work, out = base / "work", base / "out"
            for path in (work, out):
                shutil.rmtree(path, ignore_errors=True)
            killer = Killer(cluster, pause=3)
            killer.start()
            command = [sys.executable, "-c", RUN, cluster.url, str(work), str(out), *inputs]
            done = subprocess.run(command, capture_output=True, text=True, env=cluster.environment)
            killer.over.set()
            killer.join()
            count, runs = count + sum(killer.killed.values()), runs + 1
            if done.returncode != 0:
                print(done.stderr[-3000:])
                print(f"run {runs}: failed after {killer.killed}")
                wrong += 1
                continue
            same = {}
            for table, (names, rows) in expected.items():
                found = pa.dataset.dataset(out / table, partitioning="hive").to_table()
                same[table] = lines(found, names) == rows
            wrong += not all(same.values())
            counts = json.loads(done.stdout.strip().splitlines()[-1])
            print(f"run {runs}: killed {killer.killed}, {count} in all; equal: {same}; {counts}", flush=True)
    finally:
        cluster.stop()
    print(f"{runs} runs, {count} kills, {wrong} of the runs wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
