"""Google's credentials, and sessions that sign requests with them.

Imported where something is signed: a library of cryptography comes with it.
"""

import logging
import warnings
from collections.abc import Sequence
from typing import Any

import google.auth
import google.auth.exceptions
import requests
from google.auth import api_key as keys
from google.auth.transport.requests import AuthorizedSession, Request

from netplan_planner.errors import AccessError
from netplan_planner.google.options import LOGIN, READ_ONLY_SCOPE


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
    """
    logging.getLogger("google.auth._default").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            _, project = google.auth.default(scopes=[READ_ONLY_SCOPE])
    except (google.auth.exceptions.GoogleAuthError, OSError):
        return None
    return project or None


def _token_request() -> Any:
    """Return what renews credentials: a redirect there would carry a signed request elsewhere."""
    session = requests.Session()
    session.max_redirects = 0
    return Request(session)


def default_credentials(scopes: Sequence[str]) -> Any:
    """Return Google's application default credentials, renewed once so that bad ones show here.

    Raises:
        AccessError: If there are none, or they are refused.
    """
    # It would tell stderr that no default project is set; projects are named by option here.
    logging.getLogger("google.auth._default").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            # About quota projects of user credentials, which Compute reads do not need.
            warnings.simplefilter("ignore", UserWarning)
            credentials, _ = google.auth.default(scopes=list(scopes))
    except (google.auth.exceptions.DefaultCredentialsError, OSError) as exc:
        text = f"no Google credentials were found; run `{LOGIN}`"
        raise AccessError(f"{text}, or set GOOGLE_APPLICATION_CREDENTIALS") from exc
    try:
        credentials.refresh(_token_request())  # type: ignore[no-untyped-call]
    except (google.auth.exceptions.GoogleAuthError, requests.RequestException) as exc:
        raise AccessError(f"the Google credentials cannot be used; run `{LOGIN}`") from exc
    return credentials
