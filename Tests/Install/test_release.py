"""What `make release` publishes, and how others verify it."""

import re
import subprocess

import page
import pytest
from executable import ROOT

pytestmark = pytest.mark.long


def test_checksums_are_those_of_every_file(published):
    command = page.words("sha256sum", "sha256sum --check")
    checked = subprocess.run(command, cwd=published, check=True, capture_output=True, text=True).stdout
    names = {line.removesuffix(": OK") for line in checked.splitlines()}
    assert names == {path.name for path in published.iterdir()} - {"SHA256SUMS"}
    for kind in [".deb", ".oci.tar", ".spdx.json", ".cdx.json", "RELEASE-NOTES.md"]:
        assert any(name.endswith(kind) for name in names), kind


def test_notes_are_those_of_the_changelog(published):
    notes = (published / "RELEASE-NOTES.md").read_text()
    version = re.search(r'static let version = "(.*)"', (ROOT / "Shared/ServiceRuntime/Program.swift").read_text())[1]
    changelog = (ROOT / "CHANGELOG.md").read_text()
    heading = f"## [{version}]" if f"## [{version}]" in changelog else "## [Unreleased]"
    part = changelog.partition(heading)[2].partition("\n## ")[0].partition("\n")[2]
    assert notes.split("\n", 1) == [f"# Latchkey {version}", "\n" + part.strip("\n") + "\n"]
