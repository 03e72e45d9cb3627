"""The commands of docs/operate/install.md, and of another page."""

import re
import shlex
import sys

from executable import ROOT

sys.path.append(str(ROOT / "Tests/Tour"))
PAGE = "docs/operate/install.md"


def block(start, page=PAGE):
    """The text of the block that begins with this."""
    from pages import blocks
    found = [each for each in blocks(page) if each.lines[0].startswith(start)]
    assert len(found) == 1, f"{page} has {len(found)} blocks that begin with {start}"
    return "\n".join(found[0].lines)


def prompted(start):
    """The commands of a block whose commands have a prompt."""
    return [line.removeprefix("$ ") for line in block(start).splitlines()]


def document(start, name):
    """What the block writes into a file with `cat`."""
    return re.search(rf"^cat > {re.escape(name)} << 'END'\n(.*?)^END$", block(start) + "\n", re.MULTILINE | re.DOTALL)[1]


def words(start, command):
    """The words of the command that begins so."""
    text = block(start).replace("\\\n", " ")
    (line,) = [line for line in text.splitlines() if line.startswith(command)]
    return shlex.split(line)


def options(words, name):
    """The operands of an option that can be repeated."""
    return [words[place + 1] for place, word in enumerate(words) if word == f"--{name}"]
