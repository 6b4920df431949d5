"""The documentation site: Markdown of this checkout, pages of the code, and `llms.txt`."""
