"""No adversarial input takes more than linear time or a few times its own memory."""

import subprocess
import sys

import pytest

MEGABYTES = 2
SECONDS = 4.0  # of the processor: others may be busy too
MEMORY = 150  # MB beyond the interpreter
N = MEGABYTES * 1_000_000

GOOD = b'{"timings":{"predicted_n":9,"predicted_ms":400.0,"prompt_n":3}}\n'
NOISE = b'x\nx\nx\n"timings" "predicted_n"\n'
PRETTY = (
    b'  {\n    "timings": {\n      "predicted_n": 9,\n      "prompt_n": 3\n    }\n  }'
)
EVENT = b'data: {"timings":{"prompt_n":1}}\n'
BENCH = b'{"samples_ns":[1],"n_prompt":1,"n_gen":0,"build_commit":"a"}\n'
TABLE = b"build_commit,n_prompt,n_gen,avg_ts,stddev_ts\n"
MARKDOWN = b"| test | t/s |\n"
CLOCK = b"2026/08/02 14:40:00.250"
TELEMETRY = b"timestamp, power.draw [W]\n"
OWN = b'{"specstats.table": "requests"}\n'

# Name: what comes first, what is repeated, what comes last.
INPUTS: dict[str, tuple[bytes, bytes, bytes]] = {
    "pretty-printed array, cut off": (b"[\n", PRETTY + b",\n", PRETTY[:-9]),
    "lines of open braces": (GOOD, b"{\n", b""),
    "lines of open braces, no good line": (NOISE, b"{\n", b""),
    "strings that never close": (NOISE, b'{"a":"bcdefgh\n', b""),
    "objects that never close": (NOISE, b'{"a":1,"b":{"c":2},\n', b""),
    "nested objects that never close": (NOISE, b'{"a":\n', b""),
    "one open string": (b'{"timings":{"predicted_n":1},"content":"', b"a", b""),
    "one open string after a good line": (GOOD + b'{"content":"', b"a", b""),
    "open brackets": (GOOD.strip(), b"[", b""),
    "open brackets, a line each": (NOISE, b"{},\n[\n", b""),
    "open brackets and braces": (GOOD.strip() + b"[", b"[{", b""),
    "garbage lines": (GOOD, b"x\n", b""),
    "garbage objects": (GOOD, b"{x\n", b""),
    "empty lines": (GOOD, b"\n", b""),
    "zeros": (GOOD, b"\0", b""),
    "events": (EVENT, EVENT, b""),
    "empty events": (EVENT, b"data:\n", b""),
    "garbage events": (EVENT, b"x\n", b""),
    "records": (BENCH, BENCH, b""),
    "a sample list": (b'{"n_prompt":0,"n_gen":1,"samples_ns":[', b"1,", b"1]}"),
    "a step list": (b'{"timings":{"predicted_n":99},"accepted":[', b"1,", b"1]}"),
    "table rows": (TABLE, b"a,1,0,1,1\n", b""),
    "garbage rows": (TABLE, b"x\n", b""),
    "open quotes": (TABLE, b'"\n', b""),
    "one open quote": (TABLE + b'"', b"x\n", b""),
    "one long field": (TABLE + b'"', b"x", b'"\n'),
    "a header of many tests": (b"|", b"test ", b"\n"),
    "a header of many tests and rates": (b"|", b"test t/s ", b"\n"),
    "markdown rows": (MARKDOWN, b"|a|1 +/- 1|\n", b""),
    "markdown garbage": (MARKDOWN, b"|x|\n", b""),
    "samples": (TELEMETRY, CLOCK + b", 9.50 W\n", b""),
    "garbage samples": (TELEMETRY, b"x\n", b""),
    "quoted samples": (TELEMETRY, b'"\n', b""),
    "samples without header": (CLOCK + b",1\n", CLOCK + b",1\n", b""),
    "a wide sample": (CLOCK, b",1", b""),
    "empty rows": (OWN, b"{}\n", b""),
    "many tables": (OWN, OWN, b""),
    "a wide row": (OWN + b"{", b'"cfg.a":1,', b'"arm":"a"}'),
}
PROGRAM = """
import resource, sys, time
import specstats
from specstats.errors import SpecstatsError
data = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.process_time()
try:
    specstats.read(data)
except SpecstatsError:
    pass
spent = time.process_time() - started
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(spent, grown / 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", INPUTS)
def test_time_and_memory(name: str) -> None:
    first, repeated, last = INPUTS[name]
    data = first + repeated * (N // len(repeated)) + last

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=data,
        capture_output=True,
        check=True,
        timeout=60,
    )
    seconds, megabytes = map(float, done.stdout.split())

    assert seconds < SECONDS
    assert megabytes < MEMORY
