"""A new price snapshot from the live APIs: pages to files, files to a snapshot, swapped in whole.

The pages lie in a folder beside the snapshot until it is there. A refresh that is broken off leaves
them, and the next one goes on with them.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from netplan_planner import meter
from netplan_planner.errors import InputError, UsageError
from netplan_planner.leftovers import sole_user
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
from netplan_pricing import SnapshotPriceBook, open_snapshot
from netplan_pricing.building.assemble import Built
from netplan_pricing.building.from_files import build_from_files, write_snapshot
from netplan_pricing.catalogue.sku import COMPUTE_ENGINE, NETWORKING
from netplan_pricing.comparing import upheaval
from netplan_pricing.container import FILE_NAME, SnapshotFile

PAGES_FOLDER = ".refresh"
MOST_CHANGED_RATIO = 0.05
"""Share of the prices on demand and of commitments that may vanish or move by more than a fifth.
Within half a year a sixth of them move, nearly all by less; more is likely a damaged answer."""
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
    accepts_changes: bool = False
    """Whether a snapshot may differ from the one before by more than `MOST_CHANGED_RATIO`."""
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
        InputError: If what it answers makes no snapshot, or a snapshot too unlike the one before.
        UsageError: If a currency is no code of three letters.
    """
    request = replace(request, currencies=_codes(request.currencies))
    base = _base(request)
    variables = os.environ if environment is None else environment
    asked = "|".join(
        (
            request.api.endpoint or "",
            request.project or "",
            ",".join(request.currencies),
        )
    )
    with _alone_in(request.out):
        return _refreshed(request, base, asked, told, variables)


@contextmanager
def _alone_in(out: Path) -> Iterator[None]:
    """Let one refresh at a time use a folder and the pages in it.

    Raises:
        InputError: If another is at work there, or it cannot be made.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise InputError(f"{out}: cannot be made: {exc.strerror or exc}") from exc
    with sole_user(out) as is_alone:
        if not is_alone:
            raise InputError(f"{out}: another refresh is at work there; wait for its end")
        yield


def _refreshed(
    request: RefreshRequest,
    base: SnapshotFile,
    asked: str,
    told: Callable[[str], None],
    variables: Mapping[str, str],
) -> Refreshed:
    pages = SavedPages(request.out / PAGES_FOLDER, asked)
    with meter.work("fetching the catalogue", unit="bytes"):
        files = _fetch(request, pages, told, variables)
    try:
        built = build_from_files(
            files["skus"],
            files["machine types"],
            request.price_tables,
            currency_pages=files["currencies"],
            base=base,
            most_unrecognised_ratio=request.most_unrecognised_ratio,
        )
        if not request.accepts_changes:
            _require_likeness(base, built, request.out)
    except InputError:
        # Kept, they would be refused again by the next refresh, which would not ask for others.
        pages.clear()
        raise
    written = write_snapshot(built, request.out)
    pages.clear()
    return Refreshed(built=built, file=written, base=base)


def _codes(currencies: tuple[str, ...]) -> tuple[str, ...]:
    for code in currencies:
        if not (len(code) == 3 and code.isascii() and code.isalpha()):
            raise UsageError(f"--currency: {code!r} is no currency code such as EUR")
    return tuple(code.upper() for code in currencies)


def _require_likeness(base: SnapshotFile, built: Built, out: Path) -> None:
    """Refuse prices that nobody would believe beside those before."""
    new = SnapshotPriceBook(SnapshotFile(out / FILE_NAME, built.content))
    found = upheaval(SnapshotPriceBook(base), new)
    if found.price_count and found.changed_count > MOST_CHANGED_RATIO * found.price_count:
        raise InputError(
            f"the answer is too unlike {base.path} ({base.header.as_of}):"
            f" {found.vanished_count:,} of {found.price_count:,} prices on demand and of"
            f" commitments are gone and {found.moved_count:,} moved by more than 20 %; nothing was"
            " changed. Try again later; if it is so, --accept-changes takes it"
        )


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
