"""Google's credentials, and sessions that sign requests with them.

Imported where something is signed: a library of cryptography comes with it.
"""

import logging
import os
import re
import warnings
from collections.abc import Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from contextlib import suppress
from pathlib import Path
from typing import Any

import google.auth
import google.auth.exceptions
import requests
from google.auth import _cloud_sdk
from google.auth import api_key as keys
from google.auth.environment_vars import CREDENTIALS, LEGACY_PROJECT, PROJECT
from google.auth.transport.requests import AuthorizedSession, Request

from netplan_planner.errors import AccessError, InputError
from netplan_planner.google.options import LOGIN, PROJECT_ID, READ_ONLY_SCOPE
from netplan_planner.input_files import decode_json, is_path, whole

_FAILURES = (
    *(google.auth.exceptions.GoogleAuthError, requests.RequestException, OSError),
    *(ValueError, TypeError, AttributeError, LookupError, RecursionError),
)
"""What google-auth raises; of a file whose values are of other types, whatever comes of them."""
_MISSING = re.compile(r"missing fields ([a-z_, ]+)\.")
_SILENT = "cannot be used: the token server does not answer"


def authorized_session(credentials: Any) -> requests.Session:
    """Return a session whose requests carry credentials, renewed when they end."""
    session: requests.Session = AuthorizedSession(  # type: ignore[no-untyped-call]
        credentials, auth_request=_token_request()
    )
    return session


def key_credentials(api_key: str) -> Any:
    """Return an API key as google-auth's credentials: sent as a header, never in an address.

    Raises:
        AccessError: If it is empty.
    """
    try:
        return keys.Credentials(api_key)  # type: ignore[no-untyped-call]
    except ValueError as exc:
        raise AccessError("the API key is empty") from exc


def default_project() -> str | None:
    """Return the project that Google's default credentials name, None where there is none.

    That is GOOGLE_CLOUD_PROJECT, else the project of the credentials file, of gcloud's
    configuration, or of the machine that this runs on, as google-auth finds it.

    Raises:
        AccessError: If there is a file of credentials that cannot be used.
    """
    _, project = _found([READ_ONLY_SCOPE])
    return project or None


def configured_project() -> str | None:
    """Return the project of the environment, the credentials file or gcloud's configuration.

    Unlike `default_project` it sends no request and starts no program; None where none is named.
    """
    named = [os.environ.get(one) for one in (PROJECT, LEGACY_PROJECT, "CLOUDSDK_CORE_PROJECT")]
    file = _file()
    with suppress(OSError, ValueError, InputError):
        held = decode_json(whole(Path(file))) if file else {}
        named += [held.get("project_id")] if isinstance(held, dict) else []
    named.append(_gcloud_project(Path(_cloud_sdk.get_config_path())))  # type: ignore[no-untyped-call]
    found = (one for one in named if isinstance(one, str) and re.fullmatch(PROJECT_ID, one))
    return next(found, None)


def _gcloud_project(folder: Path) -> str | None:
    """Return the project of gcloud's active configuration, as its files say it."""
    settings = ConfigParser(interpolation=None)
    with suppress(OSError, ValueError, ConfigError):
        active = os.environ.get("CLOUDSDK_ACTIVE_CONFIG_NAME")
        active = active or whole(folder / "active_config").decode().strip()
        settings.read_string(whole(folder / f"configurations/config_{active}").decode())
    return settings.get("core", "project", fallback=None)


def _found(scopes: Sequence[str]) -> tuple[Any, str | None]:
    """Return the default credentials and their project, none of both where there are none.

    Raises:
        AccessError: If there is a file of credentials that cannot be used.
    """
    # It would tell stderr that no default project is set; projects are named by option here.
    logging.getLogger("google.auth._default").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            # About quota projects of user credentials, which Compute reads do not need.
            warnings.simplefilter("ignore", UserWarning)
            return google.auth.default(scopes=list(scopes))
    except _FAILURES as exc:
        if _file() is None:
            return None, None
        raise AccessError(_told(_fault(exc))) from exc


def _file() -> str | None:
    """Return the path of the file that google-auth reads, None where there is none to read."""
    named = os.environ.get(CREDENTIALS)
    own = _cloud_sdk.get_application_default_credentials_path()  # type: ignore[no-untyped-call]
    return named or (own if os.path.isfile(own) else None)  # noqa: PTH113


def _told(fault: str) -> str:
    """Return which credentials have a fault, and what to do; nothing of what they hold."""
    file = _file()
    what = f"run `{LOGIN}`"
    if os.environ.get(CREDENTIALS):
        what = f"set {CREDENTIALS} to another file, or unset it and {what}"
    # Some put the key itself where its path belongs.
    name = f" in {file}" if is_path(file or "") else f" that {CREDENTIALS} names"
    # No other file helps where there is no network.
    what = "check the network connection" if fault == _SILENT else what
    return f"the Google credentials{name if file else ''} {fault}; {what}"


def _fault(exc: Exception, other: str = "a value in the file is missing or invalid") -> str:
    """Return what is wrong with a file of credentials, in words that quote nothing of it.

    google-auth says more: it quotes the file, but for the names of fields that are missing.
    """
    file = _file() or ""
    text = " ".join(map(str, exc.args))
    if isinstance(exc, OSError) and exc.strerror:
        return f"cannot be read: {exc.strerror}"
    if "was not found" in text and not os.path.exists(file):  # noqa: PTH110
        return "cannot be read: the file does not exist"
    if "is not a valid json file" in text:
        is_empty = os.path.getsize(file) == 0  # noqa: PTH202
        return f"cannot be used: the file is {'empty' if is_empty else 'not JSON'}"
    if "does not have a valid type" in text:
        return "cannot be used: the file has no `type` that Google's library supports"
    if missing := _MISSING.search(text):
        return f"cannot be used: the file has no {', '.join(sorted(missing[1].split(', ')))}"
    if isinstance(exc, google.auth.exceptions.TransportError):
        return _SILENT
    return f"cannot be used: {other}"


def _token_request() -> Any:
    """Return what renews credentials: a redirect there would carry a signed request elsewhere."""
    session = requests.Session()
    session.max_redirects = 0
    return Request(session)


def default_credentials(scopes: Sequence[str]) -> Any:
    """Return Google's application default credentials, renewed once so that bad ones show here.

    Raises:
        AccessError: If there are none, or they cannot be used or are refused.
    """
    credentials, _ = _found(scopes)
    if credentials is None:
        text = f"no Google credentials found; run `{LOGIN}`"
        raise AccessError(f"{text}, or set {CREDENTIALS}")
    try:
        credentials.refresh(_token_request())
    except _FAILURES as exc:
        raise AccessError(_told(_fault(exc, "the token server returned no token"))) from exc
    return credentials
