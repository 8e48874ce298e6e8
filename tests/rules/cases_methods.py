"""Methods that were asked for and cannot hold what they say."""

from tests.rules.builders import AGAINST_BASE, WARNING, pair, rows


def item_seconds(item: dict[str, object]) -> float:
    """A second prompt, slower by a few percent that differ from launch to launch."""
    number = hash_of(item)
    return float(str(item["decode_s"])) * (1.05 + 0.004 * number)


def hash_of(item: dict[str, object]) -> int:
    return (3 * int(str(item["order"]))) % 5


METHODS = [
    (
        # One request a launch: there is nothing inside it to model.
        "SPS214",
        WARNING,
        rows(pair(), AGAINST_BASE, method="mixed"),
        rows(
            pair()
            + [
                item | {"prompt": "p2", "decode_s": item_seconds(item)}
                for item in pair()
            ],
            AGAINST_BASE,
            method="mixed",
        ),
    ),
    (
        "SPS213",
        WARNING,
        rows(pair(), AGAINST_BASE, method="percentile"),
        rows(pair(), AGAINST_BASE, method="welch"),
    ),
]
