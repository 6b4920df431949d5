"""Files of the catalogue: what the API answered, kept as JSON, with or without gzip.

A file holds a page (`{"skus": […], "nextPageToken": …}`), a list of pages, a list of SKUs, or one
of these on each line.
"""

import codecs
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError
from netplan_planner.input_files import decode_json, reading, unpacked, unreadable
from netplan_pricing.catalogue.sku import COMPUTE_ENGINE, CURRENCY, NETWORKING, SERVICE_NAMES, Sku

_SHOWN = 5
_LONGEST = 200


class Page(msgspec.Struct, frozen=True, rename="camel"):
    """One answer of `services.skus.list`."""

    skus: tuple[Sku, ...] = ()
    next_page_token: str = ""


class Dump(msgspec.Struct, frozen=True, kw_only=True):
    """The SKUs of files, in the order read."""

    skus: tuple[Sku, ...]
    origins: tuple[tuple[str, int], ...]
    """Every file and how many SKUs it held."""
    unfinished: tuple[str, ...]
    """Files that hold the last page of a service, though it names a next one."""

    def where(self, place: int) -> str:
        """Return where the SKU at `place` was read."""
        for name, count in self.origins:
            if place < count:
                return f"{name}: /skus/{place}"
            place -= count
        raise IndexError(place)


def read_dump(paths: Iterable[Path]) -> Dump:
    """Return the SKUs of files.

    Raises:
        InputError: If one cannot be read, is cut, or holds something else; the text says where.
    """
    skus: list[Sku] = []
    origins: list[tuple[str, int]] = []
    unfinished: dict[str, str] = {}
    for path in paths:
        with reading(path):
            pages = _pages(path)
        origins.append((str(path), sum(len(page.skus) for page in pages)))
        for page in pages:
            skus += page.skus
            # The pages of one answer may be files of their own: the last one of a service counts.
            service = page.skus[-1].service_id if page.skus else ""
            if page.next_page_token:
                unfinished[service] = str(path)
            else:
                unfinished.pop(service, None)
    return Dump(
        skus=tuple(skus),
        origins=tuple(origins),
        unfinished=tuple(dict.fromkeys(unfinished.values())),
    )


def _pages(path: Path) -> Sequence[Page]:
    content = _content(path)
    first = content.lstrip()[:1]
    try:
        if first == b"[":
            return _of_list(content)
        if first != b"{":
            raise InputError(f"{path}: not JSON, or empty")
        try:
            return [_page_or_sku(content)]
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            if content.strip().count(b"\n") == 0:
                raise
            return [_page_or_sku(line) for line in content.splitlines() if line.strip()]
    except msgspec.ValidationError as exc:
        raise InputError(f"{path}: not a catalog answer: {exc}") from exc
    except msgspec.DecodeError as exc:
        raise InputError(
            f"{path}: incomplete or not JSON ({len(content):,} bytes): {exc}; fetch it again"
        ) from exc


def _content(path: Path) -> bytes:
    try:
        return unpacked(path).removeprefix(codecs.BOM_UTF8)
    except OSError as exc:
        raise unreadable(path, exc) from exc
    except (EOFError, zlib.error) as exc:
        raise InputError(f"{path}: the compressed file is incomplete or damaged: {exc}") from exc


class _Refusal(msgspec.Struct):
    code: int = 0
    message: str = ""


class _Shape(msgspec.Struct, rename="camel"):
    """What tells a page, a SKU and a refusal apart."""

    skus: msgspec.Raw = msgspec.Raw()
    next_page_token: str | None = None
    error: _Refusal | None = None


def _is_page(content: bytes | msgspec.Raw) -> bool:
    shape = decode_json(content, _Shape)
    if shape.error is not None:
        raise msgspec.ValidationError(
            f"the API's refusal ({shape.error.code} {shape.error.message[:_LONGEST]})"
        )
    return bool(shape.skus) or shape.next_page_token is not None


def _page_or_sku(content: bytes | msgspec.Raw) -> Page:
    if _is_page(content):
        return decode_json(content, Page)
    return Page((decode_json(content, Sku),))


def _of_list(content: bytes) -> Sequence[Page]:
    entries = decode_json(content, list[msgspec.Raw])
    if entries and _is_page(entries[0]):
        return decode_json(content, list[Page])
    return [Page(decode_json(content, tuple[Sku, ...]))]


def require_complete(dump: Dump) -> None:
    """Refuse what no snapshot can be made from.

    Raises:
        InputError: If the last page of a file is not the last one of the answer, a service is
            missing or foreign, a SKU id comes twice, or a price is not in US dollars.
    """
    if dump.unfinished:
        raise InputError(
            f"{', '.join(dump.unfinished)}: the last page names a next one, so the answer is"
            " incomplete. Fetch the rest, or run `netplan prices refresh`"
        )
    _require_services(dump)
    _require_once(dump)
    _require_currency(dump)


def _require_services(dump: Dump) -> None:
    found = {sku.service_id or sku.category.service_display_name for sku in dump.skus}
    foreign = sorted(found - set(SERVICE_NAMES))
    if foreign:
        place = next(n for n, sku in enumerate(dump.skus) if sku.service_id not in SERVICE_NAMES)
        raise InputError(
            f"{dump.where(place)}: a SKU of another service ({', '.join(foreign[:_SHOWN])}); only"
            f" {_known_services()} are supported"
        )
    for service in (COMPUTE_ENGINE, NETWORKING):
        if service not in found:
            name = SERVICE_NAMES[service]
            raise InputError(
                f"no SKU of {name} (services/{service}) in {_names(dump)}; both {_known_services()}"
                " are needed"
            )


def _known_services() -> str:
    return " and ".join(f"{name} ({key})" for key, name in SERVICE_NAMES.items())


def _names(dump: Dump) -> str:
    return ", ".join(name for name, _ in dump.origins) or "no file"


def _require_once(dump: Dump) -> None:
    places: dict[str, int] = {}
    twice = [
        (places[sku.sku_id], place)
        for place, sku in enumerate(dump.skus)
        if places.setdefault(sku.sku_id, place) != place
    ]
    if twice:
        first, again = twice[0]
        raise InputError(
            f"{len(twice)} SKU IDs are repeated, first {dump.skus[first].sku_id!r}"
            f" ({dump.where(first)} and {dump.where(again)}): a page or file was read twice"
        )


def _require_currency(dump: Dump) -> None:
    for place, sku in enumerate(dump.skus):
        foreign = sorted(sku.currencies - {CURRENCY})
        if foreign:
            raise InputError(
                f"{dump.where(place)}: {sku.sku_id}: a price in {foreign[0] or 'no currency'}, not"
                f" {CURRENCY}; ask the API with currencyCode={CURRENCY}"
            )
