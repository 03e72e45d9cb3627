"""One mesh over two machines, with keys: what its network does, and what its keys refuse."""

import os
import time

import pytest
from cells import send_from_two_machines, services
from failover_clients import Clients
from machines import installation
from mesh import Mesh, wait_for
from namespaces import EDGE, Cable, EdgePostgres, FarMesh, NameServer, SpreadMesh, Stranger
from sink import Sink, make_certificate

pytestmark = pytest.mark.skipif(
    "LATCHKEY_OWN_NETWORK" not in os.environ, reason="the kernel makes no network namespaces for this user")

LOOKUP = ("listProjects", {"limit": 1})


@pytest.fixture(scope="module")
def cable():
    with Cable() as cable:
        yield cable


@pytest.fixture(scope="module")
def mesh(cable, tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    with SpreadMesh(folder, cable, NameServer(folder)) as mesh:
        yield mesh


def written(clients, what):
    """Waits for a write that begins from now on. How long it took."""
    begin = time.monotonic()
    return wait_for(what, lambda: clients.first_after(begin)) - begin


def test_keys(mesh):
    """An unknown key, one that may not do everything, and one that leaves the table: the others do not notice."""
    stalls = mesh.stalls()
    with Clients(mesh.origin, count=4) as clients:
        stranger = Stranger(mesh)
        assert stranger.outcome(*LOOKUP, within=3) is None
        stranger.close()
        # The key of the command may ask for projects, and may not sign anybody up.
        command = Stranger(mesh, mesh.edge.secret_key("latchkey"))
        assert command.outcome(*LOOKUP, within=30) == "result"
        assert command.outcome("signUp", {"realm": {"project": "p"}}, within=30) == "notPermitted"
        # It leaves the table while it is connected, and comes back.
        table, changes = mesh.table, mesh.core.count("broker-1", "bus.peers-changed")
        mesh.change(mesh.without(mesh.edge, "latchkey"))
        mesh.core.wait("broker-1", "bus.peers-changed", changes + 1)
        assert command.outcome(*LOOKUP, within=2) is None
        mesh.change(lambda _: table)
        # Each process reads it for itself: identity may not permit it yet.
        wait_for("the key was permitted again", lambda: command.outcome(*LOOKUP, within=30) == "result")
        command.close()
        written(clients, "clients wrote")
    assert clients.refusals == [] or mesh.stalls() > stalls
    clients.judge()


def test_next_keys(mesh):
    """The keys of every process are replaced, twice, under load. Requests in a restart are refused, and none is lost."""
    with Clients(mesh.origin, count=4) as clients:
        for generation in (1, 2):
            mesh.replace_key(mesh.core, "broker", mesh.restart_brokers)
            written(clients, "clients wrote")
        for generation in (1, 2):
            mesh.replace_key(mesh.core, "identity", lambda: mesh.restart(mesh.core, "services", "identity"))
            mesh.replace_key(mesh.edge, "gateway", lambda: mesh.restart(mesh.edge, "gateway", "gateway"))
            print(f"generation {generation}: writes after {written(clients, 'clients wrote'):.2f} s")
        former = mesh.edge.secret_key("latchkey")
        mesh.replace_key(mesh.edge, "latchkey")
        command = Stranger(mesh, mesh.edge.secret_key("latchkey"))
        assert command.outcome(*LOOKUP, within=30) == "result"
        command.close()
        old = Stranger(mesh, former)
        assert old.outcome(*LOOKUP, within=3) is None
        old.close()
    clients.judge()


@pytest.mark.long
def test_pulled_cable(mesh):
    questions = mesh.names.questions
    with Clients(mesh.origin, count=4) as clients:
        written(clients, "clients wrote")
        mesh.cable.connect(False)
        time.sleep(10)  # What happens: a link that is down.
        mesh.cable.connect(True)
        print(f"writes again {written(clients, 'writes went on'):.2f} s after the cable")
    clients.judge()
    assert mesh.names.questions > questions  # The loss was a reason to ask again.


@pytest.mark.long
def test_dead_name_server(mesh):
    """Connections stay for its minute. A broker that comes back is found where it was."""
    stalls = mesh.stalls()
    with Clients(mesh.origin, count=4) as clients:
        written(clients, "clients wrote")
        mesh.names.is_dead, questions = True, mesh.names.questions
        time.sleep(60)  # Twice the interval of look-ups.
        assert mesh.names.questions > questions
        mesh.restart_brokers()
        mesh.names.is_dead = False
    assert clients.refusals == [] or mesh.stalls() > stalls
    clients.judge()


@pytest.mark.long
@pytest.mark.skipif(os.environ.get("LATCHKEY_OWN_NETWORK") == "user" and os.geteuid() == 0,
                    reason="in a user namespace of root nobody else can run PostgreSQL")
def test_senders_on_another_machine(cable, tmp_path):
    """`latchkey up --only notifier` there takes a part of the messages that are asked for here."""
    file, context = make_certificate(tmp_path, EDGE)
    here, there = (Sink(host=EDGE, tls_context=context, require_starttls=True) for _ in range(2))
    with EdgePostgres() as server, installation(server) as (folder, shared):
        settings = {**shared, "LATCHKEY_SMTP_FROM": "noreply@example.com", "LATCHKEY_SMTP_CA_FILE": str(file)}
        for name in ("here", "there"):
            (folder / name).mkdir(mode=0o700)
        cell = Mesh(folder / "here", **settings, LATCHKEY_SMTP_URL=f"{here.url}?starttls=required")
        senders = FarMesh(cable.other, folder / "there", "--only", "notifier", **settings,
                          LATCHKEY_SMTP_URL=f"{there.url}?starttls=required")
        try:
            send_from_two_machines(services([cell]), here, there)
        finally:
            codes = [senders.stop(), cell.stop()]
            for sink in (here, there):
                sink.stop()
        assert codes == [0, 0]
