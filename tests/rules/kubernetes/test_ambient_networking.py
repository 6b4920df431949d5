"""Near endpoints and GKE's ambient networking, which does not support `trafficDistribution`."""

import pytest

from support.rules.hits import judged_case

RULE = "service-without-topology"


@pytest.mark.parametrize(("case", "is_warned"), [("bad", True), ("bad-istio", False)])
def test_the_advice_warns_of_it_only_where_no_namespace_was_read(
    case: str, is_warned: bool
) -> None:
    (finding,) = judged_case(RULE, case).findings
    assert finding.fix is not None
    said = str(finding.fix.caution)
    assert ("GKE ambient networking does not support the field" in said) is is_warned
    assert "not when its endpoints are overloaded." in said
