"""What is said of one path, put together: what contradicts itself, and what is assumed."""

from datetime import date

import pytest

from netplan_planner.errors import UsageError
from netplan_planner.model import PathClass, Prediction
from netplan_planner.planning.path_question import PathQuestion
from netplan_planner.verbs.predict.answer import PluginTable
from netplan_planner.verbs.predict.ask import Ends, OnePath, Pods, Served
from netplan_planner.verbs.predict.run import predict_asked
from netplan_planner.world.request import InputRequest

INPUTS = InputRequest(today=date(2026, 11, 22))
TYPE = "n2-standard-8"
NAMED = Ends(src=TYPE)


def asked(path: OnePath, inputs: InputRequest = INPUTS) -> Prediction | PluginTable:
    return predict_asked(path, inputs, lambda _: None)


def one(path: OnePath, inputs: InputRequest = INPUTS) -> Prediction:
    found = asked(path, inputs)
    assert isinstance(found, Prediction)
    return found


@pytest.mark.parametrize(
    ("path", "pods", "expected"),
    [
        (PathQuestion(), Pods(), PathClass.SAME_ZONE_INTERNAL),
        (PathQuestion(is_external=True), Pods(), PathClass.SAME_ZONE_EXTERNAL),
        (PathQuestion(), Pods(encapsulation="vxlan"), PathClass.SAME_ZONE_INTERNAL_POD),
    ],
)
def test_two_types_stand_in_one_zone(path: PathQuestion, pods: Pods, expected: PathClass) -> None:
    found = one(OnePath(ends=NAMED, question=path, pods=pods))
    assert found.query.path_class is expected
    sort = "external" if path.is_external else "internal"
    assert f"assumed one zone and {sort} addresses" in found.notes[-1]


def test_a_class_that_was_named_is_taken_and_plugins_stand_behind_it() -> None:
    path = PathQuestion(path_class=PathClass.INTER_ZONE_INTERNAL)
    found = one(OnePath(ends=NAMED, question=path))
    assert found.query.path_class is PathClass.INTER_ZONE_INTERNAL
    assert not any("are taken" in note for note in found.notes)
    # Several plugins stand behind the nodes own path.
    pods = Pods(plugins=("cilium,calico@1",))
    told = asked(OnePath(ends=NAMED, pods=pods))
    assert isinstance(told, PluginTable)
    assert [row.plugin for row in told.rows] == [None, "cilium", "calico"]
    assert [row.other_link_gbps for row in told.rows] == [None, None, 1.0]
    classes = [row.prediction.query.path_class for row in told.rows]
    pod = PathClass.SAME_ZONE_INTERNAL_POD
    assert classes == [PathClass.SAME_ZONE_INTERNAL, pod, pod]


def test_only_a_transfer_opens_the_prices() -> None:
    plain = PathQuestion(path_class=PathClass.SAME_ZONE_INTERNAL)
    bad = InputRequest(today=INPUTS.today, discounts=("no such thing",))
    one(OnePath(ends=NAMED, question=plain), bad)
    sent = PathQuestion(path_class=PathClass.SAME_ZONE_INTERNAL, transfer_bytes=10**9)
    with pytest.raises(UsageError, match="no such thing"):
        one(OnePath(ends=NAMED, question=sent), bad)


@pytest.mark.parametrize(
    ("path", "demo", "message"),
    [
        (OnePath(ends=NAMED, question=PathQuestion(src_type=TYPE)), None, "both ends"),
        (
            OnePath(ends=Ends(src="a", dst="b"), question=PathQuestion(src_place="us-central1")),
            "gecko",
            "known places",
        ),
        (
            OnePath(ends=NAMED, question=PathQuestion(duration_s=5.0, transfer_bytes=9)),
            None,
            "exclude each other",
        ),
        (OnePath(ends=NAMED, question=PathQuestion(omit_s=1.0)), None, "give both"),
        (
            OnePath(ends=NAMED, served=Served(bytes_per_transaction=9)),
            None,
            "must be used together",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(path: OnePath, demo: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        asked(path, InputRequest(today=INPUTS.today, demo=demo))
