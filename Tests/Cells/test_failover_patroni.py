"""Patroni promotes another server, while clients write through a mesh."""

import signal
import time

import pytest
from failover_clients import Clients
from mesh import Mesh, wait_for
from patroni import GATE, LEASE_SECONDS, Cluster

pytestmark = pytest.mark.long

# Writes go on at most this long after PostgreSQL accepts them.
LONGEST_SECONDS = 2


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module", params=["servers", "haproxy"])
def mesh(request, cluster, tmp_path_factory):
    place = {"servers": ",".join(f"{node.address}:5432" for node in cluster.nodes), "haproxy": f"{GATE}:5000"}[request.param]
    cluster.wait_until_whole()
    cluster.sql(f"CREATE DATABASE {request.param} OWNER latchkey")
    mesh = Mesh(tmp_path_factory.mktemp("mesh"), "--only", "gateway,identity",
                LATCHKEY_DATABASE_URL=f"postgres://latchkey@{place}/{request.param}")
    mesh.place = request.param
    yield mesh
    assert mesh.stop() == 0, mesh.log


def kill(cluster):
    cluster.primary.kill()


def partition(cluster):
    cluster.primary.connect(False)


@pytest.mark.parametrize("fault", [Cluster.switch_over, kill, partition])
def test_another_server_is_promoted(cluster, mesh, fault):
    cluster.wait_until_whole()
    former = cluster.primary
    with Clients(mesh.origin) as clients:
        wait_for("every client has written", lambda: len(clients.history) > 100 and clients.last())
        begin = time.monotonic()
        fault(cluster)
        accepts = wait_for("another server accepted writes", lambda: cluster.accepts_again(former, begin), timeout=120)
        again = wait_for("writes went on", lambda: clients.first_after(accepts), timeout=60)
        former.connect(True)
        cluster.wait_until_whole()
    print(f"\n{mesh.place}, {fault.__name__}: PostgreSQL accepts writes after {accepts - begin:.2f} s, "
          f"Latchkey {again - accepts:.2f} s later")
    clients.judge()
    assert again - accepts <= LONGEST_SECONDS


def test_writes_go_on_without_etcd(cluster, mesh):
    cluster.wait_until_whole()
    former = cluster.primary
    with Clients(mesh.origin) as clients:
        wait_for("every client has written", lambda: len(clients.history) > 100 and clients.last())
        cluster.etcd.send_signal(signal.SIGSTOP)
        try:
            end = time.monotonic() + LEASE_SECONDS + 10
            for operation in ("write", "read"):
                wait_for(f"a {operation} after the lease", lambda: clients.first_after(end, operation), timeout=60)
            assert cluster.primary is former
        finally:
            cluster.etcd.send_signal(signal.SIGCONT)
        # The lease has expired: Patroni may give it to another server now.
        cluster.wait_until_whole()
    clients.judge()
