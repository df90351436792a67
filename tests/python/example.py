"""Training data from archives: sentence pairs of two languages as Parquet, the pages of one site set aside for testing.

    python example.py ARCHIVE LANG,LANG HOST FOLDER

HOST is the site that is set aside, by its host.
"""

import pathlib
import re
import sys

import diglot
import pyarrow.compute as pc
import pyarrow.parquet as pq

LEAST_SCORE = 0.9


def main(archive: str, langs: str, host: str, folder: str) -> None:
    out = pathlib.Path(folder)
    store = diglot.run(archive, store=out / "store", progress=True).store
    rows = {"train": 0, "test": 0}
    # One batch at a time: the bitext may be larger than memory.
    with store.bitext_batches(langs=langs, min_score=LEAST_SCORE) as batches:
        train = pq.ParquetWriter(out / "train.parquet", batches.schema)
        test = pq.ParquetWriter(out / "test.parquet", batches.schema)
        with train, test:
            for batch in batches:
                # Either page of a pair may be on it.
                is_there = [pc.match_substring_regex(batch[url], f"^https?://{re.escape(host)}/") for url in ("url_a", "url_b")]
                is_test = pc.or_(*is_there)
                for name, file, wanted in [("train", train, pc.invert(is_test)), ("test", test, is_test)]:
                    part = batch.filter(wanted)
                    file.write_batch(part)
                    rows[name] += part.num_rows
    if rows["test"] == 0:
        sys.exit(f"no sentence pair of {langs} is on {host}: `diglot hosts` lists the hosts")
    print(f"train: {rows['train']} sentence pairs, test: {rows['test']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
