"""The commands of a page, and the output that the page shows."""

import dataclasses
import pathlib

ROOT = pathlib.Path(__file__).parent.parent.parent
PROMPT = "$ "


@dataclasses.dataclass(frozen=True)
class Block:
    """What stands between two fences."""
    page: str
    line: int  # Of the first line, from 1.
    lines: tuple

    @property
    def has_commands(self):
        return any(line.startswith(PROMPT) for line in self.lines)


@dataclasses.dataclass(frozen=True)
class Command:
    page: str
    line: int
    text: str  # One or several lines for a shell.
    output: tuple  # The lines that the page shows.

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def blocks(page):
    """The fenced blocks of a page, in their order."""
    found, start, lines = [], None, []
    for number, line in enumerate((ROOT / page).read_text().splitlines(), start=1):
        if line.startswith("```"):
            if start is None:
                start, lines = number + 1, []
            else:
                found.append(Block(page, start, tuple(lines)))
                start = None
        elif start is not None:
            lines.append(line)
    assert start is None, f"{page}: the fence before line {start} is not closed"
    return found


def commands(page):
    """A line that begins with the prompt is a command; a backslash at its end continues it."""
    found = []
    for block in blocks(page):
        if not block.has_commands:
            continue
        assert block.lines[0].startswith(PROMPT), f"{page}:{block.line} begins with output"
        continues = False
        for number, line in enumerate(block.lines, start=block.line):
            if line.startswith(PROMPT):
                found.append([number, [line.removeprefix(PROMPT)], []])
            elif continues:
                found[-1][1].append(line)
            else:
                found[-1][2].append(line)
                continue
            continues = line.endswith("\\")
    return [Command(page, number, "\n".join(text), tuple(output)) for number, text, output in found]
