"""The comment is made once, updated in place, and the token is in no output."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import post_comment
from support.servers.review import BOT, Fault, ReviewServer

TOKEN = "ghs_t0k3n-Zq8vX1kPw9LmT4"
MARKER = "<!-- netplan:audit 0123456789ab -->"
Known = dict[str, str]


@pytest.fixture
def server() -> Iterator[ReviewServer]:
    made = ReviewServer(TOKEN)
    yield made
    made.close()


@pytest.fixture(params=["github", "gitlab"])
def known(request: pytest.FixtureRequest, server: ReviewServer, tmp_path: Path) -> Known:
    if request.param == "gitlab":
        return {
            "GITLAB_CI": "true",
            "CI_API_V4_URL": server.url,
            "CI_PROJECT_ID": "5",
            "CI_MERGE_REQUEST_IID": "7",
            "NETPLAN_GITLAB_TOKEN": TOKEN,
        }
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    return {
        "GITHUB_API_URL": server.url,
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_TOKEN": TOKEN,
    }


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found = list[float]()
    monkeypatch.setattr(post_comment.post, "__defaults__", (found.append,))
    return found


class Run:
    """Posts a text; keeps what was said."""

    def __init__(self, folder: Path, known: Known, capsys: pytest.CaptureFixture[str]) -> None:
        self._file, self._known, self._capsys = folder / "comment.md", known, capsys

    def __call__(self, text: str = "one", **more: str) -> tuple[int, str]:
        self._file.write_text(f"{MARKER}\n{text}\n")
        status = post_comment.main([str(self._file)], {**self._known, **more})
        out, err = self._capsys.readouterr()
        assert out == ""
        assert TOKEN not in err
        return status, err


@pytest.fixture
def run(
    tmp_path: Path, known: Known, waits: list[float], capsys: pytest.CaptureFixture[str]
) -> Run:
    assert waits == []
    return Run(tmp_path, known, capsys)


def bodies(server: ReviewServer) -> list[str]:
    return [one["body"] for one in server.comments.values()]


def test_it_is_made_once_and_then_updated(server: ReviewServer, run: Run) -> None:
    server.add("looks good", "reviewer")
    assert run("one") == (0, "netplan: comment created\n")
    assert run("two") == (0, "netplan: comment updated\n")
    assert bodies(server) == ["looks good", f"{MARKER}\ntwo\n"]


def test_it_is_found_on_a_later_page(server: ReviewServer, run: Run) -> None:
    for number in range(250):
        server.add(f"comment {number}", "reviewer")
    run("one")
    run("two")
    assert len(server.comments) == 251


def test_the_comment_of_somebody_else_is_left_alone(server: ReviewServer, run: Run) -> None:
    server.add(f"{MARKER}\nmine", "stranger")
    server.add(f"> {MARKER}\nquoted", BOT)
    run("one")
    assert bodies(server)[:2] == [f"{MARKER}\nmine", f"> {MARKER}\nquoted"]
    assert bodies(server)[2:] == [f"{MARKER}\none\n"]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "the token is not valid"),
        (403, "pull-requests: write"),
        (404, "no such repository"),
        (422, "was not accepted (body is too long)"),
    ],
)
def test_a_refusal_is_said_and_not_repeated(
    server: ReviewServer, run: Run, waits: list[float], status: int, said: str
) -> None:
    server.faults = [Fault(status, message="body is too long")]
    found, err = run()
    assert (found, waits, len(server.asked)) == (3, [], 1)
    assert f"HTTP {status}" in err
    assert said in err
    assert server.comments == {}


def test_a_rate_limit_is_waited_for(server: ReviewServer, run: Run, waits: list[float]) -> None:
    server.faults = [Fault(403, {"Retry-After": "7"}), Fault(429, {"Retry-After": "9"}), Fault(502)]
    assert run()[0] == 0
    assert waits[:2] == [7.0, 9.0]
    assert len(waits) == 3
    assert len(server.comments) == 1


def test_a_long_rate_limit_is_an_error(
    server: ReviewServer, run: Run, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    server.faults = [Fault(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4600"})]
    status, err = run()
    assert (status, waits) == (3, [])
    assert "the rate limit is reached, for 3,600 s more" in err


def test_an_api_that_stays_down_is_an_error(
    server: ReviewServer, run: Run, waits: list[float]
) -> None:
    server.faults = [Fault(503)] * 9
    assert run()[0] == 3
    assert len(server.asked) == 4
    assert len(waits) == 3


def test_without_a_network_the_host_is_named(known: Known, run: Run, waits: list[float]) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{held.getsockname()[1]}"
        (name,) = {"GITHUB_API_URL", "CI_API_V4_URL"} & known.keys()
        status, err = run(**{name: nobody})
    assert (status, len(waits)) == (3, 3)
    assert "comment not posted: 127.0.0.1: no answer" in err


def test_an_answer_that_quotes_the_token_shows_none_of_it(server: ReviewServer, run: Run) -> None:
    server.faults = [Fault(422, message=f"who is {TOKEN}?\x1b[31m\n::add-mask::x")]
    _, err = run()
    assert "who is (not shown)?" in err
    assert "\x1b" not in err
    assert err.count("\n") == 1


def test_no_redirect_is_followed(server: ReviewServer, run: Run) -> None:
    other = ReviewServer(TOKEN)
    server.faults = [Fault(307, {"Location": f"{other.url}/user"})] * 2
    assert run()[0] == 3
    assert other.asked == []
    other.close()


def test_of_two_at_once_one_comment_stays(
    server: ReviewServer, known: Known, tmp_path: Path, waits: list[float]
) -> None:
    file = tmp_path / "comment.md"
    file.write_text(f"{MARKER}\ntext\n")
    both = threading.Barrier(2)

    def before(method: str) -> None:
        # Both have looked and found none, before either posts.
        if method == "POST":
            both.wait(timeout=30)

    server.before = before
    ends = list[int]()
    runs = [
        threading.Thread(target=lambda: ends.append(post_comment.main([str(file)], known)))
        for _ in range(2)
    ]
    for one in runs:
        one.start()
    for one in runs:
        one.join(timeout=60)
    assert ends == [0, 0]
    assert bodies(server) == [f"{MARKER}\ntext\n"]
    assert server.asked.count("POST") == 2
    assert waits == []


def test_one_that_goes_meanwhile_is_made_again(server: ReviewServer, run: Run) -> None:
    number = server.add(f"{MARKER}\nold")

    def before(method: str) -> None:
        if method in {"PATCH", "PUT"}:
            server.comments.pop(number, None)

    server.before = before
    assert run("new")[0] == 0
    assert bodies(server) == [f"{MARKER}\nnew\n"]


@pytest.mark.parametrize("name", ["GITHUB_API_URL", "CI_API_V4_URL"])
def test_a_token_goes_over_no_open_line(run: Run, known: Known, name: str) -> None:
    if name not in known:
        name = next(one for one in known if one.endswith("_URL"))
    status, err = run(**{name: "http://api.example"})
    assert status == 3
    assert "is not https" in err


def test_without_a_pull_request_nothing_is_posted(
    server: ReviewServer, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "event.json").write_text(json.dumps({"ref": "refs/heads/main"}))
    status, err = run(CI_MERGE_REQUEST_IID="")
    assert (status, server.asked) == (0, [])
    assert "no pull request here" in err


def test_a_missing_token_and_another_file_are_refused(
    known: Known, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "comment.md"
    file.write_text(f"{MARKER}\n")
    token = next(one for one in known if one.endswith("_TOKEN"))
    without = {name: value for name, value in known.items() if name != token}
    assert post_comment.main([str(file)], without) == 2
    assert token in capsys.readouterr().err
    file.write_text("# notes\n")
    assert post_comment.main([str(file)], known) == 3
    assert post_comment.main([], known) == 2
