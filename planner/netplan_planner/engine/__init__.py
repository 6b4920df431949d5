"""One module a verb: a request in, an answer out. None knows a flag, a file format or a colour."""
