"""A new price snapshot from the live APIs: pages to files, files to a snapshot, swapped in whole.

The pages lie in a folder beside the snapshot until it is there. A refresh that is broken off leaves
them, and the next one goes on with them.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from netplan_planner.errors import InputError, UsageError
from netplan_planner.model import Value
from netplan_planner.readers import ApiOptions
from netplan_planner.readers.api_options import resolve_endpoint, resolve_other_endpoint
from netplan_planner.readers.api_transport import Transport
from netplan_planner.readers.saved_pages import (
    CATALOG_ENDPOINT,
    SavedPages,
    catalog_list,
    catalog_transport,
    machine_type_list,
)
from netplan_pricing import open_snapshot
from netplan_pricing.building.assemble import Built
from netplan_pricing.building.from_files import build_from_files, write_snapshot
from netplan_pricing.catalogue.sku import COMPUTE_ENGINE, NETWORKING
from netplan_pricing.container import FILE_NAME, SnapshotFile

PAGES_FOLDER = ".refresh"
_SERVICES = {COMPUTE_ENGINE: "compute", NETWORKING: "networking"}


class RefreshRequest(Value, frozen=True, kw_only=True):
    """What to fetch, from where, and where the snapshot goes."""

    out: Path
    project: str | None = None
    """Whose machine types are listed; without one those of the snapshot before are kept."""
    api_key: str | None = None
    """For the catalogue; without one the default credentials."""
    currencies: tuple[str, ...] = ()
    """Other currencies than US dollars whose conversion rates are kept."""
    price_tables: tuple[Path, ...] = ()
    base: Path | None = None
    """The snapshot that is taken over from; by default the one in `out`, else the embedded one."""
    most_unrecognised_ratio: float = 0.01
    api: ApiOptions = ApiOptions()


class Refreshed(Value, frozen=True, kw_only=True):
    """What came of it."""

    built: Built
    file: SnapshotFile
    base: SnapshotFile


def refresh(
    request: RefreshRequest,
    told: Callable[[str], None] = lambda _: None,
    environment: Mapping[str, str] | None = None,
) -> Refreshed:
    """Fetch catalogue and machine types, build a snapshot and swap it in.

    The snapshot in `request.out` stays as it is unless all is well.

    Raises:
        AccessError: If an API refuses, or is silent.
        InputError: If what it answers makes no snapshot.
        UsageError: If a currency is no code of three letters.
    """
    _require_codes(request.currencies)
    base = _base(request)
    variables = os.environ if environment is None else environment
    asked = "|".join(
        (
            request.api.endpoint or "",
            request.project or "",
            ",".join(request.currencies),
        )
    )
    pages = SavedPages(request.out / PAGES_FOLDER, asked)
    files = _fetch(request, pages, told, variables)
    built = build_from_files(
        files["skus"],
        files["machine types"],
        request.price_tables,
        currency_pages=files["currencies"],
        base=base,
        most_unrecognised_ratio=request.most_unrecognised_ratio,
    )
    written = write_snapshot(built, request.out)
    pages.clear()
    return Refreshed(built=built, file=written, base=base)


def _require_codes(currencies: tuple[str, ...]) -> None:
    for code in currencies:
        if not (len(code) == 3 and code.isascii() and code.isalpha() and code.isupper()):
            raise UsageError(f"--currency: {code!r} is no currency code such as EUR")


def _base(request: RefreshRequest) -> SnapshotFile:
    """Return the snapshot before. A damaged one in the target folder is told, not taken."""
    if request.base is not None:
        return open_snapshot(request.base).file
    if (request.out / FILE_NAME).exists():
        try:
            return open_snapshot(request.out).file
        except InputError as exc:
            raise InputError(f"{exc}; or name another with --base") from exc
    return open_snapshot().file


def _fetch(
    request: RefreshRequest,
    pages: SavedPages,
    told: Callable[[str], None],
    variables: Mapping[str, str],
) -> dict[str, list[Path]]:
    """Return the files of the pages, by what they hold."""
    found: dict[str, list[Path]] = {"skus": [], "machine types": [], "currencies": []}
    endpoint = resolve_other_endpoint(request.api, variables, CATALOG_ENDPOINT)
    catalog = catalog_transport(endpoint, request.api, request.api_key)
    try:
        for service, name in _SERVICES.items():
            found["skus"] += pages.read(catalog_list(service, name, "USD"), catalog, told)
        for code in request.currencies:
            wanted = catalog_list(NETWORKING, f"currency-{code.lower()}", code)
            # Every SKU names the rate: one page is enough.
            found["currencies"] += pages.read(wanted, catalog, told, page_limit=1)
    finally:
        catalog.close()
    if request.project is not None:
        compute = Transport(resolve_endpoint(request.api, variables), request.api)
        try:
            listed = pages.read(machine_type_list(request.project), compute, told)
        finally:
            compute.close()
        found["machine types"] = listed
    return found
