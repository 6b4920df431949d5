"""What a file is that holds no Compute resources, so that the user knows which option wants it."""

import re
from collections.abc import Mapping
from types import NoneType
from typing import Any, NamedTuple

_ELSEWHERE = "not read by `--inventory` in this version"
_NEEDLESS = "not needed by the audit"
FLOW_LOGS = "VPC Flow Logs records: give them to `--traffic`"
_SHOW_PLAN = "run `terraform show -json PLANFILE > plan.json` and give that file"
_FAILED = "an API error: the request for this file failed"
_LISTS = frozenset({"assets", "hubs", "spokes", "vpcFlowLogsConfigs"})
"""Members by which answers are known that are not recognised by what their lists hold."""
_LONGEST_KEY = 40
_MOST_KEYS = 6


class _Shape(NamedTuple):
    keys: frozenset[str]
    what: str


def _shape(keys: str, what: str) -> _Shape:
    return _Shape(frozenset(keys.split()), what)


_SHAPES = (
    _shape("@level @message", f"the log of a Terraform run, not a plan: {_SHOW_PLAN}"),
    _shape("logName jsonPayload", FLOW_LOGS),
    _shape("logName", "Cloud Logging entries, but no VPC Flow Logs"),
    _shape("src_ip dest_ip", FLOW_LOGS),
    _shape("connection bytes_sent", FLOW_LOGS),
    _shape("validNodeVersions", f"GKE versions of a location: {_ELSEWHERE}"),
    _shape("timeSeriesData", f"Cloud Monitoring series: {_ELSEWHERE}"),
    _shape("timeSeries", f"Cloud Monitoring series: {_ELSEWHERE}"),
    _shape("metric resource points", f"Cloud Monitoring series: {_ELSEWHERE}"),
    _shape("billingAccounts", f"Cloud Billing accounts: {_ELSEWHERE}"),
    _shape("billingAccountName", f"Cloud Billing settings of a project: {_ELSEWHERE}"),
    _shape("skus", "Cloud Billing prices: not an inventory"),
    _shape("skuId category", "Cloud Billing prices: not an inventory"),
    _shape("insights", f"Recommender insights: {_ELSEWHERE}"),
    _shape("recommendations", f"Recommender recommendations: {_ELSEWHERE}"),
    _shape("reachabilityDetails", f"a Connectivity Test: {_ELSEWHERE}"),
    _shape("firewalls firewallPolicys", f"effective firewall rules: {_NEEDLESS}"),
    _shape("start intervals end", f"an iperf3 measurement: {_ELSEWHERE}"),
    _shape("result", f"status of a router or gateway: {_NEEDLESS}"),
    _shape("instance status", "members of an instance group that the file does not name"),
    _shape("schema findings coverage", "a netplan report: not an inventory"),
    _shape("error", _FAILED),
)
"""The first that fits is named."""

_ZIP, _PLAN_IN_ZIP = b"PK\x03\x04", b"tfplan"
_TERRAFORM_TEXT = re.compile(
    r'^\s*(?:resource|module|data|provider)\s+"|^\s*terraform\s*\{|Terraform will perform',
    re.MULTILINE,
)
"""A configuration, or what `terraform plan` and `terraform show` print."""
_STARTS = (
    (_ZIP, f"a zip archive: {_ELSEWHERE}; unpack it"),
    (b"\x28\xb5\x2f\xfd", f"a zstd file: {_ELSEWHERE}; unpack it"),
    (b"SQLite format 3", "a database: not an inventory"),
)


def describe(value: object) -> str:
    """Return what a JSON document is that holds no Compute resources, in one phrase."""
    if isinstance(value, list):
        if not value:
            return "an empty list"
        shapes = {describe(item) if isinstance(item, dict) else "" for item in value[:_MOST_KEYS]}
        known = sorted(shape for shape in shapes if shape and not shape.startswith("JSON"))
        return known[0] if known else "JSON, a list without Compute resources"
    if not isinstance(value, dict):
        return "JSON, but not an object"
    if isinstance(value.get("kind"), str) and value["kind"].startswith("compute#"):
        return f"{value['kind'][:_LONGEST_KEY]}: {_NEEDLESS}"
    for shape in _SHAPES:
        if shape.keys <= value.keys():
            return shape.what
    return f"JSON, but not a Compute resource: its keys are {_keys(value)}"


def broken_answer(value: object) -> str:
    """Return what is wrong with an answer of an API that is none; empty where that is not so.

    >>> broken_answer({"assets": 5}), broken_answer({"assets": []})
    ('assets: not a list', '')
    """
    pages = value if isinstance(value, list) else [value]
    found = {_broken_page(page) for page in pages}
    return found.pop() if len(found) == 1 else ""


def _broken_page(value: object) -> str:
    if not isinstance(value, dict):
        return ""
    is_failure = value.get("kind") == "Status" and value.get("status") == "Failure"
    if is_failure or isinstance(value.get("error"), dict):
        return _FAILED
    wrong = [key for key in _LISTS & value.keys() if not isinstance(value[key], list | NoneType)]
    return f"{wrong[0]}: not a list" if wrong else ""


def _keys(value: Mapping[str, Any]) -> str:
    keys = sorted(str(key)[:_LONGEST_KEY] for key in value)
    more = len(keys) - _MOST_KEYS
    text = ", ".join(keys[:_MOST_KEYS]) or "none"
    return f"{text} and {more} more" if more > 0 else text


def describe_bytes(head: bytes) -> str | None:
    """Return what a file is by its first bytes, None when it may hold JSON."""
    if head.startswith(_ZIP) and _PLAN_IN_ZIP in head:
        return f"a plan as `terraform plan -out` saves it: {_SHOW_PLAN}"
    for start, what in _STARTS:
        if head.startswith(start):
            return what
    is_utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\x00" in head and not is_utf16:
        return "binary data: not an inventory"
    return None


def describe_text(head: str) -> str:
    """Return what a text file is that does not begin like JSON."""
    if head.lstrip().startswith("<"):
        return "XML: not an inventory"
    first = head.lstrip().partition("\n")[0]
    if first.startswith("---") or first.rstrip().endswith(":"):
        return "text, perhaps YAML: ask gcloud for `--format=json`"
    if _TERRAFORM_TEXT.search(head):
        return f"Terraform's text: {_SHOW_PLAN}"
    return "text, not JSON: not an inventory"


def is_needless(what: str) -> bool:
    """Whether nothing is lost by leaving out what was so described."""
    return what.endswith(_NEEDLESS)


def is_flow_record(value: object) -> bool:
    """Whether a JSON object is one flow record, so that the rest of its file need not be read."""
    return isinstance(value, dict) and describe(value) == FLOW_LOGS
