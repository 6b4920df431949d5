"""A pull request from Terraform's plan to its comment, by the one command that the guide shows."""

from pathlib import Path

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs/how-to/running/pull-requests.md"
EXAMPLE = ROOT / "docs/examples/pull-request"
