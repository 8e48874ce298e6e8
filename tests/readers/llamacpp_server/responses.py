"""Files of responses as a llama.cpp server writes them."""

import json

Entry = dict[str, object]


def response(number: int = 0, **changes: object) -> Entry:
    """Build a response as the server writes it, some keys replaced or left out."""
    timings: Entry = {
        "cache_n": 3,
        "prompt_n": 34,
        "prompt_ms": 220.5 + number,
        "prompt_per_token_ms": 6.4,
        "prompt_per_second": 154.5,
        "predicted_n": 128,
        "predicted_ms": 5000.0,
        "predicted_per_token_ms": 39.1,
        "predicted_per_second": 25.6,
        "draft_n": 111,
        "draft_n_accepted": 92,
    }
    message = {"role": "assistant", "content": f"the answer {number}"}
    whole: Entry = {
        "choices": [{"finish_reason": "length", "index": 0, "message": message}],
        "created": 1_780_000_000 + number,
        "model": "/models/tiny.gguf",
        "system_fingerprint": "b9862-798cf6cbe",
        "object": "chat.completion",
        "usage": {
            "completion_tokens": 128,
            "prompt_tokens": 37,
            "total_tokens": 165,
            "prompt_tokens_details": {"cached_tokens": 3},
        },
        "id": f"chatcmpl-{number}",
        "timings": timings,
    }
    for name, value in changes.items():
        place = timings if name in timings or name.startswith("t_") else whole
        if value is ...:
            place.pop(name, None)
        else:
            place[name.removeprefix("t_")] = value
    return whole


def written(*entries: Entry | str, end: str = "\n") -> bytes:
    lines = [item if isinstance(item, str) else json.dumps(item) for item in entries]
    return (end.join(lines) + end).encode("utf-8", "surrogatepass")
