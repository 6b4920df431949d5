"""A new price snapshot from the live APIs: pages to files, files to a snapshot, swapped in whole.

The pages lie in a folder beside the snapshot until it is there. A refresh that is broken off leaves
them, and the next one goes on with them.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from msgspec.structs import replace

from netplan_planner import meter
from netplan_planner.errors import AccessError, InputError
from netplan_planner.google.options import ApiClient as ApiClient
from netplan_planner.google.options import ApiOptions as ApiOptions
from netplan_planner.google.options import ClientApi, resolve_endpoint, resolve_other_endpoint
from netplan_planner.google.paging import (
    CATALOG_ENDPOINT,
    SavedPages,
    catalog_list,
    catalog_transport,
    machine_type_list,
)
from netplan_planner.google.transport import Transport, default_project
from netplan_planner.model import Value
from netplan_planner.model.money.price_age import SHIPPED
from netplan_planner.planning.inputs import check_currency
from netplan_planner.verbs.prices.ask import RefreshAsk
from netplan_planner.writing import sole_user
from netplan_pricing import open_snapshot
from netplan_pricing.building.assemble import Built
from netplan_pricing.building.from_files import build_from_files, require_likeness, write_snapshot
from netplan_pricing.catalogue.sku import COMPUTE_ENGINE, NETWORKING
from netplan_pricing.container import FILE_NAME, SnapshotFile
from netplan_pricing.schema import REGION_OFFERS

PAGES_FOLDER = ".refresh"
_SERVICES = {COMPUTE_ENGINE: "compute", NETWORKING: "networking"}


class Refreshed(Value, frozen=True, kw_only=True):
    """What came of it."""

    built: Built
    file: SnapshotFile
    base: SnapshotFile
    kept_types: str = ""
    """Why the machine types are those of the snapshot before; empty where they are new."""


def refresh(
    request: RefreshAsk,
    today: date,
    told: Callable[[str], None] = lambda _: None,
    environment: Mapping[str, str] | None = None,
) -> Refreshed:
    """Fetch catalogue and machine types, build a snapshot and swap it in.

    The snapshot in `request.folder` stays as it is unless all is well.

    Raises:
        AccessError: If an API refuses, or is silent.
        InputError: If what it answers makes no snapshot, or a snapshot too unlike the one before.
        UnknownName: If a currency is none.
    """
    base = _base(request)
    variables = os.environ if environment is None else environment
    is_named = request.project is not None
    request = replace(
        request, currencies=_codes(request.currencies), project=_project(request, variables)
    )
    asked = "|".join(
        (
            request.api.endpoint or "",
            request.project or "",
            ",".join(request.currencies),
        )
    )
    with _alone_in(request.folder):
        return _refreshed(request, base, asked, today, told, variables, is_named=is_named)


@contextmanager
def _alone_in(out: Path) -> Iterator[None]:
    """Let one refresh at a time use a folder and the pages in it.

    Raises:
        InputError: If another is at work there, or it cannot be made.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise InputError(f"cannot create {out}: {exc.strerror or exc}") from exc
    with sole_user(out) as is_alone:
        if not is_alone:
            raise InputError(f"{out}: another refresh is running there. Wait until it ends")
        yield


def _refreshed(
    request: RefreshAsk,
    base: SnapshotFile,
    asked: str,
    today: date,
    told: Callable[[str], None],
    variables: Mapping[str, str],
    *,
    is_named: bool,
) -> Refreshed:
    pages = SavedPages(request.folder / PAGES_FOLDER, asked)
    with meter.work("fetching the catalogue", unit="bytes"):
        files, refused = _fetch(request, pages, told, variables, is_named=is_named)
    try:
        built = build_from_files(
            files["skus"],
            files["machine types"],
            request.price_tables,
            currency_pages=files["currencies"],
            today=today,
            base=base,
            most_unrecognised_ratio=request.most_unrecognised_ratio,
        )
        if not request.accepts_changes:
            require_likeness(base, built, accepted=request.accepted)
    except InputError:
        # Kept, they would be refused again by the next refresh, which would not ask for others.
        pages.clear()
        raise
    written = write_snapshot(built, request.folder)
    pages.clear()
    kept = "" if files["machine types"] else _kept(request, base, refused)
    return Refreshed(built=built, file=written, base=base, kept_types=kept)


def _project(request: RefreshAsk, variables: Mapping[str, str]) -> str | None:
    """Return the project whose machine types are listed, None where none can be known."""
    if request.machine_types or request.project is not None:
        return request.project
    endpoint = resolve_endpoint(request.api, variables)
    if endpoint.is_anonymous:
        return None
    try:
        return default_project()
    except AccessError:
        # An API key may be enough for the prices; without one, the next request says the same.
        return None


def _kept(request: RefreshAsk, base: SnapshotFile, refused: str) -> str:
    """Return why the machine types are not new; an old list hides types and regions."""
    days = sorted(set(base.table(REGION_OFFERS)["as_of"].values)) or ["an unknown day"]
    why = refused or "no --project, and the default credentials name none"
    return (
        f"Machine types stay as of {days[-1]}: {why}. Add --project, or --machine-types with the "
        "output of `gcloud compute machine-types list --format=json`"
    )


def _codes(currencies: tuple[str, ...]) -> tuple[str, ...]:
    for code in currencies:
        check_currency("--currency", code)
    return tuple(code.upper() for code in currencies)


def _base(request: RefreshAsk) -> SnapshotFile:
    """Return the snapshot before. A damaged one in the target folder is told, not taken."""
    if request.base is not None:
        return open_snapshot(request.base).file
    if (request.folder / FILE_NAME).exists():
        try:
            return open_snapshot(request.folder).file
        except InputError as exc:
            raise InputError(f"{exc}; or set another with --base, such as {SHIPPED}") from exc
    return open_snapshot().file


def _fetch(
    request: RefreshAsk,
    pages: SavedPages,
    told: Callable[[str], None],
    variables: Mapping[str, str],
    *,
    is_named: bool,
) -> tuple[dict[str, list[Path]], str]:
    """Return the files of the pages, by what they hold, and why there are no machine types.

    A project that nobody named may refuse: then the types before stay.
    """
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
    found["machine types"] += request.machine_types
    refused = ""
    if request.project is not None and not request.machine_types:
        try:
            place = resolve_endpoint(request.api, variables)
            compute = Transport(place, request.api, api=ClientApi.COMPUTE)
            try:
                found["machine types"] += pages.read(
                    machine_type_list(request.project), compute, told
                )
            finally:
                compute.close()
        except AccessError as exc:
            if is_named:
                raise
            refused = str(exc)
    return found, refused
