"""What objects share: names, labels and annotations, each text decoded once."""

import re
from functools import lru_cache

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.model import SelfLink
from netplan_planner.model.project.kubernetes import Labels
from netplan_planner.readers.kubernetes.wire import WireMetadata, WireObject
from netplan_planner.readers.links import CACHED_LINKS, Problems, Unusable

DEFAULT_NAMESPACE = "default"
"""Where an object goes whose manifest names no namespace."""

_LONGEST_VALUE = 65_536
"""Characters of an annotation that is kept; longer ones are no settings."""
_TEXTS = dict[str, str | None] | None


@lru_cache(CACHED_LINKS)
def _decoded(raw: bytes) -> tuple[Labels, str]:
    try:
        found = decode_json(raw, _TEXTS) or {}
    except msgspec.DecodeError as exc:
        return (), str(exc)
    return tuple(sorted((k, v) for k, v in found.items() if v is not None)), ""


def texts(raw: msgspec.Raw, field: str, problems: Problems) -> Labels:
    """Return a mapping of texts, sorted by key; what is none is noted and empty."""
    data = bytes(raw)
    if data == b"null":
        return ()
    found, bad = _decoded(data)
    if bad:
        problems.append((field, bad))
    return found


def chosen(raw: msgspec.Raw, prefixes: tuple[str, ...], problems: Problems) -> Labels:
    """Return the annotations whose keys begin with one of the prefixes.

    Annotations differ from object to object (checksums, times) and are looked through first.
    """
    data = bytes(raw)
    if _any_of(prefixes).search(data) is None:
        return ()
    try:
        found = decode_json(data, _TEXTS) or {}
    except msgspec.DecodeError as exc:
        problems.append(("metadata.annotations", str(exc)))
        return ()
    return tuple(
        sorted(
            (key, value)
            for key, value in found.items()
            if value is not None and key.startswith(prefixes) and len(value) <= _LONGEST_VALUE
        )
    )


@lru_cache(64)
def _any_of(prefixes: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(re.escape(prefix.encode()) for prefix in prefixes))


def metadata_of(wire: WireObject) -> WireMetadata:
    """Return the metadata of an object.

    Raises:
        Unusable: If it has no name.
    """
    if wire.metadata is None or not wire.metadata.name:
        raise Unusable("no metadata.name")
    return wire.metadata


@lru_cache(CACHED_LINKS)
def namespace_of(stated: str | None) -> str:
    """Return the namespace of a namespaced object, the same string for the same name."""
    return stated or DEFAULT_NAMESPACE


def object_link(path: str, metadata: WireMetadata, *, is_namespaced: bool) -> SelfLink:
    """Return the path of an object in the Kubernetes API, without its leading slash.

    >>> metadata = WireMetadata(name="web-0", namespace="shop")
    >>> object_link("api/v1/pods", metadata, is_namespaced=True)
    'api/v1/namespaces/shop/pods/web-0'
    """
    group, _, resource = path.rpartition("/")
    place = f"/namespaces/{namespace_of(metadata.namespace)}" if is_namespaced else ""
    return SelfLink(f"{group}{place}/{resource}/{metadata.name}")
