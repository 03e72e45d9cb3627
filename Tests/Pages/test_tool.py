"""The program of docs/use/example in Swift: a tool without a URL scheme gets its user from the hosted pages."""

import os
import secrets
import subprocess

import pytest
from playwright.sync_api import expect
from service import ADMINISTRATOR

PASSWORD = "correct-horse-7"


@pytest.fixture
def client_id(service):
    registered = service.request("POST", "v2/projects/demo-latchkey/apps", {
        "displayName": "Harbour tool", "kind": "TOOL", "redirectUris": ["http://127.0.0.1/signed-in"]}, **ADMINISTRATOR)
    yield registered["clientId"]
    service.request("DELETE", f"v2/projects/demo-latchkey/apps/{registered['clientId']}", **ADMINISTRATOR)


@pytest.fixture
def start(service, client_id, tmp_path):
    """Starts the tool, and returns it with the address that it shows."""
    from mesh import EXECUTABLES

    tools = []

    def start():
        tool = subprocess.Popen(
            [EXECUTABLES / "sign-in-example", service.origin, "--hosted", client_id], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "HOME": str(tmp_path)})
        tools.append(tool)
        line = tool.stdout.readline()
        assert line.startswith("Open this address in a browser: ")
        return tool, line.split(": ", 1)[1].strip()
    yield start
    for tool in tools:
        tool.kill()
        tool.wait()
        tool.stdout.close()


def test_tool_gets_its_user(start, open_tab, tmp_path):
    email = f"{secrets.token_hex(6)}@example.com"
    tool, address = start()
    tab = open_tab()
    tab.open(address)
    expect(tab.page.get_by_text("to continue to Harbour tool")).to_be_visible()
    tab.link("Create an account").click()
    tab.field("E-mail address").fill(email)
    tab.field("New password").fill(PASSWORD)
    tab.button("Create an account").click()
    expect(tab.page.get_by_text("You can close this window")).to_be_visible()
    output = tool.stdout.read()
    assert "The sign-in is complete." in output and f", {email}, " in output
    assert "first factor password, second factor none" in output
    # HOME has the session, which only its owner can read.
    session = tmp_path / ".sign-in-example.json"
    assert session.stat().st_mode & 0o777 == 0o600
