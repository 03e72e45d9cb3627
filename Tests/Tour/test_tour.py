"""A reader types what README.md and docs/use/tour.md show, one page after the other, on one data directory."""

import os
import re
import time

import pytest
from conftest import EXECUTABLES, FORM
from pages import ROOT, blocks, commands
from shape import difference, pattern, shape

PAGES = ["README.md", "docs/use/tour.md"]
COMMANDS = [command for page in PAGES for command in commands(page)]
LOGS = [block for page in PAGES for block in blocks(page)
        if not block.has_commands and re.match(r"\S+Z (debug|info|warn|error) ", block.lines[0])]
BUILD = "swift build --product "


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.place)
def test_command_prints_what_its_page_shows(terminal, command):
    if command.text == "make run":
        output = terminal.start()
    elif command.text.startswith(BUILD):
        assert (EXECUTABLES / command.text.removeprefix(BUILD)).exists()
        return
    else:
        code, output = terminal.run(command.text)
        # A message arrives a moment after the request: a reader types slower than the suite.
        end = time.monotonic() + 60
        while "/dev/inbox" in command.text and difference(command.output, output) and time.monotonic() < end:
            code, output = terminal.run(command.text)
        assert code == 0, "\n".join([f"{command.place} ends with {code}", *output])
    assert (found := difference(command.output, output)) is None, f"{command.place}: {found}"


@pytest.mark.skipif(FORM in os.environ, reason="the page shows the log of a mesh of several processes")
@pytest.mark.parametrize(
    "line", [line for block in LOGS for line in block.lines], ids=lambda line: line.split()[3])
def test_log_has_the_lines_that_a_page_shows(terminal, line):
    assert any(pattern(line).fullmatch(shape(entry)) for entry in terminal.log), "\n".join(terminal.log[-20:])


@pytest.mark.parametrize("page", PAGES)
def test_page_has_commands(page):
    assert sum(command.page == page for command in COMMANDS) >= 5


def test_pages_name_targets_that_exist():
    targets = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {word for page in PAGES
             for word in re.findall(r"(?:^|`|\$ )make ([a-z]+)\b", (ROOT / page).read_text(), re.M)}
    assert named <= targets


@pytest.mark.parametrize("expected, actual, isSame", [
    ('{"localId":"39su"}', '{"localId":"aB9_"}', True),
    ('{"localId":"39su"}', '{"localId":""}', False),
    ('{"localId":"39su"}', '{"localId":7}', False),
    ('{"idToken":"eyJhbG...","expiresIn":"3600"}', '{"idToken":"eyJh.eyJi.c-_","expiresIn":"3600"}', True),
    ('{"idToken":"eyJhbG...","expiresIn":"3600"}', '{"idToken":"eyJh.eyJi.c-_","expiresIn":"60"}', False),
    ('{"id_token":"eyJhbG...', '{"id_token":"eyJh.eyJi.c-_","expires_in":"3600"}', True),
    ("a process ended", "a process started", False),
    ("one\ntwo", "one", False),
    ("one", "one\ntwo", False),
    ("  identity.1    5317", "  identity.1    1234567", True),
    ("  identity.1    5317", "  identity.1    -", False),
    ("ready in 3 steps", "ready in 4 steps", False),
])
def test_shapes_are_compared(expected, actual, isSame):
    assert (difference(expected.split("\n"), actual.split("\n")) is None) == isSame
