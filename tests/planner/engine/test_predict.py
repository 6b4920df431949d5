"""What is said of one path, put together: what contradicts itself, and what is assumed."""

from datetime import date

import pytest

from netplan_planner.engine.asked_path import PathQuestion
from netplan_planner.engine.asked_pods import PodWords
from netplan_planner.engine.asked_service import ServiceWords
from netplan_planner.engine.predict import PredictRequest, predict_asked
from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import UsageError
from netplan_planner.model import PathClass, PluginTable, Prediction

INPUTS = AuditRequest(today=date(2026, 11, 22))
TYPE = "n2-standard-8"


def asked(request: PredictRequest) -> Prediction | PluginTable:
    return predict_asked(request, lambda _: None)


def one(request: PredictRequest) -> Prediction:
    found = asked(request)
    assert isinstance(found, Prediction)
    return found


@pytest.mark.parametrize(
    ("path", "pods", "expected"),
    [
        (PathQuestion(), PodWords(), PathClass.SAME_ZONE_INTERNAL),
        (PathQuestion(is_external=True), PodWords(), PathClass.SAME_ZONE_EXTERNAL),
        (PathQuestion(), PodWords(encapsulation="vxlan"), PathClass.SAME_ZONE_INTERNAL_POD),
    ],
)
def test_two_types_stand_in_one_zone_and_that_is_said(
    path: PathQuestion, pods: PodWords, expected: PathClass
) -> None:
    found = one(PredictRequest(src=TYPE, path=path, pods=pods, inputs=INPUTS))
    assert found.query.path_class is expected
    assert "one zone and internal addresses are taken" in found.notes[-1]


def test_nothing_is_taken_for_granted_of_a_class_that_was_named() -> None:
    path = PathQuestion(path_class=PathClass.INTER_ZONE_INTERNAL)
    found = one(PredictRequest(src=TYPE, path=path, inputs=INPUTS))
    assert found.query.path_class is PathClass.INTER_ZONE_INTERNAL
    assert not any("are taken" in note for note in found.notes)


def test_several_plugins_stand_behind_the_nodes_own_path() -> None:
    pods = PodWords(plugins=("cilium,calico@1",))
    found = asked(PredictRequest(src=TYPE, path=PathQuestion(), pods=pods, inputs=INPUTS))
    assert isinstance(found, PluginTable)
    assert [row.plugin for row in found.rows] == [None, "cilium", "calico"]
    assert [row.other_link_gbps for row in found.rows] == [None, None, 1.0]
    classes = [row.prediction.query.path_class for row in found.rows]
    pod = PathClass.SAME_ZONE_INTERNAL_POD
    assert classes == [PathClass.SAME_ZONE_INTERNAL, pod, pod]


def test_only_a_transfer_opens_the_prices() -> None:
    plain = PathQuestion(path_class=PathClass.SAME_ZONE_INTERNAL)
    bad = AuditRequest(today=INPUTS.today, discounts=("no such thing",))
    one(PredictRequest(src=TYPE, path=plain, inputs=bad))
    sent = PathQuestion(path_class=PathClass.SAME_ZONE_INTERNAL, transfer_bytes=10**9)
    with pytest.raises(UsageError, match="no such thing"):
        one(PredictRequest(src=TYPE, path=sent, inputs=bad))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (PredictRequest(src=TYPE, path=PathQuestion(src_type=TYPE), inputs=INPUTS), "both ends"),
        (
            PredictRequest(
                src="a",
                dst="b",
                path=PathQuestion(src_place="us-central1"),
                inputs=AuditRequest(today=INPUTS.today, demo="gecko"),
            ),
            "places of their own",
        ),
        (
            PredictRequest(
                src=TYPE, path=PathQuestion(duration_s=5.0, transfer_bytes=9), inputs=INPUTS
            ),
            "exclude each other",
        ),
        (PredictRequest(src=TYPE, path=PathQuestion(omit_s=1.0), inputs=INPUTS), "give both"),
        (
            PredictRequest(
                src=TYPE,
                path=PathQuestion(),
                service=ServiceWords(bytes_per_transaction=9),
                inputs=INPUTS,
            ),
            "belong together",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(request_: PredictRequest, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        asked(request_)
