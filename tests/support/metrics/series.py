"""Time series as Cloud Monitoring writes them, from a few numbers. All of them are made."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

START = datetime(2026, 11, 1, tzinfo=UTC)


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def time_series(
    metric: str,
    values: Sequence[float | bool | None],
    *,
    resource: Mapping[str, str],
    resource_type: str = "gce_instance",
    labels: Mapping[str, str] | None = None,
    kind: str = "DELTA",
    value_type: str = "INT64",
    unit: str = "",
    step_s: int = 60,
    start: datetime = START,
    counter_start: datetime | None = None,
) -> Json:
    """A series with a value for each step from `start` on; None is a gap.

    `counter_start` is the start of a CUMULATIVE counter. Points fall in time, as the API has them.
    """
    points = []
    for number, value in enumerate(values):
        if value is None:
            continue
        end = start + timedelta(seconds=step_s * (number + 1))
        begin = end if kind == "GAUGE" else end - timedelta(seconds=step_s)
        if kind == "CUMULATIVE":
            begin = counter_start or start
        interval = {"startTime": stamp(begin), "endTime": stamp(end)}
        points.append({"interval": interval, "value": typed(value, value_type)})
    return {
        "metric": {"type": metric, "labels": dict(labels or {})},
        "resource": {"type": resource_type, "labels": dict(resource)},
        "metricKind": kind,
        "valueType": value_type,
        **({"unit": unit} if unit else {}),
        "points": points[::-1],
    }


def typed(value: float | bool, value_type: str) -> Json:
    match value_type:
        case "BOOL":
            return {"boolValue": bool(value)}
        case "INT64":
            return {"int64Value": str(int(value))}
        case _:
            return {"doubleValue": float(value)}


def page(*series: Json, token: str = "") -> Json:
    return {"timeSeries": list(series), "unit": ""} | ({"nextPageToken": token} if token else {})


def machine(number: str, zone: str, project: str = "one-project") -> dict[str, str]:
    return {"project_id": project, "zone": zone, "instance_id": number}


def flow(
    direction: str,
    values: Sequence[float | None],
    *,
    resource: Mapping[str, str],
    where: str = "CLOUD",
    project: str = "one-project",
    network: str = "default",
    zone: str = "",
    step_s: int = 60,
    **more: str,
) -> Json:
    """A series of `vm_flow`; labels of peers outside a VPC are as the documentation says."""
    outside = where != "CLOUD"
    external = "REMOTE_IS_EXTERNAL"
    labels = {
        "remote_location_type": where,
        "remote_project_id": external if outside else project,
        "remote_network": external if outside else network,
        "remote_zone": external if outside else zone,
        "remote_continent": "NOT_APPLICABLE",
        "remote_country": "NOT_APPLICABLE",
        **more,
    }
    metric = f"networking.googleapis.com/vm_flow/{direction}_bytes_count"
    return time_series(metric, values, resource=resource, labels=labels, unit="By", step_s=step_s)
