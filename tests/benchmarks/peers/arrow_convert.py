"""pyarrow.json: responses to the columns of requests that are not constant."""

import hashlib
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj
import pyarrow.parquet as pq

source, target = sys.argv[1:]
read = pj.read_json(source).combine_chunks()
timings = read["timings"].combine_chunks()
first = pc.list_element(read["choices"], 0).combine_chunks()
content = first.field("message").field("content")
columns = {
    name: read[name] for name in ("id", "created", "model", "system_fingerprint")
}
columns |= {
    timings.type.field(place).name: timings.field(place)
    for place in range(timings.type.num_fields)
}
columns["finish_reason"] = first.field("finish_reason")
columns["output_sha256"] = pa.array(
    [hashlib.sha256(text.encode()).hexdigest() for text in content.to_pylist()]
)
pq.write_table(pa.table(columns), target, compression="zstd")
