"""Requests made by Google's clients: their addresses, parameters and messages, our connections.

A client's session sends by `Door`, so that what it asks is signed, bounded in size and time,
and kept from redirects as every request is. It sees only answers that went well; a refusal is
worded from the API's own text, as over REST. Its messages are turned back into the JSON that
readers take.
"""

import re
import threading
from collections.abc import Callable
from functools import cache
from inspect import signature
from io import BytesIO
from typing import Any, NamedTuple, get_args
from urllib.parse import urlsplit

import msgspec
import proto
import requests
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.protobuf.json_format import ParseError
from requests.adapters import HTTPAdapter

from netplan_planner.errors import UsageError
from netplan_planner.google.exchange import Answer, Exchange
from netplan_planner.google.options import Endpoint
from netplan_planner.google.refusals import OK, Refusal, Request
from netplan_planner.input_files import decode_json

_MAY_LACK = frozenset({"prettyPrint", "returnPartialSuccess"})
"""Parameters that are left out where a client's request has no field for them."""
_POSTED = "RequestResource"
"""The end of the name of the field that is posted."""
_PART = re.compile(r"[\w.:~-]+", re.ASCII)
_PARENT = re.compile(r"[\w.:~/-]+", re.ASCII)
"""What a part of a path, or a path of a parent, can be: nothing that exists has another name."""


class Made(NamedTuple):
    """The request that a client takes."""

    type: Any
    """Of the message."""
    fields: frozenset[str]
    """Names of its fields in JSON."""
    resource: str | None
    """The field whose value is posted, if any is."""


class _NotOk(Exception):
    """An answer of another status, which no client need see."""


class Door(HTTPAdapter):
    """Sends what a client's session prepared; remembers each thread's last answer."""

    def __init__(self, exchange: Exchange) -> None:
        super().__init__()
        self._exchange = exchange
        self._local = threading.local()

    @property
    def answer(self) -> Answer:
        """The last answer to this thread."""
        found: Answer = self._local.answer
        return found

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        """Return an answer that went well. Time limits and proxies are the exchange's own."""
        posted = request.body.encode() if isinstance(request.body, str) else request.body
        told = {name: value for name, value in request.headers.items() if _is_told(name)}
        answer = self._exchange.ask(str(request.url), None, posted=posted, headers=told)
        self._local.answer = answer
        if answer.status != OK:
            raise _NotOk
        response = requests.Response()
        response.status_code = OK
        response.raw = BytesIO(answer.body)
        response.request = request
        return response


def _is_told(header: str) -> bool:
    """Return whether a client's header is passed on: what it says of itself and of a request."""
    return header.lower().startswith("x-goog-")


class Clients:
    """Asks what a transport is asked, by the clients of one API; for many threads."""

    def __init__(
        self,
        exchange: Exchange,
        call_of: Callable[[str, Door], Callable[..., Any]],
        *,
        prints_defaults: bool,
    ) -> None:
        """Make no client yet.

        Args:
            exchange: Sends.
            call_of: Returns the call of a client by the method's id; the client's session is the
                door.
            prints_defaults: Whether a field without a value is written with its default: in
                messages that do not tell a 0 that was sent from none.
        """
        self._door = Door(exchange)
        self._call_of = call_of
        self._prints_defaults = prints_defaults
        self._calls: dict[str, Callable[..., Any]] = {}
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Answer:
        """Return the answer to a request, its body as JSON of what the client's message holds.

        What no message can hold (a body that is cut off, a field of another type) is returned as
        it came: the readers say what is wrong with it, and keep the rest.

        Raises:
            Refusal: If it is about something that cannot exist.
            Exception: What `Exchange.ask` raises.
        """
        call = self._call(request.method)
        asked = _asked(made_for(call), request)
        try:
            # Retries are the transport's, for all who ask.
            found = call(request=asked, retry=None, timeout=None)
            page = found if isinstance(found, proto.Message) else next(iter(found.pages))
        except (_NotOk, ParseError):
            return self._door.answer
        return self._door.answer._replace(body=json_of(page, prints_defaults=self._prints_defaults))

    def _call(self, method: str) -> Callable[..., Any]:
        with self._lock:
            call = self._calls.get(method)
            if call is None:
                call = self._calls[method] = self._call_of(method, self._door)
            return call


def json_of(message: Any, *, prints_defaults: bool) -> bytes:
    """Return the JSON of a message, as the API writes it: int64 as text, names of enumerations."""
    held = type(message).to_dict(
        message,
        preserving_proto_field_name=False,
        use_integers_for_enums=False,
        always_print_fields_with_no_presence=prints_defaults,
    )
    # A message's map has no order of its own, and a page that comes again must be known.
    return msgspec.json.encode(held, order="sorted")


def host_of(endpoint: Endpoint, path: str) -> str:
    """Return the scheme and host of an endpoint, below which clients add a path themselves.

    Raises:
        UsageError: If the endpoint has another path.
    """
    parts = urlsplit(endpoint.base_url)
    if parts.path != path:
        raise UsageError(
            f"{endpoint.source}: Google's client supports only paths below"
            f" {parts.scheme}://{parts.netloc}{path}, not {endpoint.base_url}. Leave out"
            " --api-client google"
        )
    return f"{parts.scheme}://{parts.netloc}"


def client_through(made: Callable[..., Any], host: str, door: Door) -> Any:
    """Return a client whose requests to a host go through a door.

    Raises:
        UsageError: If the client is of a version that keeps its session elsewhere.
    """
    client = made(
        # The door signs.
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        transport="rest",
        client_options=ClientOptions(api_endpoint=host, universe_domain="googleapis.com"),
    )
    session = getattr(client.transport, "_session", None)
    if not isinstance(session, requests.Session):
        raise UsageError(
            f"{made.__name__}: this version of Google's client keeps its session in an unknown"
            " place. Leave out --api-client google"
        )
    # Neither a password of ~/.netrc nor a proxy: the door knows its own.
    session.trust_env = False
    session.mount("http://", door)
    session.mount("https://", door)
    return client


@cache
def made_for(call: Callable[..., Any]) -> Made:
    """Return what a client's call takes for its request."""
    made = get_args(signature(call).parameters["request"].annotation)[0]
    fields = frozenset(one.json_name for one in made.pb().DESCRIPTOR.fields)
    resource = next((one for one in fields if one.endswith(_POSTED)), None)
    return Made(made, fields, resource)


def _asked(made: Made, request: Request) -> Any:
    for name, value in request.names.items():
        if not (_PARENT if name == "parent" else _PART).fullmatch(value):
            # Clients quote it in one version, and not in another.
            raise Refusal(request.missing)
    fields = {**request.names, **request.query}
    fields = {
        name: value
        for name, value in fields.items()
        if name in made.fields or name not in _MAY_LACK
    }
    if request.body is not None and made.resource is not None:
        fields[made.resource] = decode_json(request.body)
    return made.type.from_json(msgspec.json.encode(fields))
