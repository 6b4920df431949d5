"""Whether the APIs beside Compute's answer for a project: one small request to each.

Metrics, live flow logs and organisations are read from them, each only where it is wanted.
"""

import os
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from netplan_planner.errors import AccessError
from netplan_planner.google import assets, monitoring
from netplan_planner.google.compute_methods import ASSETS_ID, ENTRIES_ID, SERIES_ID
from netplan_planner.google.logs.asking import entries_request
from netplan_planner.google.logs.options import SCOPE as LOGS_SCOPE
from netplan_planner.google.logs.options import LogOptions, known_logging_endpoint
from netplan_planner.google.metrics_window import window_until
from netplan_planner.google.monitoring_lists import Asked
from netplan_planner.google.options import ApiOptions, Endpoint
from netplan_planner.google.paging import Page, page_of
from netplan_planner.google.refusals import Refusal, Request
from netplan_planner.google.transport import Transport
from netplan_planner.model import Metric, ProjectId

_MINUTE = timedelta(minutes=1)
_FEW = "1"


class ApiState(StrEnum):
    """What became of a request."""

    ANSWERS = "answers"
    IS_OFF = "is off"
    REFUSES = "refuses"
    NOT_KNOWN = "not known"


class OtherApi(NamedTuple):
    """An API of a project, and what it said."""

    project: str
    method: str
    state: ApiState
    told: str
    """Why it does not answer; empty where it does."""


def other_apis(projects: Sequence[str], options: ApiOptions) -> tuple[OtherApi, ...]:
    """Return what Cloud Monitoring, Cloud Logging and Cloud Asset Inventory say of projects.

    Raises:
        UsageError: If an endpoint cannot be used.
    """
    end = datetime.now(UTC).replace(second=0, microsecond=0)
    window = window_until(end, _MINUTE / timedelta(days=1))
    series = Asked(Metric.VM_SENT_BYTES.value, "ALIGN_DELTA", 1)
    found = [
        _all_of(
            SERIES_ID,
            monitoring.monitoring_endpoint(options),
            monitoring.SCOPE,
            options,
            {one: monitoring.series_request(one, series, window) for one in projects},
        ),
        _all_of(
            ENTRIES_ID,
            known_logging_endpoint(LogOptions(), options, os.environ),
            LOGS_SCOPE,
            options,
            {one: entries_request(ProjectId(one), end - _MINUTE, end) for one in projects},
        ),
        _all_of(
            ASSETS_ID,
            assets.assets_endpoint(options),
            assets.SCOPE,
            options,
            {one: assets.assets_request(f"projects/{one}", {"pageSize": _FEW}) for one in projects},
        ),
    ]
    return tuple(one for several in found for one in several)


def _all_of(
    method: str,
    endpoint: Endpoint | None,
    scope: str,
    options: ApiOptions,
    requests: dict[str, Request],
) -> list[OtherApi]:
    if endpoint is None:
        why = "the Compute API's endpoint is replaced, and this one's is not"
        return [OtherApi(one, method, ApiState.NOT_KNOWN, why) for one in requests]
    try:
        with closing(Transport(endpoint, options, scopes=(scope,))) as transport:
            return [_one(transport, one, request) for one, request in requests.items()]
    except AccessError as exc:
        return [OtherApi(one, method, ApiState.NOT_KNOWN, str(exc)) for one in requests]


def _one(transport: Transport, project: str, request: Request) -> OtherApi:
    try:
        transport.get(request, lambda body: page_of(body, Page))
    except Refusal as exc:
        told = str(exc)
        if told == request.disabled:
            state = ApiState.IS_OFF
        elif "refused (403)" in told:
            state = ApiState.REFUSES
        elif told == request.missing and request.method == SERIES_ID:
            # A metric that no machine has written yet.
            return OtherApi(project, request.method, ApiState.ANSWERS, "")
        else:
            state = ApiState.NOT_KNOWN
        return OtherApi(project, request.method, state, told)
    return OtherApi(project, request.method, ApiState.ANSWERS, "")
