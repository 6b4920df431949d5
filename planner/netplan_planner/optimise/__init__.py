"""Optimisers: a need in, a plan or the reason why there is none out. No files, no printing."""
