"""Words that users choose from are those that the model knows, and one for all of them."""

import pytest

from netplan_planner.choices import Paid, Use
from netplan_planner.model import AddressUse, Severity
from netplan_planner.model.finding import Level


def test_they_are_those_of_the_model() -> None:
    assert [one.value for one in Use.ALL.each] == [one.value for one in AddressUse]
    assert Use.SPOT_VM.each == (Use.SPOT_VM,)
    assert Paid.ALL not in Paid.ALL.each
    assert [one.value for one in Level if one is not Level.NEVER] == [one.value for one in Severity]


@pytest.mark.parametrize(
    ("level", "held"),
    [("high", "h"), ("medium", "hm"), ("low", "hml"), ("info", "hmli"), ("never", "")],
)
def test_a_level_holds_what_is_as_grave_or_graver(level: str, held: str) -> None:
    assert "".join(one.value[0] for one in Severity if Level(level).holds(one)) == held
