"""A page in the Chromium of this system, with all that it asks for and complains about."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = f"no browser here: none of {', '.join(NAMES)} is on the PATH (apt-get install chromium)"

Scheme = Literal["light", "dark"]


class Opened(NamedTuple):
    """A page, and what it did."""

    page: Page
    complaints: list[str]
    """Messages of the console and errors of scripts."""
    requests: list[str]
    """Addresses beside the page's own."""
    dialogs: list[str]


def chromium() -> str | None:
    """Return the path of a browser of this system."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """Run one browser for several pages; it is never downloaded."""
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium())
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Browser,
    file: Path,
    *,
    scheme: Scheme = "light",
    width: int = 1280,
    has_scripts: bool = True,
    fragment: str = "",
) -> Iterator[Opened]:
    """Open a file of this machine; a dialog is noted and closed."""
    context: BrowserContext = browser.new_context(
        color_scheme=scheme,
        java_script_enabled=has_scripts,
        viewport={"width": width, "height": 900},
    )
    page = context.new_page()
    seen = Opened(page=page, complaints=[], requests=[], dialogs=[])
    page.on("console", lambda message: seen.complaints.append(message.text))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("request", lambda request: seen.requests.append(request.url))

    def dismiss(dialog: Any) -> None:
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    try:
        page.goto(f"{file.as_uri()}{fragment}")
        address = f"{file.as_uri()}{fragment}".partition("#")[0]
        if address in seen.requests:
            seen.requests.remove(address)
        yield seen
    finally:
        context.close()


def violations(page: Page) -> list[str]:
    """Return what axe-core finds that is serious or critical: rule, element, reason."""
    source = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    # What is far below the window is not laid out (`content-visibility`): all of it has to be.
    width, height = page.evaluate("[innerWidth, document.documentElement.scrollHeight]")
    page.set_viewport_size({"width": width, "height": min(height, 16_000)})
    # Evaluated by the debugger, not added to the page, whose policy allows no script but its own.
    page.evaluate(source)
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary']}"
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]
