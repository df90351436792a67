"""Training data from archives: sentence pairs of two languages as Parquet, the pages of one site set aside for testing.

    python example.py ARCHIVE LANG,LANG HOST FOLDER

HOST is the site that is set aside, by its host.
"""

import pathlib
import sys

import diglot
import pyarrow.compute as pc
import pyarrow.parquet as pq

LEAST_SCORE = 0.9


def main(archive: str, langs: str, host: str, folder: str) -> None:
    out = pathlib.Path(folder)
    store = diglot.run(archive, store=out / "store", strict=True, progress=True).store
    rows = {"train": 0, "test": 0}
    # One batch at a time: the bitext may be larger than memory.
    with store.bitext_batches(langs=langs, min_score=LEAST_SCORE) as batches:
        train = pq.ParquetWriter(out / "train.parquet", batches.schema)
        test = pq.ParquetWriter(out / "test.parquet", batches.schema)
        with train, test:
            for batch in batches:
                is_test = pc.match_substring(batch["url_a"], f"://{host}/")
                for name, file, wanted in [("train", train, pc.invert(is_test)), ("test", test, is_test)]:
                    part = batch.filter(wanted)
                    file.write_batch(part)
                    rows[name] += part.num_rows
    print(f"train: {rows['train']} sentence pairs, test: {rows['test']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
