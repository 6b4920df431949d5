"""The addresses of Terraform's resources: `module.a["x"].google_compute_instance.vm[0]`."""

import re
from functools import lru_cache
from typing import NamedTuple

import msgspec

from netplan_planner.input_files import decode_json

_STEP = re.compile(r'module\.([^.\[\]]+)(?:\[(\d+|"(?:[^"\\]|\\.)*")\])?(?:\.|\Z)')
_RESOURCE = re.compile(r"(?:data\.)?([^.\[\]]+)\.([^.\[\]]+)(?:\[.*\])?\Z", re.DOTALL)

_LONGEST_COUNT = 9
"""Digits of a `count`; Terraform itself could not plan more resources."""

Key = int | str | None
"""Of one instance of a resource or module: by `count`, by `for_each`, or the only one."""


class Module(NamedTuple):
    """Where a resource stands: names of the modules from the root on, and the key of each."""

    path: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()


def key_text(key: Key) -> str:
    r"""Return the key of an instance as addresses spell it.

    >>> key_text(None), key_text(0), key_text('a"b')
    ('', '[0]', '["a\\"b"]')
    """
    if key is None:
        return ""
    return f"[{key}]" if isinstance(key, int) else f"[{msgspec.json.encode(key).decode()}]"


@lru_cache(4096)
def module_of(address: str) -> Module:
    """Return the module of an address.

    >>> module_of('module.net["a.b"].module.vm[2]')
    Module(path=('net', 'vm'), keys=('a.b', 2))
    >>> module_of("")
    Module(path=(), keys=())
    """
    path: list[str] = []
    keys: list[Key] = []
    for name, key in _STEP.findall(address):
        path.append(name)
        keys.append(key_of(key))
    return Module(tuple(path), tuple(keys))


def key_of(text: str) -> Key:
    """Return the key that stands between the brackets of an address.

    >>> key_of("7"), key_of('"a"'), key_of("")
    (7, 'a', None)
    """
    if not text:
        return None
    if text.isdigit() and len(text) <= _LONGEST_COUNT:
        return int(text)
    try:
        return str(decode_json(text))
    except msgspec.MsgspecError:
        return text.strip('"')


def resource_of(address: str) -> tuple[tuple[str, ...], str, str] | None:
    """Return modules, type and name of an address, less all keys; None when it is none.

    >>> resource_of('module.a["x.y"].google_compute_instance.vm[0]')
    (('a',), 'google_compute_instance', 'vm')
    """
    end = 0
    for step in _STEP.finditer(address):
        if step.start() != end:
            break
        end = step.end()
    match = _RESOURCE.fullmatch(address, end)
    return (module_of(address[:end]).path, match[1], match[2]) if match else None
