"""What flow logs cost, by who writes them, and settings that cost less: one module a concern."""
