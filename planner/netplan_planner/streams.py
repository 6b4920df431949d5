"""Big answers to stdout, by way of a pipe."""

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CHUNK_BYTES = 1 << 20


@contextmanager
def to_stdout() -> Iterator[Path]:
    """Yield a path that writes to stdout, for writers that know files only.

    `/dev/stdout` itself would be opened anew: where stdout is a file, at its start.

    Raises:
        BrokenPipeError: If the reader of stdout has gone.
    """
    sys.stdout.flush()
    source, sink = os.pipe()
    failures: list[OSError] = []

    def copy() -> None:
        try:
            with os.fdopen(source, "rb") as pipe:
                shutil.copyfileobj(pipe, sys.stdout.buffer, _CHUNK_BYTES)
                sys.stdout.flush()
        except OSError as exc:
            failures.append(exc)

    reader = threading.Thread(target=copy, daemon=True)
    reader.start()
    try:
        yield Path(f"/dev/fd/{sink}")
    except Exception:
        # The writer fails because nobody reads any more: that is the cause to tell.
        os.close(sink)
        reader.join()
        if failures:
            raise failures[0] from None
        raise
    os.close(sink)
    reader.join()
    if failures:
        raise failures[0]
