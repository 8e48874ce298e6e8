import json

import pytest

from specstats.diagnostics import RULES, Finding, Findings, Level, finding


def made(
    code: str = "SPS101",
    subject: tuple[str, ...] = (),
    *,
    metric: str | None = None,
    level: Level | None = None,
) -> Finding:
    return finding(code, "something", subject=subject, metric=metric, level=level)


def test_a_finding_takes_the_level_of_its_rule() -> None:
    assert made("SPS101").level is Level.ERROR
    assert made("SPS107").level is Level.WARNING
    assert made("SPS115").level is Level.NOTE


def test_a_check_may_set_another_level() -> None:
    item = made("SPS101", level=Level.WARNING)
    assert not item.is_error
    assert item.rule.level is Level.ERROR


def test_a_finding_needs_a_rule_of_the_catalogue() -> None:
    with pytest.raises(KeyError, match="SPS999"):
        finding("SPS999", "something")


def test_a_finding_on_the_whole_study_bears_on_every_claim() -> None:
    assert made().concerns(["base", "spec"])
    assert made().concerns([])


def test_a_finding_bears_on_claims_about_all_its_arms() -> None:
    one, pair = made(subject=("base",)), made(subject=("base", "spec"))
    assert one.concerns(["base", "spec"])
    assert pair.concerns(["spec", "base"])
    assert not pair.concerns(["base", "other"])
    assert not one.concerns(["spec"])


def test_a_finding_on_one_metric_leaves_others_alone() -> None:
    item = made(metric="ttft")
    assert item.concerns(["base"], "ttft")
    assert not item.concerns(["base"], "decode_rate")
    assert item.concerns(["base"])


def test_to_dict_is_json_safe_and_says_null() -> None:
    item = finding("SPS104", "order", where=("a.json:1",), observed="R^2 1.00")
    assert json.loads(json.dumps(item.to_dict())) == {
        "code": "SPS104",
        "slug": "arms-not-interleaved",
        "level": "warning",
        "message": "order",
        "where": ["a.json:1"],
        "observed": "R^2 1.00",
        "required": None,
        "remedy": None,
    }


def test_findings_keep_order_and_drop_copies() -> None:
    first, second = made("SPS201"), made("SPS101")
    found = Findings([first, second, made("SPS201")])
    assert list(found) == [first, second]
    assert found.codes == ("SPS201", "SPS101")
    assert found + Findings([second]) == found
    assert found[0] is first
    assert found[1:] == Findings([second])


def test_findings_compare_by_content() -> None:
    assert Findings([made()]) == Findings([made()])
    assert Findings([made()]) != Findings()
    assert Findings([made()]) != [made()]
    assert len({Findings([made()]), Findings([made()])}) == 1
    assert repr(Findings([made()])) == "Findings(SPS101)"


def test_errors_and_codes_are_picked_out() -> None:
    found = Findings([made("SPS107"), made("SPS101"), made("SPS101", ("base",))])
    assert found.errors.codes == ("SPS101",)
    assert len(found.of("SPS101")) == 2
    assert not found.of("SPS208")


def test_about_keeps_what_bears_on_a_claim() -> None:
    study, pair = made("SPS115"), made("SPS101", ("base", "spec"))
    other = made("SPS101", ("base", "other"))
    ttft = made("SPS208", ("base", "spec"), metric="ttft")
    found = Findings([study, pair, other, ttft])
    assert list(found.about(("base", "spec"), "decode_rate")) == [study, pair]
    assert list(found.about(("base", "spec"))) == [study, pair, ttft]


def test_allowed_errors_become_warnings_that_say_so() -> None:
    found = Findings([made("SPS101"), made("SPS102"), made("SPS107")])
    allowed = found.allowed(["SPS101", "SPS107"])
    assert [item.level.value for item in allowed] == ["warning", "error", "warning"]
    assert allowed[0].message == "allowed by user: something"
    assert allowed[2].message == "something"
    assert found[0].is_error


def test_every_rule_can_be_found() -> None:
    found = Findings(finding(code, "x") for code in RULES)
    assert found.codes == tuple(RULES)
