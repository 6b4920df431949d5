"""A report where changes are reviewed: lines, annotations of GitHub, comments."""
