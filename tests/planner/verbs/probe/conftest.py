"""By day a promise is drawn a few times where a test looks at what is chosen, not at how sure."""

from collections.abc import Iterator

import pytest

from netplan_planner.verbs.probe import promise
from support.examples import sized


@pytest.fixture(scope="module", autouse=True)
def few_draws(request: pytest.FixtureRequest) -> Iterator[None]:
    """Draw what runs may measure five times; as the product by night and under `ALL_DRAWS`."""
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "ALL_DRAWS", False):
            patch.setattr(promise, "_DRAWS", sized(5, promise._DRAWS))
        yield
