"""Sessions of Spark, and what they must be set to."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession

from .._errors import DiglotError

# More than any file has. A hundred thousand files of it are still a number of 64 bits.
_ENDLESS = str(1 << 44)
# What Spark may decide by itself elsewhere and here must not, and what suits rows of some 256 KiB.
NEEDED = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # Files of parts are not read together.
    "spark.sql.files.maxPartitionNum": str((1 << 31) - 1),
    "spark.sql.files.maxRecordsPerFile": "0",
    # Then rows of several kinds are written without being sorted.
    "spark.sql.maxConcurrentOutputFileWriters": "64",
    # Row by row takes less time and less memory than column by column, where a row is that long.
    "spark.sql.parquet.enableVectorizedReader": "false",
    "spark.sql.sources.partitionOverwriteMode": "static",
}
#: Each file is read by a task of its own.
ONE_FILE_A_TASK = {"spark.sql.files.maxPartitionBytes": _ENDLESS, "spark.sql.files.openCostInBytes": _ENDLESS}
#: As few tasks as there are cores; of rows that are few, or of which little is read.
FEW_TASKS = {"spark.sql.files.maxPartitionBytes": _ENDLESS, "spark.sql.files.openCostInBytes": "65536"}


# For one machine. A step takes seconds there, and optimising its code in the JVM would take as long.
_LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    # Rows are compressed already.
    "spark.shuffle.compress": "false",
    "spark.shuffle.spill.compress": "false",
    "spark.sql.shuffle.partitions": "8",
}


def session(master: str | None = "local[*]", **settings: str) -> SparkSession:
    """A session that suits: `session("local[4]")`, `session("spark://host:7077")`; with `None`, the one that `spark-submit` begins.

    `settings` are those of Spark, with underscores for dots: `spark_driver_memory="4g"`.
    """
    given = {name.replace("_", "."): value for name, value in settings.items()}
    is_local = master is not None and master.startswith("local")
    if shutil.which("java", path=os.path.join(os.environ.get("JAVA_HOME", ""), "bin") + os.pathsep + os.environ.get("PATH", "")) is None:
        raise DiglotError("there is no Java, which Spark needs: install Java 17, or name its folder by $JAVA_HOME")
    if is_local:
        # Else workers are the first Python on the path, which need not be this one.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    quiet = {} if master is None else {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    builder = SparkSession.builder.appName("diglot")
    if master is not None:
        builder = builder.master(master)
    for name, value in {**quiet, **(_LOCAL if is_local else {}), **given}.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except Exception as error:
        raise DiglotError(f"Spark does not start with master {master}: {words_of(error)}") from error


def words_of(error: Exception) -> str:
    """What an exception of Spark says, and what caused it in the end, without the stacks of Java."""
    java = getattr(error, "java_exception", None)
    text = str(java.getMessage() or java) if java is not None else str(error)
    said = text.split("\nDriver stacktrace")[0].split("\n\tat ")[0].strip()[-2000:]
    causes = re.findall(r"^Caused by: (?:[\w.$]+: )?(.+)", str(error), re.MULTILINE)
    return f"{said}: {causes[-1].strip()[:1000]}" if causes and causes[-1].strip() not in said else said


@contextmanager
def set_to(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Has settings of a session while something is done."""
    before = {name: spark.conf.get(name, None) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, earlier in before.items():
            if earlier is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, earlier)
