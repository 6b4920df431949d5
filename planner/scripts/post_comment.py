"""Post a comment that netplan wrote to its pull or merge request, or update the one that is there.

python post_comment.py FILE

FILE is of --output github-comment:FILE or gitlab-comment:FILE; its first line is the marker by
which the comment is found again. Where to is in the variables that GitHub's and GitLab's runners
set. The token is in GITHUB_TOKEN (permission `pull-requests: write`) or NETPLAN_GITLAB_TOKEN (scope
`api`), is sent to the API alone and never printed. Only comments of its own author are changed:
of GitHub NETPLAN_COMMENT_AUTHOR (default: github-actions[bot]). Needs nothing but Python.

Exit status: 0 posted, or no pull request to post to; 2 wrong usage; 3 refused or not reached.
Sources: https://docs.github.com/rest/issues/comments and https://docs.gitlab.com/api/notes.
"""

import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

_MARKER = re.compile(r"<!-- netplan:[a-z]+ [0-9a-f]{12} -->")
_TIMEOUT_S = 30
_ATTEMPTS = 4
_MOST_WAIT_S = 120.0
"""Of one wait: a limit that lasts longer fails the step, not the hour."""
_ANSWER_BYTES = 2**24
_PAGE = 100
_PAGES = 50
_ROUNDS = 3
"""Of finding and updating, where another run deletes what was found."""
_PASSING = frozenset({429, 500, 502, 503, 504})
_FORBIDDEN = 403
_NOT_FOUND = 404
_WHY = {
    401: "the token is not valid",
    403: "the token may not write comments: the job needs `pull-requests: write` (GitLab: scope"
    " `api`); the token of a pull request from a fork may only read",
    404: "no such repository or pull request, or the token may not see it",
    422: "the comment was not accepted",
}


class Refused(Exception):
    """The API did not do what was asked, in words; never with the token."""

    def __init__(self, text: str, status: int = 0) -> None:
        """Keep the status of HTTP; 0: there was no answer."""
        super().__init__(text)
        self.status = status


class Host(NamedTuple):
    """Where comments are."""

    comments: str
    """Address of the list; one of a comment is below `single`."""
    single: str
    headers: Mapping[str, str]
    update: str
    """The method that changes a comment."""
    author: Callable[["Api"], str]
    author_key: tuple[str, str]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token would go there."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Api:
    """Asks with a token, waits where it is told to."""

    def __init__(self, headers: Mapping[str, str], wait: Callable[[float], None]) -> None:
        self._headers = {**headers, "User-Agent": "netplan", "Content-Type": "application/json"}
        self._secrets = [one.rpartition(" ")[2] for one in headers.values()]
        self._wait = wait
        self._opener = urllib.request.build_opener(_NoRedirect)

    def ask(self, method: str, url: str, body: str | None = None) -> Any:
        """Return the decoded answer, None where it is empty.

        Raises:
            Refused: If it cannot be had.
        """
        data = None if body is None else json.dumps({"body": body}).encode()
        for left in reversed(range(_ATTEMPTS)):
            request = urllib.request.Request(url, data, dict(self._headers), method=method)
            try:
                with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                    text = answer.read(_ANSWER_BYTES)
                    return json.loads(text) if text else None
            except urllib.error.HTTPError as exc:
                wait_s = _wait_s(exc.code, exc.headers, 2.0 ** (_ATTEMPTS - left))
                if wait_s is None or not left or wait_s > _MOST_WAIT_S:
                    raise self._refused(exc, wait_s) from None
                self._wait(wait_s)
            except (OSError, HTTPException, ValueError) as exc:
                # A comment that may have been posted is not posted again.
                if method == "POST" or not left:
                    raise Refused(f"{_host(url)}: no answer ({type(exc).__name__})") from None
                self._wait(2.0 ** (_ATTEMPTS - left))
        raise AssertionError

    def _refused(self, exc: urllib.error.HTTPError, wait_s: float | None) -> Refused:
        why = _WHY.get(exc.code, "the request failed")
        if wait_s is not None and exc.code in {_FORBIDDEN, 429}:
            why = f"the rate limit is reached, for {wait_s:,.0f} s more"
        try:
            said = json.loads(exc.read(_ANSWER_BYTES)).get("message", "")
        except (OSError, HTTPException, ValueError, AttributeError):
            said = ""
        told = "".join(one if one.isprintable() else " " for one in str(said))[:200]
        for secret in self._secrets:
            told = told.replace(secret, "(not shown)")
        return Refused(f"HTTP {exc.code}: {why}{f' ({told})' if told else ''}", exc.code)


def _wait_s(status: int, headers: Message, usual_s: float) -> float | None:
    """Return how long to wait before asking again; None: asking again does not help."""
    after = headers.get("Retry-After", "")
    if after.isdecimal() and status in {_FORBIDDEN, *_PASSING}:
        return float(after)
    if status in {_FORBIDDEN, 429} and headers.get("X-RateLimit-Remaining") == "0":
        until = headers.get("X-RateLimit-Reset", "")
        return max(float(until) - time.time(), 1.0) if until.isdecimal() else usual_s
    return usual_s if status in _PASSING else None


def _host(url: str) -> str:
    return urlsplit(url).hostname or url


def _base(url: str) -> str:
    """Return the address of an API, which is asked over TLS or on this machine.

    Raises:
        ValueError: If the token would go over the network as it is.
    """
    parts = urlsplit(url)
    is_here = parts.hostname in {"127.0.0.1", "localhost", "::1"}
    if parts.scheme != "https" and not (parts.scheme == "http" and is_here):
        raise ValueError(f"{_host(url)}: not asked: the address of the API is not https")
    return url.rstrip("/")


def github(known: Mapping[str, str]) -> Host | None:
    """Return where comments of a pull request on GitHub are; None: the run is of none."""
    event = json.loads(Path(known["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    of = event.get("pull_request") or event.get("issue") or {}
    if not isinstance(of.get("number"), int):
        return None
    base = _base(known.get("GITHUB_API_URL", "https://api.github.com"))
    issues = f"{base}/repos/{quote(known['GITHUB_REPOSITORY'], safe='/')}/issues"
    return Host(
        f"{issues}/{of['number']}/comments",
        f"{issues}/comments",
        {
            "Authorization": f"Bearer {known['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        "PATCH",
        lambda _: known.get("NETPLAN_COMMENT_AUTHOR", "github-actions[bot]"),
        ("user", "login"),
    )


def gitlab(known: Mapping[str, str]) -> Host | None:
    """Return where notes of a merge request on GitLab are; None: the run is of none."""
    number = known.get("CI_MERGE_REQUEST_IID", "")
    if not number.isdecimal():
        return None
    base = _base(known["CI_API_V4_URL"])
    notes = (
        f"{base}/projects/{quote(known['CI_PROJECT_ID'], safe='')}/merge_requests/{number}/notes"
    )
    return Host(
        notes,
        notes,
        {"PRIVATE-TOKEN": known["NETPLAN_GITLAB_TOKEN"]},
        "PUT",
        lambda api: str(api.ask("GET", f"{base}/user")["username"]),
        ("author", "username"),
    )


def post(host: Host, text: str, wait: Callable[[float], None] = time.sleep) -> str:
    """Create the comment, or update the one with its marker; return which of both was done.

    Of two runs at once the older comment stays, and the newer one is removed.

    Raises:
        Refused: If the API does not do it.
    """
    api = Api(host.headers, wait)
    marker, author = text.partition("\n")[0], host.author(api)
    for _ in range(_ROUNDS):
        own = _own(api, host, marker, author)
        made = None if own else int(api.ask("POST", host.comments, text)["id"])
        if made is not None:
            own = _own(api, host, marker, author)
            if not own or own[0] == made:
                return "created"
        try:
            api.ask(host.update, f"{host.single}/{own[0]}", text)
        except Refused as exc:
            if exc.status != _NOT_FOUND:
                raise
            continue
        for later in own[1:]:
            _remove(api, f"{host.single}/{later}")
        return "updated"
    raise Refused("another run keeps removing the comment")


def _own(api: Api, host: Host, marker: str, author: str) -> list[int]:
    """Return the comments with a marker by an author, the oldest first."""
    key, name = host.author_key
    found = list[int]()
    for page in range(1, _PAGES + 1):
        listed = api.ask("GET", f"{host.comments}?per_page={_PAGE}&page={page}")
        found += [
            int(one["id"])
            for one in listed
            if str(one.get("body") or "").partition("\n")[0].strip() == marker
            and (one.get(key) or {}).get(name) == author
        ]
        if len(listed) < _PAGE:
            break
    return sorted(found)


def _remove(api: Api, url: str) -> None:
    try:
        api.ask("DELETE", url)
    except Refused as exc:
        if exc.status != _NOT_FOUND:
            raise


def main(words: list[str], known: Mapping[str, str]) -> int:
    """Post a file; return the exit status."""
    if len(words) != 1:
        print("post_comment.py FILE", file=sys.stderr)
        return 2
    try:
        text = Path(words[0]).read_text("utf-8")
        if not _MARKER.fullmatch(text.partition("\n")[0]):
            raise ValueError("no comment of netplan: its first line is no marker")
        host = gitlab(known) if known.get("GITLAB_CI") else github(known)
        if host is None:
            print("netplan: no pull request here, nothing posted", file=sys.stderr)
            return 0
        print(f"netplan: comment {post(host, text)}", file=sys.stderr)
    except KeyError as exc:
        print(f"netplan: {exc.args[0]} is not set", file=sys.stderr)
        return 2
    except Refused as exc:
        print(f"netplan: comment not posted: {exc}", file=sys.stderr)
        return 3
    except (OSError, ValueError) as exc:
        told = exc if type(exc) is ValueError else type(exc).__name__
        print(f"netplan: comment not posted: {told}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
