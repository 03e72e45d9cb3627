"""Registered applications: `projects/{project}/apps`, an addition to the protocol."""

import pytest

pytestmark = pytest.mark.latchkey("no applications")

WEB = {"displayName": "Shop", "kind": "WEB", "redirectUris": ["https://app.example.com/signed-in"]}


@pytest.fixture
def register(service):
    """Registers applications, which are deleted after the case."""
    made = []

    def create(**fields):
        made.append(service.admin("POST", "/apps", WEB | fields, version="v2").ok("name", "clientId", "apiKey"))
        return made[-1]

    yield create
    for body in made:
        service.admin("DELETE", f"/apps/{body['clientId']}", version="v2")


def test_create_read_list_delete(service, register):
    made = register()
    assert made["name"] == f"projects/{service.project}/apps/{made['clientId']}" and made["createTime"]
    assert WEB.items() <= made.items()
    path = f"/apps/{made['clientId']}"
    assert service.admin("GET", path, version="v2").ok() == made
    assert made in service.admin("GET", "/apps", version="v2").ok("apps")["apps"]
    assert service.admin("DELETE", path, version="v2").ok() == {}
    service.admin("GET", path, version="v2").error("APPLICATION_NOT_FOUND", status=404)
    assert made not in service.admin("GET", "/apps", version="v2").ok().get("apps", [])


def test_api_key_is_that_of_the_project(service, register):
    config = service.admin("GET", "/config", version="v2").ok("client")
    assert register()["apiKey"] == config["client"]["apiKey"]


def test_mask_guards_the_rest(service, register):
    made = register(origins=["https://app.example.com"])
    path = f"/apps/{made['clientId']}"
    changed = service.admin("PATCH", path, {"displayName": "Store", "kind": "TOOL"}, version="v2",
                            updateMask="displayName").ok()
    assert changed == made | {"displayName": "Store"}
    changed = service.admin("PATCH", path, {"clientId": "mine", "redirectUris": ["https://b.example/"]},
                            version="v2").ok()
    assert changed == made | {"displayName": "Store", "redirectUris": ["https://b.example/"]}
    cleared = service.admin("PATCH", path, {}, version="v2", updateMask="origins").ok()
    assert "origins" not in cleared and service.admin("GET", path, version="v2").ok() == cleared


@pytest.mark.parametrize("kind, redirect, is_allowed", [
    ("WEB", "https://app.example.com/?a=b", True),
    ("WEB", "http://127.0.0.1:8080/", True),  # Dev mode.
    ("WEB", "http://app.example.com/", False),
    ("WEB", "https://app.example.com/#a", False),
    ("WEB", "https://*.example.com/", False),
    ("WEB", "com.example.app:/signed-in", False),
    ("IOS", "com.example.app:/signed-in", True),
    ("ANDROID", "com.example.app://signed-in", True),
    ("IOS", "myapp:/signed-in", False),
    ("IOS", "http://127.0.0.1/", False),
    ("TOOL", "http://127.0.0.1/signed-in", True),
    ("TOOL", "http://[::1]/signed-in", True),
    ("TOOL", "http://127.0.0.1:8080/signed-in", False),
    ("TOOL", "http://localhost/signed-in", False),
    ("TOOL", "https://app.example.com/", False),
])
def test_redirect_address_is_for_its_kind(service, register, kind, redirect, is_allowed):
    if is_allowed:
        assert register(kind=kind, redirectUris=[redirect])["redirectUris"] == [redirect]
    else:
        service.admin("POST", "/apps", WEB | {"kind": kind, "redirectUris": [redirect]},
                      version="v2").error("INVALID_APPLICATION")


@pytest.mark.parametrize("fields", [
    {"displayName": ""}, {"displayName": "a\u0007"}, {"redirectUris": []}, {"kind": "KIND_UNSPECIFIED"},
    {"redirectUris": WEB["redirectUris"] * 2}, {"origins": ["https://app.example.com/"]},
    {"redirectUris": [f"https://app.example.com/{number}" for number in range(21)]},
    {"kind": "IOS", "origins": ["https://app.example.com"]},
])
def test_invalid_application_is_refused(service, register, fields):
    service.admin("POST", "/apps", WEB | fields, version="v2").error("INVALID_APPLICATION")
    path = f"/apps/{register()['clientId']}"
    service.admin("PATCH", path, fields, version="v2", updateMask=",".join(fields)).error("INVALID_APPLICATION")


def test_bearer_is_needed(service):
    service.admin("GET", "/apps", version="v2", bearer=None).status_word("UNAUTHENTICATED", 401)
