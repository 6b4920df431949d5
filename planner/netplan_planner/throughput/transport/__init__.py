"""TCP's own arithmetic: headers, windows, the start and what it costs."""
