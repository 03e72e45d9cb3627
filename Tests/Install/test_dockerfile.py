"""deploy/Dockerfile, which is not built here: there is no engine."""

import re
import subprocess

from executable import ROOT

FILE = ROOT / "deploy/Dockerfile"


def test_linter_finds_nothing():
    end = subprocess.run(["hadolint", FILE], capture_output=True, text=True)
    assert end.returncode == 0, end.stdout


def test_image_is_that_of_the_other_builder():
    text = FILE.read_text()
    other = (ROOT / "deploy/image/pack").read_text()
    assert "USER 65532:65532" in text and re.search(r"^USER = 65532$", other, re.MULTILINE)
    for word in ["LATCHKEY_LISTEN=0.0.0.0:9099", "LATCHKEY_ADMIN_LISTEN=0.0.0.0:9098"]:
        assert word in text and word in other
