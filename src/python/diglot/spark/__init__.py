"""Runs on a cluster: Spark deals the work out, and the program does it.

    import diglot.spark

    spark = diglot.spark.session("local[4]")
    found = diglot.spark.run(spark, "crawl/*.warc.gz", work="work", out="out")
    found.pairs().where("langs = 'en-fr' and score >= 0.9")

The tables are those of `diglot.run` over the same archives, however the work was dealt out. Needs `pyspark`.
"""

try:
    import pyspark as _
except ImportError as error:
    raise ImportError("diglot.spark needs pyspark: pip install 'diglot[spark]'") from error

from ._run import SparkResult, run
from ._session import session
from ._steps import Step

__all__ = ["SparkResult", "Step", "run", "session"]
