"""netplan.toml with the settings that people use: each with what it does and its default."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, get_type_hints

from netplan_planner.asks import CHOICE, Ask, Request, ask_of, parameter_of
from netplan_planner.model import Severity
from netplan_planner.model.finding import Level
from netplan_planner.planning import inputs, project

Given = Mapping[str, tuple[str, ...]]
"""Values of settings by name."""


class Settings(Request, frozen=True, kw_only=True):
    """What of an audit is set in a file, with the defaults of `netplan audit`."""

    PANEL: ClassVar[str] = CHOICE

    given: project.Input = project.Input()
    metrics: project.MetricsInput = project.MetricsInput()
    measurements: project.Measurements = ()
    calibration: inputs.Calibration = None
    pricing: inputs.PriceInput = inputs.PriceInput()
    currency: inputs.CurrencyCode = None
    severity: project.LeastSeverity = Severity.INFO
    min_saving_usd: project.LeastSaving = None
    fail_on: project.FailOn = Level.HIGH
    baseline: project.AcceptedFindings = None


_EXAMPLES: Mapping[str, Any] = {
    "project": ["my-project"],
    "inventory": ["inventory"],
    "traffic": ["flow-logs"],
    "bundle": "netplan.tar.zst",
    "metrics": ["metrics"],
    "measurements": ["measurements.jsonl"],
    "calibration": "calibration.json",
    "discount": ["Networking=10"],
    "billing-export": ["billing.parquet"],
    "max-price-age": "90d",
    "currency": "EUR",
    "severity": "low",
    "min-saving": 10,
    "fail-on": "medium",
    "baseline": "netplan-baseline.json",
}
"""A value of each setting that is not found, in the order of the file."""
_SHARED = ("project", "inventory", "traffic", "bundle", "metrics")
_OTHERS = ("graph", "whatif")
"""Verbs that take the inputs of `audit`; a graph needs no metrics."""
_LISTS = frozenset(name for name, value in _EXAMPLES.items() if isinstance(value, list))
_HEAD = """\
# Settings of netplan. Lines with # are not in use; remove it to set them.
# An option of the command line goes before this file. Paths start at the current folder.
# Every setting and its value: netplan config show
"""
_TAIL = """
# What a finding must be worth for a severity: netplan rules lists all thresholds.
# [severity]
# high_usd_per_month = 500

# Thresholds of a rule, by its name.
# [rules.chatty-inter-zone-pair]
# min_usd_per_month = 100

# Egress that VMs need. A pattern names them.
# [targets]
# "zones/us-central1-a/instances/web-*" = "10 Gbps"

# Buffers and congestion control of VMs, which no API says.
# [tcp]
# "db-*" = { receive_buffer_bytes = 67108864, send_buffer_bytes = 67108864 }
"""


def text_of(given: Given, also: Given) -> str:
    """Return the file.

    Args:
        given: What is set.
        also: What was found and is not set: it is the example of its setting.
    """
    lines = [_HEAD, "[audit]"]
    asks = dict(_asks(Settings))
    for name, example in _EXAMPLES.items():
        ask, default = asks[name]
        lines.append(f"# {_said(ask)} Default: {_default(default)}.")
        lines.append(_line(name, given) or f"# {_line(name, also) or _assigned(name, example)}")
    for verb in _OTHERS:
        own = [_line(name, given) for name in _SHARED if (verb, name) != ("graph", "metrics")]
        if any(own):
            lines += [f"\n[{verb}]", *filter(None, own)]
    return "\n".join(lines) + "\n" + _TAIL


def _asks(kind: type[Request]) -> Iterator[tuple[str, tuple[Ask, Any]]]:
    """Yield the fields of a request and of its parts by their names in the file."""
    for name, annotation in get_type_hints(kind, include_extras=True).items():
        ask, default = ask_of(annotation), getattr(kind(), name, None)
        if ask is not None:
            yield parameter_of(name, ask).replace("_", "-"), (ask, default)
        elif isinstance(default, Request):
            yield from _asks(type(default))


def _said(ask: Ask) -> str:
    """Return what a setting does, in one sentence."""
    text = ask.short or re.split(r"(?<=\w\w)[.:;] |[.;]$| \(|; ", ask.help)[0]
    return text.rstrip(".") + "."


def _default(value: Any) -> str:
    return "none" if value in ((), None) else str(value)


def _line(name: str, given: Given) -> str:
    """Return a setting as it is given; empty: it is not."""
    values = given.get(name)
    if not values:
        return ""
    return _assigned(name, list(values) if name in _LISTS else values[0])


def _assigned(name: str, value: Any) -> str:
    # What JSON escapes TOML does too, and names hold no control characters.
    return f"{name} = {json.dumps(value, ensure_ascii=False)}"
