"""pandas: responses to the columns of requests that are not constant."""

import hashlib
import sys

import pandas as pd

source, target = sys.argv[1:]
read = pd.read_json(source, lines=True)
choice = pd.Series([found[0] for found in read.pop("choices")])
timings = pd.DataFrame(read.pop("timings").tolist())
frame = pd.concat([read.drop(columns="usage"), timings], axis=1)
frame["finish_reason"] = [item["finish_reason"] for item in choice]
frame["output_sha256"] = [
    hashlib.sha256(item["message"]["content"].encode()).hexdigest() for item in choice
]
frame.to_parquet(target, compression="zstd")
