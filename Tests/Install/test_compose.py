"""deploy/compose.yaml: what it demands, and the command line that it starts."""

import os
import re
import subprocess

import page
import pytest
import yaml
from application import sign_in, sign_up
from container import Container
from executable import ROOT
from unit import environment_file

GIVEN = environment_file(page.document("install -d", "latchkey.env"))
# Addresses without a secret.
PUBLIC = ["LATCHKEY_PUBLIC_URL", "LATCHKEY_ADMIN_URL"]
# What has no default.
DEMANDED = sorted(set(GIVEN) - {"LATCHKEY_IMAGE"})
VARIABLE = re.compile(r"\$\{(\w+)(?::([?-])([^}]*))?\}")


def document(**given):
    """The file as an engine reads it with these variables. Raises `KeyError` with the sentence of what is missing."""
    def value(match):
        name, kind, text = match.groups()
        if name in given:
            return given[name]
        if kind == "-":
            return text
        raise KeyError(f"{name}: {text}")

    lines = (ROOT / "deploy/compose.yaml").read_text().splitlines()
    return yaml.safe_load("\n".join(VARIABLE.sub(value, line) for line in lines if not line.lstrip().startswith("#")))


@pytest.mark.parametrize("name", DEMANDED)
def test_missing_variable_is_named_with_an_example(name):
    with pytest.raises(KeyError, match=f"{name}: name the "):
        document(**{other: value for other, value in GIVEN.items() if other != name})


def test_container_has_no_rights():
    service = document(**GIVEN)["services"]["latchkey"]
    assert service["read_only"] is True and service["user"] == "65532:65532" and service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_secrets_are_files_and_a_server_is_a_choice():
    read = document(**GIVEN)
    assert set(read["services"]) == {"latchkey", "postgresql"} and "profiles" not in read["services"]["latchkey"]
    assert read["services"]["postgresql"]["profiles"] == ["postgresql"]
    for service in read["services"].values():
        for name in service["secrets"]:
            assert read["secrets"][name]["file"] == f"{GIVEN['LATCHKEY_SECRETS']}/{name}"
        for variable, value in service["environment"].items():
            if variable.endswith("_FILE"):
                assert value.removeprefix("/run/secrets/") in service["secrets"]
            assert not re.search("PASSWORD$|SECRET$|_URL$", variable) or variable in PUBLIC


@pytest.fixture
def service(place):
    """The service, and its secrets as the page makes them."""
    commands = page.block("install -d").partition("\ndocker ")[0]
    # Only root gives files to another group.
    own = "" if os.geteuid() == 0 else 'chgrp() { :; }\ninstall() { mkdir -m 0750 "${@: -1}"; }\n'
    subprocess.run(["bash", "-euc", own + commands], cwd=place, check=True)
    (place / "run").mkdir()
    (place / "secrets").rename(place / "run/secrets")
    return document(**GIVEN)["services"]["latchkey"]


def test_user_signs_in(executables, place, service):
    container = Container(executables, place, service["command"], service["environment"])
    try:
        container.wait_until_ready()
        assert service["healthcheck"]["test"] == ["CMD", "/usr/bin/latchkey", "healthcheck"]
        assert container.run("healthcheck") == (0, "ready\n")
        key = container.create_project()
        assert sign_up(container.origin, key, "ada@shop.test") == sign_in(container.origin, key, "ada@shop.test")
    finally:
        code = container.stop()
    assert code == 0


def test_missing_secret_is_one_sentence(executables, place, service):
    (place / "run/secrets/database-url").unlink()
    container = Container(executables, place, service["command"], service["environment"])
    try:
        assert container.process.wait(timeout=60) == 78
    finally:
        container.stop()
    lines = container.process.log.read_text().splitlines()
    assert len(lines) == 1 and "database-url" in lines[0], lines
