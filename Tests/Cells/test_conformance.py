"""The conformance suite, with each request at another of two meshes that share a database."""

import os
import pathlib
import subprocess
import sys

import pytest
from balancer import Balancer
from machines import two_meshes

HERE = pathlib.Path(__file__).parent
SUITE = HERE / "../Conformance"
ENDPOINTS = """{"accounts.google.com":"http://127.0.0.1:9197/google", "www.googleapis.com":"http://127.0.0.1:9197/google",
 "graph.facebook.com":"http://127.0.0.1:9197/graph", "limited.facebook.com":"http://127.0.0.1:9197/facebook",
 "www.facebook.com":"http://127.0.0.1:9197/facebook"}"""


def changes_configuration(method, path):
    return method != "GET" and "/projects/" in path and "/accounts" not in path


@pytest.mark.long
def test_conformance():
    settings = dict(LATCHKEY_DEV_ENDPOINTS=ENDPOINTS,
                    LATCHKEY_DEV_SERVICE_ACCOUNTS=str(SUITE / "lib/service-account.json"))
    with Balancer(changes_configuration) as balancer, two_meshes(
            LATCHKEY_PUBLIC_URL=balancer.origin, **settings) as meshes:
        balancer.begin([mesh.origin for mesh in meshes])
        suite = subprocess.run(
            [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-n", "2"], cwd=SUITE,
            env={**os.environ, "LATCHKEY_URL": balancer.origin, "LATCHKEY_VECTORS": str(HERE / "../Vectors")},
            capture_output=True, text=True, timeout=1800)
        assert suite.returncode == 0, suite.stdout[-20000:]
        print(suite.stdout.splitlines()[-1], balancer.counts)
        assert min(balancer.counts.values()) > 100
