"""Pictures of a report as values: places and lengths that the templates draw as SVG or tables."""
