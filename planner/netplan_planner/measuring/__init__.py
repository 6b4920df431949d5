"""Measurements of throughput: run the tools, read what they print, keep the results."""
