"""Facts to findings, joint fixes and their order: what `audit` and `whatif` share."""
