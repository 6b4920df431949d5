"""From addresses to owners and path classes: pure functions of an inventory and a record."""

from netplan_planner.paths.addresses import address_text, is_public, parse_address
from netplan_planner.paths.book import AddressBook
from netplan_planner.paths.ends import (
    AddressKind,
    FlowEnd,
    Ownership,
    Path,
    RecordedEnd,
    classify,
    foreign_owner,
    gateway_end,
    internet_end,
    service_end,
    unknown_end,
)

__all__ = [
    "AddressBook",
    "AddressKind",
    "FlowEnd",
    "Ownership",
    "Path",
    "RecordedEnd",
    "address_text",
    "classify",
    "foreign_owner",
    "gateway_end",
    "internet_end",
    "is_public",
    "parse_address",
    "service_end",
    "unknown_end",
]
