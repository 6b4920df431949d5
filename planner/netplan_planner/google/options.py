"""Where the Compute API is, how it is asked, and when credentials may be sent there.

Which of Google's APIs may be read by Google's own client, and why the others are not.
"""

import ipaddress
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from msgspec.structs import replace

from netplan_planner.asks import API, Ask
from netplan_planner.errors import UsageError
from netplan_planner.model import Value

INSTALL = (
    "--api-client google needs google-cloud-compute and google-cloud-billing:"
    " pip install 'gce-netplan[google]'"
)


class ApiClient(StrEnum):
    """What makes requests."""

    REST = "rest"
    """netplan itself (docs/adr/0002)."""
    GOOGLE = "google"
    """Google's client of an API of `ClientApi`; the others stay with REST."""


class ClientApi(StrEnum):
    """An API that Google's client may be asked for, as its method ids begin."""

    COMPUTE = "compute"
    CATALOG = "cloudbilling"


REST_ALONE: Mapping[str, str] = {
    "cloudasset": "the extra has no client for it; one list, read by its pages",
    "logging": "its client adds a time range of its own to a filter without one, and hides pages",
    "monitoring": "its client supports only gRPC, which bypasses netplan's transport",
    "networkconnectivity": "the extra has no client for it; two lists per project",
    "networkmanagement": "the extra has no client for it; one list per project",
}
"""What is read over REST whatever is asked for, by the beginning of its method ids, and why."""


DEFAULT_ENDPOINT = "https://compute.googleapis.com/compute/v1/"


ENDPOINT_VARIABLE = "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE"
"""gcloud's own variable; its value holds the version path, `http://127.0.0.1:8080/compute/v1/`."""


EMULATOR_VARIABLE = "COMPUTE_EMULATOR_HOST"
"""In the manner of Google's emulators: `host:port` or a URL, without credentials."""


ANONYMOUS_VARIABLE = "CLOUDSDK_AUTH_DISABLE_CREDENTIALS"
"""gcloud's own variable; `true` sends no credentials."""


READ_ONLY_SCOPE = "https://www.googleapis.com/auth/compute.readonly"


PROJECT_ID = r"(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]"
"""Of 6 to 30 letters, behind a domain of old (cloud.google.com/resource-manager/docs)."""
LOGIN = "gcloud auth application-default login"


_SECRET_PARTS = re.compile(r"(?<=//)[^/]*@|[?#].*|:(?!//)[^/]*\D[^/]*(?=/|$)", re.DOTALL)
"""User and password, query and fragment, and a port that is none."""


_VERSION_PATH = "/compute/v1/"


_TRUE = {"1", "true", "yes", "on"}


WhichClient = Annotated[
    ApiClient,
    Ask(
        "Client of the Compute API and the price catalog: rest, netplan's own requests; google,"
        " Google's clients (pip install 'gce-netplan\\[google]'), same values, slower. Other APIs"
        " always use REST.",
        "--api-client",
        panel=API,
        is_expert=True,
    ),
]


class ApiOptions(Value, frozen=True, kw_only=True):
    """How the live Compute API is read.

    The endpoint is the first of: `endpoint`, `CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE`,
    `COMPUTE_EMULATOR_HOST`, Google's own. It may leave out `/compute/v1/`. Credentials are Google's
    application default ones (`GOOGLE_APPLICATION_CREDENTIALS` and so on), read-only scope; none
    are sent if `is_anonymous`, `CLOUDSDK_AUTH_DISABLE_CREDENTIALS` or `COMPUTE_EMULATOR_HOST` says
    so. Proxies are taken from the usual variables, but not for loopback.
    """

    PANEL: ClassVar[str] = API
    IS_EXPERT: ClassVar[bool] = True

    endpoint: Annotated[
        str | None,
        Ask(
            "Endpoint of the Compute API, if not Google's.",
            "--api-endpoint",
            metavar="URL",
        ),
    ] = None
    is_anonymous: Annotated[bool, Ask("Send no credentials.", "--anonymous")] = False
    """Send no credentials."""
    client: WhichClient = ApiClient.REST
    """What makes requests to the APIs of which Google's client may be used."""
    concurrency: Annotated[
        int,
        Ask("Parallel requests.", "--concurrency", metavar="COUNT", least=1, most=64),
    ] = 8
    """Requests under way at a time, over all projects and methods; 1 to 64."""
    page_size: int = 500
    """Resources asked for per page; 500 is the most that the API gives."""
    timeout_s: Annotated[
        float,
        Ask(
            "Timeout of one request.",
            "--timeout",
            metavar="SECONDS",
            least=0.1,
        ),
    ] = 60.0
    """For connecting, and for each wait for more of an answer."""
    total_s: Annotated[
        float,
        Ask(
            "Timeout of all requests together; answers until then are kept.",
            "--total-timeout",
            metavar="SECONDS",
            least=1.0,
            most=86400.0,
        ),
    ] = 1800.0
    """For all requests together, waits between attempts included; what was read until then stays.
    The project of 10,000 machines takes seconds (benchmarks/read_api.py); the rest is patience with
    an API that is busy."""
    max_attempts: Annotated[
        int,
        Ask(
            "Attempts per request before its failure is reported.",
            "--max-attempts",
            metavar="COUNT",
            least=1,
            most=20,
        ),
    ] = 5
    """How often a request is made before its failure is reported; 1 is no retry."""
    backoff_initial_s: float = 0.5
    """Wait before the second attempt; doubled before each further one."""
    backoff_max_s: float = 30.0
    """The longest wait, also where `Retry-After` asks for more."""
    max_pages: int = 20_000
    """Pages of one list after which something is wrong; 20,000 are 10 million resources."""
    max_machine_types: int = 1000
    """Machine types looked up; the API has fewer than 1,000 predefined ones."""

    def __post_init__(self) -> None:
        """Refuse what cannot work.

        Raises:
            UsageError: If a number is out of its range.
        """
        for name, low, high in (
            ("concurrency", 1, 64),
            ("page_size", 1, 500),
            ("timeout_s", 0.001, 3600),
            ("total_s", 0.001, 86_400),
            ("max_attempts", 1, 20),
            ("backoff_initial_s", 0, 3600),
            ("backoff_max_s", 0, 3600),
            ("max_pages", 1, 1_000_000),
            ("max_machine_types", 0, 100_000),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise UsageError(f"{name} of the API must be from {low} to {high}, not {value}")


_BY_THE_MINUTE = 10
"""Times that waits are longer: half a second, doubled four times, would not outlast a minute."""


def patient(options: ApiOptions) -> ApiOptions:
    """Return options for an API whose quota is by the minute."""
    longer_s = min(options.backoff_initial_s * _BY_THE_MINUTE, options.backoff_max_s)
    return replace(options, backoff_initial_s=longer_s)


class Endpoint(Value, frozen=True, kw_only=True):
    """Where requests go. `base_url` ends in a slash."""

    base_url: str
    is_loopback: bool
    is_anonymous: bool
    source: str
    """What named it, for error texts."""


def resolve_endpoint(options: ApiOptions, environment: Mapping[str, str]) -> Endpoint:
    """Return the endpoint of the Compute API that options and environment name.

    Raises:
        UsageError: If it is no URL, or credentials would leave the machine unencrypted.
    """
    text, source = _named(options, environment)
    is_anonymous = _is_anonymous(options, environment) or source == EMULATOR_VARIABLE
    endpoint = _checked(text, source, is_anonymous=is_anonymous)
    path = endpoint.base_url
    path = path if "/compute/" in path else path.rstrip("/") + _VERSION_PATH
    return replace(endpoint, base_url=path)


def resolve_other_endpoint(
    options: ApiOptions, environment: Mapping[str, str], default: str
) -> Endpoint:
    """Return the endpoint of another API than Compute: the option's, else the default.

    Raises:
        UsageError: If it is no URL, or credentials would leave the machine unencrypted.
    """
    source = "--api-endpoint" if options.endpoint else "the default endpoint"
    is_anonymous = _is_anonymous(options, environment)
    return _checked(options.endpoint or default, source, is_anonymous=is_anonymous)


def resolve_beside(
    options: ApiOptions,
    environment: Mapping[str, str],
    *,
    variable: str,
    default: str,
    named: str | None = None,
    version: str = "",
) -> Endpoint | None:
    """Return where an API is that is asked beside Compute's; None where only that one is replaced.

    A stand-in for one API says nothing of the other, and no credentials go elsewhere than meant.

    Args:
        options: Of Compute; their endpoint is its own alone.
        environment: Holds `variable`, gcloud's for this API.
        variable: Names the endpoint, where `named` does not.
        default: Google's own.
        named: What an option names.
        version: The path that is added where the endpoint leaves it out.

    Raises:
        UsageError: If it is no URL, or credentials would leave the machine unencrypted.
    """
    asked, compute = named or environment.get(variable), resolve_endpoint(options, environment)
    if not asked and compute.base_url != DEFAULT_ENDPOINT:
        return None
    other = ApiOptions(is_anonymous=options.is_anonymous or compute.is_anonymous)
    found = resolve_other_endpoint(other, environment, asked or default)
    if found.base_url.endswith(f"/{version}"):
        return found
    return replace(found, base_url=f"{found.base_url}{version}")


def _is_anonymous(options: ApiOptions, environment: Mapping[str, str]) -> bool:
    return options.is_anonymous or environment.get(ANONYMOUS_VARIABLE, "").strip().lower() in _TRUE


def _checked(text: str, source: str, *, is_anonymous: bool) -> Endpoint:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as exc:
        raise UsageError(f"{source}: {_shown(text)!r} is not a URL") from exc
    if parts.scheme not in {"http", "https"} or not host:
        raise UsageError(f"{source}: {_shown(text)!r} is not an http or https URL")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(f"{source}: an endpoint must not have a user, password, query or fragment")
    is_loopback = _is_loopback(host)
    if parts.scheme == "http" and not is_loopback and not is_anonymous:
        raise UsageError(
            f"{source}: {_shown(text)!r} is neither encrypted nor local, so credentials are not"
            " sent to it. Use https or anonymous credentials"
        )
    path = parts.path.rstrip("/") + "/"
    return Endpoint(
        base_url=f"{parts.scheme}://{parts.netloc}{path}",
        is_loopback=is_loopback,
        is_anonymous=is_anonymous,
        source=source,
    )


def _shown(text: str) -> str:
    """Return an address without the parts that may hold a password or a key.

    >>> _shown("ftp://user:pass@host/path?key=abc"), _shown("http://user:pass")
    ('ftp://host/path', 'http://user')
    """
    return _SECRET_PARTS.sub("", text)


def _named(options: ApiOptions, environment: Mapping[str, str]) -> tuple[str, str]:
    if options.endpoint:
        return options.endpoint, "--api-endpoint"
    if environment.get(ENDPOINT_VARIABLE):
        return environment[ENDPOINT_VARIABLE], ENDPOINT_VARIABLE
    emulator = environment.get(EMULATOR_VARIABLE)
    if emulator:
        return emulator if "://" in emulator else f"http://{emulator}", EMULATOR_VARIABLE
    return DEFAULT_ENDPOINT, "the default endpoint"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


_PARENT = re.compile(r"(?:(organizations|folders)/)?([0-9]+)")


def parent_of(collection: str, text: str) -> str:
    """Return the name of an organisation or a folder: `organizations/123`.

    Raises:
        UsageError: If it is not named by its number.
    """
    found = _PARENT.fullmatch(text.strip())
    if found is None or found[1] not in {None, collection}:
        option = collection.removesuffix("s")
        raise UsageError(
            f"--{option} needs a number, as in `gcloud organizations list` and `gcloud"
            f" resource-manager folders list`, not {text!r}"
        )
    return f"{collection}/{found[2]}"
