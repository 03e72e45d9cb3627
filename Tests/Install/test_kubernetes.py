"""deploy/kubernetes: valid manifests, their restrictions, and the command lines that they start."""

import functools
import secrets
import shutil
import subprocess
import time

import kubernetes_validate
import page
import pytest
import yaml
from application import call, sign_in, sign_up
from container import Container, secret
from executable import ROOT

OVERLAYS = ["one", "several"]
VERSIONS = [f"1.{minor}" for minor in range(29, 38)]


@functools.cache
def rendered(overlay):
    output = subprocess.run(["kubectl", "kustomize", ROOT / "deploy/kubernetes" / overlay], check=True,
                            capture_output=True, text=True).stdout
    return list(yaml.safe_load_all(output))


def resource(overlay, kind, name):
    found = [each for each in rendered(overlay) if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    assert len(found) == 1
    return found[0]


def pods():
    yield "one", resource("one", "StatefulSet", "latchkey")["spec"]["template"]["spec"]
    yield "several", resource("several", "StatefulSet", "latchkey")["spec"]["template"]["spec"]
    yield "several", resource("several", "Deployment", "latchkey-senders")["spec"]["template"]["spec"]


@pytest.mark.parametrize("overlay", OVERLAYS)
@pytest.mark.parametrize("version", VERSIONS)
def test_manifests_are_valid(overlay, version):
    for each in rendered(overlay):
        kubernetes_validate.validate(each, version, strict=True)
        assert each["kind"] == "Namespace" or each["metadata"]["namespace"] == "latchkey"


def test_pods_are_restricted():
    namespace = resource("one", "Namespace", "latchkey")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    for _, pod in pods():
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 65532
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
        assert container["resources"]["limits"]["memory"]


def test_drain_fits_the_time_of_a_pod():
    for _, pod in pods():
        (container,) = pod["containers"]
        (pause,) = [int(each["value"]) for each in container["env"] if each["name"] == "LATCHKEY_DRAIN_SECONDS"] or [0]
        assert (pause > 0) == any(port["name"] == "public" for port in container.get("ports", []))
        # The launcher gives its processes eight seconds.
        assert pause + 8 < pod["terminationGracePeriodSeconds"]


def test_pods_of_several_survive_a_disruption():
    mesh = resource("several", "StatefulSet", "latchkey")
    budget = resource("several", "PodDisruptionBudget", "latchkey")["spec"]
    assert mesh["spec"]["replicas"] > budget["maxUnavailable"] == 1
    assert budget["selector"] == mesh["spec"]["selector"]
    spread = mesh["spec"]["template"]["spec"]["topologySpreadConstraints"]
    assert [each["topologyKey"] for each in spread] == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]


def test_network_is_closed_but_for_what_is_named():
    for overlay in OVERLAYS:
        nothing = resource(overlay, "NetworkPolicy", "latchkey-nothing")["spec"]
        assert nothing == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    mesh = resource("several", "NetworkPolicy", "latchkey-mesh")["spec"]
    assert {port["port"] for rule in mesh["egress"] for port in rule["ports"]} == {53, 443, 465, 587, 5432}
    assert [rule.get("from") is None for rule in mesh["ingress"]] == [True, False]
    senders = resource("several", "NetworkPolicy", "latchkey-senders")["spec"]
    assert "ingress" not in senders
    assert {port["port"] for rule in senders["egress"] for port in rule["ports"]} == {53, 443, 5432}


def test_senders_are_scaled_by_their_queue():
    rule = resource("several", "HorizontalPodAutoscaler", "latchkey-senders")["spec"]
    assert rule["scaleTargetRef"]["name"] == "latchkey-senders"
    (metric,) = rule["metrics"]
    assert metric["external"]["metric"] == {
        "name": "latchkey_notifier_queued_messages", "selector": {"matchLabels": {"channel": "sms"}}}


def start(executables, folder, overlay, pod, files, **changes):
    """Starts the container of a pod, with the settings of its ConfigMap and Secret."""
    (container,) = pod["containers"]
    variables = dict(resource(overlay, "ConfigMap", "latchkey")["data"])
    for variable in container["env"]:
        reference = variable.get("valueFrom", {}).get("secretKeyRef")
        variables[variable["name"]] = files[reference["key"]] if reference else variable["value"]
    for name, text in files.items():
        secret(folder, f"/run/secrets/latchkey/{name}", text)
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounts == {"data": "/var/lib/latchkey", "secrets": "/run/secrets/latchkey"}
    return Container(executables, folder, container["args"], variables | {"LATCHKEY_TRUSTED_PROXIES": "127.0.0.1"} | changes)


def test_user_signs_in_at_the_pod_of_the_page(executables, place):
    overlay = place / "shop"
    overlay.mkdir()
    (overlay / "kustomization.yaml").write_text(page.document("mkdir shop", "shop/kustomization.yaml"))
    (place / "deploy").mkdir()
    shutil.copytree(ROOT / "deploy/kubernetes", place / "deploy/kubernetes")
    pod = resource(overlay, "StatefulSet", "latchkey")["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "registry.shop.test/latchkey:0.2.0"
    (literal,) = [word.partition("=")[2] for word in page.words("mkdir shop", "kubectl --namespace latchkey create secret")
                  if word.startswith("--from-literal")]
    container = start(executables, place, overlay, pod, dict([literal.split("=", 1)]))
    try:
        container.wait_until_ready()
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"]:
            assert call(container.origin + pod["containers"][0][probe]["httpGet"]["path"])[0] == 200
        key = container.create_project()
        assert sign_up(container.origin, key, "ada@shop.test") == sign_in(container.origin, key, "ada@shop.test")
    finally:
        code = container.stop()
    assert code == 0


def test_senders_share_the_outbox_of_the_other_pods(executables, place):
    """Two pods know only the database. In dev mode, in which an SMS needs no application that is known."""
    from postgres import Postgres
    from sms import SEND_CODE, Provider

    mesh = resource("several", "StatefulSet", "latchkey")["spec"]["template"]["spec"]
    senders = resource("several", "Deployment", "latchkey-senders")["spec"]["template"]["spec"]
    with Postgres() as postgres, Provider(0) as provider:
        files = {"smtp-url": "smtp://127.0.0.1:9", "database-url": postgres.url,
                 "master-key": f"{secrets.token_hex(4)}:{secrets.token_hex(32)}"}
        changes = provider.settings() | {"LATCHKEY_DEV": "1"}
        changes["LATCHKEY_PUBLIC_URL"] = "http://127.0.0.1:9099"
        pods = []
        try:
            first = start(executables, place / "mesh", "several", mesh, files, **changes)
            pods.append(first)
            first.wait_until_ready()
            assert call(first.origin + SEND_CODE, {"phoneNumber": "+4915112345678"})[0] == 200
            # Nobody in that pod sends it.
            second = start(executables, place / "senders", "several", senders, files, **changes)
            pods.append(second)
            while not provider.recipients:
                assert second.process.poll() is None, second.process.log.read_text()
                time.sleep(0.05)
            assert list(provider.recipients) == ["+4915112345678"]
            probe = senders["containers"][0]["livenessProbe"]["exec"]["command"]
            assert second.run(*probe[1:]) == (0, "ready\n")
        finally:
            codes = [pod.stop() for pod in reversed(pods)]
    assert codes == [0, 0]
