"""Polars: responses to the columns of requests that are not constant."""

import hashlib
import sys

import polars as pl

source, target = sys.argv[1:]
frame = pl.read_ndjson(source)
timings = frame["timings"].struct.unnest()
choice = frame["choices"].list.first().struct.unnest()
content = choice["message"].struct.field("content")
frame.select("id", "created", "model", "system_fingerprint").with_columns(
    *(timings[name] for name in timings.columns),
    choice["finish_reason"],
    pl.Series(
        "output_sha256",
        [hashlib.sha256(text.encode()).hexdigest() for text in content],
    ),
).write_parquet(target, compression="zstd")
