"""Which records a filter of VPC Flow Logs keeps: the part of CEL that its page documents."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network
from typing import Any

_TOKEN = re.compile(
    r'(?P<text>"[^"]*"|\'[^\']*\')|(?P<word>\btrue\b|\bfalse\b|\bhas\b|\binIpRange\b)'
    r"|(?P<field>[a-z_]+(?:\.[a-z_]+)*)|(?P<sign>&&|\|\||==|!=|!)"
)
_SIGNS = {"&&": " and ", "||": " or ", "!": " not ", "true": "True", "false": "False"}


def keeps(expression: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return the test of a record's payload that an expression is."""
    # Only what the pattern knows is in the source, which Python then reads.
    assert not re.sub(r"[\s(),]", "", _TOKEN.sub("", expression)), expression
    source = compile(_TOKEN.sub(_translated, expression).strip(), "filter", "eval")

    def test(payload: Mapping[str, Any]) -> bool:
        names = {"has": lambda name: name is not None, "inIpRange": _in_range}
        return bool(eval(source, names, {"field": lambda path: _field(payload, path)}))

    return test


def _translated(found: re.Match[str]) -> str:
    if found["field"]:
        return f'field("{found["field"]}")'
    return _SIGNS.get(found[0], found[0])


def _field(payload: Mapping[str, Any], path: str) -> Any:
    value: Any = payload
    for part in path.split("."):
        value = value.get(part) if value is not None else None
    return value


@lru_cache(maxsize=100_000)
def _in_range(address: str, block: str) -> bool:
    return IPv4Address(address) in IPv4Network(block)
