"""Commands in a text: letter by letter, or not at all."""

from collections.abc import Iterator, Sequence

from netplan_planner.inert import is_inert
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Block, Command, Para, line


def shown(commands: Sequence[str]) -> Iterator[Block]:
    """Yield commands to copy; those that would do something to a terminal are counted instead."""
    hidden = [command for command in commands if not is_inert(command)]
    for command in commands:
        if command not in hidden:
            yield Command(text=command)
    if hidden:
        text = "cannot be shown safely as they are; --output json holds them"
        yield Para(line=line(f"{figures.counted(len(hidden), 'command')} {text}"), is_inner=True)
