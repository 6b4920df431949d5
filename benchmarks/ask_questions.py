"""Ask netplan's tools the hundred questions, without a model, and compare their answers.

    python benchmarks/ask_questions.py [--only TEXT]

The server is `netplan mcp --allow benchmarks/questions/inputs`, over stdio, asked by the SDK's own
client. Each question names its calls and where in an answer the value is: steps of a path, each a
field, an index, `field=value` (the first item that has it) or `*` (the sum over all items). What
is not known must be refused with a text that names it, or be null or absent: 0 is wrong.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

HOME = Path(__file__).parent / "questions"
sys.path.insert(0, str(HOME))

from derive import agrees, questions  # noqa: E402

COMMAND = "from netplan_planner.cli import main; main()"


class Asked:
    """A client that asks every question, and follows cursors to what it looks for."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.calls = 0
        self.characters: list[int] = []

    async def tool(self, name: str, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return an answer and nothing, or nothing and why there is none."""
        self.calls += 1
        done: Any = await self.client.call_tool(name, given)
        text = done.content[0].text
        self.characters.append(len(text))
        return ({}, text) if done.is_error else (done.structured_content, "")

    async def value(self, made: dict[str, Any], path: str) -> Any:
        """Return what is at a path of an answer; None: nothing is."""
        found, place = made["answer"], ""
        more = {cut["path"]: cut["cursor"] for cut in made["more"]}
        steps = path.split("/")
        for at, step in enumerate(steps):
            if isinstance(found, list):
                found = await self.whole(found, more.get(place))
            if step == "*":
                rest = "/".join(steps[at + 1 :])
                each = [await self.value({"answer": one, "more": []}, rest) for one in found]
                return sum(each)
            index = _index(found, step)
            if index is None:
                return None
            found, place = found[index], f"{place}/{index}"
        return found

    async def whole(self, items: list[Any], cursor: str | None) -> list[Any]:
        """Return a list with what its cursor leads to."""
        items = [*items]
        while cursor is not None:
            page, why = await self.tool("page", {"cursor": cursor})
            assert not why, why
            items += page["items"]
            cursor = page["next_cursor"]
        return items


def _index(found: Any, step: str) -> Any:
    if isinstance(found, dict):
        # A field that is not there is a question put wrongly, not one without an answer.
        if step not in found:
            raise LookupError(f"no field {step!r} in {', '.join(found)[:200]}")
        return step
    if not isinstance(found, list):
        return None
    if step.isdecimal():
        return int(step) if int(step) < len(found) else None
    key, _, wanted = step.partition("=")
    return next((at for at, one in enumerate(found) if _said(one.get(key)) == wanted), None)


def _said(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


async def failure(asked: Asked, question: dict[str, Any]) -> str:
    """Return what is wrong with the tools' answer; empty: nothing is."""
    values: list[Any] = []
    for call in question["calls"]:
        made, why = await asked.tool(call["tool"], call["given"])
        if why:
            known = question.get("unknown")
            is_told = known not in (None, "null") and known in why
            return "" if is_told else f"refused: {why[:160]}"
        found = await asked.value(made, call["at"]) if "at" in call else "an answer"
        values.append(found)
        if isinstance(found, int | float) and not isinstance(found, bool):
            values[-1] = found * call.get("sign", 1)
    if "unknown" in question:
        return "" if values == [None] else f"{values} where nothing is known"
    if None in values:
        return f"nothing at {question['calls'][values.index(None)]['at']}"
    found = values[0] if isinstance(values[0], str) else sum(values)
    is_right = agrees(question["answer"], found, question.get("tolerance", 0.005))
    return "" if is_right else f"{found}, derived {question['answer']}"


async def ask(only: str) -> int:
    """Ask all questions, print those that fail, and return how many do."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", COMMAND, "mcp", "--allow", str(HOME / "inputs")],
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    count = failures = 0
    began = perf_counter()
    async with Client(server) as client:
        asked = Asked(client)
        for question in questions():
            if only and only not in f"{question['topic']}/{question['id']}":
                continue
            count += 1
            try:
                why = await failure(asked, question)
            except LookupError as exc:
                why = str(exc)
            if why:
                failures += 1
                print(f"{question['topic']}/{question['id']}: {why}")
    print(
        f"{count} questions, {count - failures} answered right, {asked.calls} calls,"
        f" {perf_counter() - began:.0f} s; an answer has {max(asked.characters):,} characters at"
        f" most, {sorted(asked.characters)[len(asked.characters) // 2]:,} in the median"
    )
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--only", default="", help="part of TOPIC/ID")
    sys.exit(min(anyio.run(ask, parser.parse_args().only), 1))
