"""Lists of Google's APIs: what a page is, and the way from page to page, within bounds.

Every reader of a list comes through here, so that none takes for whole what is not.
"""

import gzip
import hashlib
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import quote

import msgspec

from netplan_planner import meter
from netplan_planner.errors import AccessError, InputError
from netplan_planner.google.compute_methods import CATALOG_ID, TYPES_ID, TYPES_PERMISSION
from netplan_planner.google.options import ApiOptions, ClientApi, Endpoint
from netplan_planner.google.refusals import Refusal, Request, path_of
from netplan_planner.google.transport import NotWhole, Transport
from netplan_planner.input_files import decode_json, unpacked, whole
from netplan_planner.readers.documents import NotText, documents_of

T = TypeVar("T")


class Page(msgspec.Struct, rename="camel"):
    """What a page of every list says; the kinds of pages add what their readers take."""

    next_page_token: str = ""
    """Empty on the last page."""


class _Linked(Protocol):
    @property
    def next_page_token(self) -> str:
        """Empty on the last page."""


P = TypeVar("P", bound=_Linked)


class CutOff(Refusal):
    """A list that is not whole; the pages before were yielded."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; the list is incomplete")


class Endless(CutOff):
    """A list whose pages lead in a circle, or are more than any list has."""


def each_page(
    get: Callable[[str], P], most: int, mark_of: Callable[[P], object] = lambda _: None
) -> Iterator[P]:
    """Yield the pages of a list.

    Args:
        get: Returns a page by its token, which is empty for the first one.
        most: Pages after which something is wrong.
        mark_of: Returns what a page is known by if it comes again under another token; None: by
            nothing.

    Raises:
        Refusal: If the first page cannot be had.
        CutOff: If a later one cannot, or the list does not end.
    """
    token = ""
    seen: set[object] = set()
    for number in range(1, most + 1):
        try:
            page = get(token)
        except Refusal as exc:
            if number == 1:
                raise
            raise CutOff(f"page {number}: {exc}") from exc
        yield page
        token = page.next_page_token
        marks = {token, mark_of(page)} - {"", None}
        # All of them: an answer may lead in a circle of several pages.
        if marks & seen:
            raise Endless(f"page {number} points back to an earlier page")
        if not token:
            return
        seen |= marks
    raise Endless(f"more than {most:,} pages")


def page_of(body: bytes, kind: type[T]) -> T:
    """Return an answer as a type. A member that is null is one that is not there.

    Raises:
        NotWhole: If it is no JSON object, or a member has another type than documented.
    """
    try:
        return decode_json(body, kind)
    except msgspec.DecodeError:
        # The slow way is patient with text, and finds out what is wrong.
        stated = {name: value for name, value in object_of(body).items() if value is not None}
    try:
        return decode_json(msgspec.json.encode(stated), kind)
    except msgspec.DecodeError as exc:
        raise NotWhole(_named(exc)) from exc


def require_objects(name: str, values: Sequence[msgspec.Raw]) -> None:
    """Refuse a member whose values are kept as they are, where one is no object.

    Raises:
        NotWhole: If so.
    """
    for index, value in enumerate(values):
        if bytes(value)[:1] != b"{":
            raise NotWhole(f"{name}[{index}]: Expected `object`")


def object_of(body: bytes) -> dict[str, Any]:
    """Return an answer as a JSON object.

    Raises:
        NotWhole: If it is none.
    """
    try:
        documents, damaged = documents_of(body)
    except NotText as exc:
        raise NotWhole(str(exc)) from exc
    if damaged:
        raise NotWhole(str(damaged[0]))
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        raise NotWhole("it is not a JSON object")
    return documents[0].value


def _named(exc: msgspec.DecodeError) -> str:
    """Return what is wrong with a member, its name first.

    >>> _named(msgspec.ValidationError("Expected `array`, got `int` - at `$.assets`"))
    'assets: Expected `array`, got `int`'
    """
    reason, _, place = str(exc).partition(" - at `$.")
    return f"{place.rstrip('`')}: {reason}" if place else reason


# Lists of Google's APIs as files, page by page: what broke off goes on where it was
#
# Each page is written beside its place and renamed, so that a page that is there is whole. A folder
# of pages remembers what was asked, and is begun anew when something else is asked or it is too old
# for its pages to belong to one answer.


CATALOG_ENDPOINT = "https://cloudbilling.googleapis.com/"
BILLING_SCOPE = "https://www.googleapis.com/auth/cloud-billing.readonly"
OLDEST_HOURS = 6
"""Pages older than this belong to an answer of another day, and their next page may be gone."""

_CATALOG_PAGE = 5000
_TYPES_PAGE = 500
_STATE = "asked.json"
_SECONDS_PER_HOUR = 3600


class PagedList(NamedTuple):
    """A list to be read. `name` begins the names of its files."""

    name: str
    method: str
    path: str
    names: Mapping[str, str]
    """The parts of the path, as `Request.names`."""
    query: Mapping[str, str]
    token: str
    """The query parameter that takes a page token."""
    permission: str
    forbidden: str
    missing: str


class _Page(Page):
    """What of a page decides how to go on."""

    skus: list[msgspec.Raw] = msgspec.field(default_factory=list)
    items: msgspec.Raw = msgspec.Raw()


class _State(msgspec.Struct):
    asked: str
    began_s: float


def catalog_list(service: str, name: str, currency: str) -> PagedList:
    """Return the list of a service's SKUs, priced in a currency."""
    parent = f"services/{quote(service, safe='')}"
    return PagedList(
        name=name,
        method=CATALOG_ID,
        path=f"v1/{parent}/skus",
        names={"parent": parent},
        query={"currencyCode": currency, "pageSize": str(_CATALOG_PAGE)},
        token="pageToken",
        permission="none: an API key or credentials of any project are enough",
        forbidden="the project of the key or of the credentials needs the Cloud Billing API"
        " (`gcloud services enable cloudbilling.googleapis.com`)",
        missing=f"the catalog has no service {service}, or not in this currency",
    )


def machine_type_list(project: str) -> PagedList:
    """Return the list of the machine types that a project sees."""
    names = {"project": project}
    return PagedList(
        name="machine-types",
        method=TYPES_ID,
        path=path_of("projects/{project}/aggregated/machineTypes", names),
        names=names,
        query={"maxResults": str(_TYPES_PAGE)},
        token="pageToken",
        permission=TYPES_PERMISSION,
        forbidden="",
        missing=f"{project}: the project does not exist",
    )


class SavedPages:
    """A folder of pages."""

    def __init__(self, folder: Path, asked: str, *, now_s: float | None = None) -> None:
        """Open or begin a folder of pages for what is asked, in words that tell requests apart.

        Raises:
            InputError: If the folder cannot be written.
        """
        self.folder = folder
        digest = hashlib.sha256(asked.encode()).hexdigest()
        clock_s = time.time() if now_s is None else now_s
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not self._continues(digest, clock_s):
                self.clear()
                folder.mkdir(parents=True, exist_ok=True)
                state = _State(asked=digest, began_s=clock_s)
                self._write(folder / _STATE, msgspec.json.encode(state))
        except OSError as exc:
            raise InputError(f"{folder}: cannot be written: {exc.strerror or exc}") from exc

    def _continues(self, digest: str, now_s: float) -> bool:
        try:
            state = decode_json(whole(self.folder / _STATE), _State)
        except (OSError, msgspec.MsgspecError):
            return False
        age_s = now_s - state.began_s
        return state.asked == digest and 0 <= age_s <= OLDEST_HOURS * _SECONDS_PER_HOUR

    def clear(self) -> None:
        """Remove the pages, and the folder if nothing else is in it."""
        for path in (*self.folder.glob("*.json.gz"), *self.folder.glob(".*.new")):
            path.unlink(missing_ok=True)
        (self.folder / _STATE).unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _write(self, path: Path, content: bytes) -> None:
        beside = path.with_name(f".{path.name}.new")
        try:
            beside.write_bytes(content)
            beside.replace(path)
        except OSError as exc:
            raise InputError(f"{path}: cannot be written: {exc.strerror or exc}") from exc
        finally:
            with suppress(OSError):
                beside.unlink()

    def read(
        self,
        wanted: PagedList,
        transport: Transport,
        told: Callable[[str], None],
        *,
        page_limit: int | None = None,
    ) -> list[Path]:
        """Return the files of a list's pages, asking for those that are not there yet.

        Args:
            wanted: The list.
            transport: Makes the requests.
            told: Takes a line about each page.
            page_limit: Pages after which to stop, though more exist; None for all of them.

        Raises:
            AccessError: If the API refuses, or is silent; the text says what to do.
            InputError: If it repeats a page, or never ends.
        """
        paths: list[Path] = []

        def get(token: str) -> _Page:
            path = self.folder / f"{wanted.name}-{len(paths) + 1:04}.json.gz"
            body = self._saved(path)
            if body is None:
                body = self._fetched(wanted, token, transport)
                self._write(path, gzip.compress(body, 6, mtime=0))
                meter.advance(len(body))
                told(
                    f"{wanted.method}: page {len(paths) + 1} of {wanted.name}, {len(body):,} bytes"
                )
            paths.append(path)
            return _decoded(body)

        try:
            for _ in islice(each_page(get, transport.options.max_pages, _content), page_limit):
                pass
        except Endless as exc:
            for path in paths:
                path.unlink(missing_ok=True)
            raise InputError(
                f"{wanted.method}, {wanted.name}: {exc}; nothing was changed, try again later"
            ) from exc
        return paths

    def _saved(self, path: Path) -> bytes | None:
        try:
            body = unpacked(path)
            _decoded(body)
        except (OSError, EOFError, zlib.error, NotWhole):
            # Thrown away and fetched again: it is a copy.
            return None
        return body

    def _fetched(self, wanted: PagedList, token: str, transport: Transport) -> bytes:
        query = {**wanted.query, wanted.token: token} if token else wanted.query
        request = Request(
            method=wanted.method,
            path=wanted.path,
            query=query,
            permission=wanted.permission,
            disabled=wanted.forbidden or f"{wanted.method}: the API is disabled",
            missing=wanted.missing,
            forbidden=wanted.forbidden,
            names=wanted.names,
        )
        try:
            return transport.get(request, _checked)
        except Refusal as refusal:
            raise AccessError(f"{refusal}; the pages read so far are kept") from refusal


def _checked(body: bytes) -> bytes:
    _decoded(body)
    return body


def _decoded(body: bytes) -> _Page:
    """Return what a page says of the next one.

    Raises:
        NotWhole: If it is no whole page.
    """
    page = page_of(body, _Page)
    require_objects("skus", page.skus)
    return page


def _content(page: _Page) -> bytes:
    return hashlib.sha256(b"".join(map(bytes, page.skus)) + bytes(page.items)).digest()


def catalog_transport(endpoint: Endpoint, options: ApiOptions, api_key: str | None) -> Transport:
    """Return what makes requests to the Cloud Billing Catalog API.

    Raises:
        AccessError: If there are no credentials, or they are refused.
        UsageError: If Google's client is wanted, and is not installed or cannot ask there.
    """
    return Transport(
        endpoint, options, scopes=(BILLING_SCOPE,), api_key=api_key, api=ClientApi.CATALOG
    )
