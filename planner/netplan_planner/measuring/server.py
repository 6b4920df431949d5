"""The server end of one run: iperf3 servers that cannot outlive it.

Each takes one test and ends. Before that, it is ended by `close`, by the end of the connection, by
silence on it, or by its own time limit, whichever comes first (guard.py).
"""

from netplan_planner.errors import AccessError
from netplan_planner.measuring.campaign import Patience, ProbePair
from netplan_planner.measuring.guard import BUSY, FAILED, READY, Lead, serve_command
from netplan_planner.measuring.sessions import Session, attend


class Server:
    """Servers that listen while the block runs, and are gone when it is left."""

    def __init__(self, pair: ProbePair, *, count: int, lead: Lead, patience: Patience) -> None:
        """Start `count` servers and wait until all of them listen.

        Args:
            pair: Whose server end, ports and program are meant.
            count: How many servers, each on a port of its own.
            lead: How long they may live, and hear nothing.
            patience: How long to wait for them.

        Raises:
            AccessError: If the end does not answer, ports are taken, or iperf3 ends at once.
        """
        end = pair.server
        command = serve_command(program=end.iperf3, ports=pair.ports, count=count, lead=lead)
        self.session = Session(end.transport.argv(command), label=end.transport.label)
        try:
            self.ports = self._ports(pair, count, patience)
        except BaseException:
            self.session.close()
            raise

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def _ports(self, pair: ProbePair, count: int, patience: Patience) -> tuple[int, ...]:
        session = self.session

        def has_word() -> bool:
            return session.has_ended or b"\n" in session.output

        has_answered = attend([session], until=has_word, deadline_s=patience.start_s)
        words = session.output.decode("utf-8", "replace").partition("\n")[0].split()
        if words[:1] == [READY] and len(words) == count + 1:
            return tuple(map(int, words[1:]))
        label = session.label
        if words[:1] == [BUSY]:
            first, last = pair.ports
            raise AccessError(
                f"{label}: fewer than {count} of the ports {first} to {last} are free there; see"
                " `ss -ltn`, or give other ports"
            )
        said = session.complaint() or "it said nothing"
        if words[:1] == [FAILED]:
            raise AccessError(f"{label}: iperf3 did not listen ({said})")
        if not has_answered:
            raise AccessError(f"{label}: no iperf3 listens within {patience.start_s} s ({said})")
        raise AccessError(f"{label}: no server could be started ({said})")
