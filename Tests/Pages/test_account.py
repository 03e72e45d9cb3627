"""The account page, without script: details, password, authenticator app, devices, download, deletion.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Pages
"""

import json
import re
import urllib.parse

import pyotp
import pytest
from matrix import LANGUAGES
from tab import HOME
from test_sign_in import PASSWORD, address, give_password, links, sign_out, sign_up

ACCOUNT = "/__/auth/account"
QUERY = f"?apiKey=key&continueUrl={urllib.parse.quote(HOME, safe='')}"


def open_page(visitor, name=""):
    page = visitor.open(ACCOUNT + name + QUERY)
    assert page.status == 200, page.text
    return page


@pytest.fixture
def email(visitor):
    email = address()
    sign_up(visitor, email)
    visitor.left = None
    return email


def test_page_asks_for_a_sign_in_and_comes_back(visitor, email):
    sign_out(visitor)
    page = visitor.open(ACCOUNT + "/devices" + QUERY)
    page = visitor.send(page, "/__/auth/login", email=email)
    page = visitor.send(page, "/__/auth/login/password", password=PASSWORD)
    assert page.url.partition("?")[0].endswith(ACCOUNT + "/devices") and "This device" in page.text
    assert HOME in page.links


def test_details_are_changed(visitor, service, email):
    page = visitor.send(open_page(visitor, "/name"), ACCOUNT + "/name", name="Ada <b>", picture="")
    assert "Your changes are saved." in page.text and "Ada <b>" in page.text and "Not confirmed" in page.text
    new = address()
    page = visitor.send(open_page(visitor, "/email"), ACCOUNT + "/email", email=new)
    assert "a link is on its way" in page.text and email in page.text
    assert [code["requestType"] for code in links(service, email)][-1] == "VERIFY_AND_CHANGE_EMAIL"


def test_password_is_changed(visitor, email):
    other = type(visitor)(visitor.origin)
    give_password(other, email)
    page = visitor.send(open_page(visitor, "/password"), ACCOUNT + "/password", password="abc")
    assert page.status == 400 and "at least 6 characters" in page.text
    page = visitor.send(page, ACCOUNT + "/password", password="another-horse-8")
    assert "Your changes are saved." in page.text
    # The other browser is signed out.
    assert other.open(ACCOUNT + QUERY).form("/__/auth/login")
    page = other.send(other.open("/__/auth/login" + QUERY), "/__/auth/login", email=email)
    other.send(page, "/__/auth/login/password", password="another-horse-8")
    assert other.left == HOME


def test_only_way_in_is_kept(visitor, email):
    page = visitor.open(ACCOUNT + "/remove" + QUERY + "&kind=password&id=")
    assert page.status == 400 and "This is the only way to sign in" in page.text


def test_authenticator_app(visitor, service, email):
    page = open_page(visitor, "/authenticator")
    assert "Confirm your e-mail address first" in page.text
    code = links(service, email)[-1]["oobCode"]
    service.call("v1/accounts:update", oobCode=code)
    page = visitor.open(ACCOUNT + "/authenticator" + QUERY)
    if page.url.partition("?")[0].endswith("/login"):  # The verification has ended the session.
        page = visitor.send(page, "/__/auth/login", email=email)
        page = visitor.send(page, "/__/auth/login/password", password=PASSWORD)
    key = re.search(r"\b[A-Z2-7]{32}\b", page.text)[0]
    page = visitor.send(page, ACCOUNT + "/authenticator", code="000000")
    assert page.status == 400 and "That is not the code." in page.text
    page = visitor.send(page, ACCOUNT + "/authenticator", code=pyotp.TOTP(key).now())
    assert "You get ten new codes." in page.text
    page = visitor.send(page, ACCOUNT + "/recovery-codes")
    codes = re.findall("[0-9a-z]{4}-[0-9a-z]{4}", page.text)
    assert len(set(codes)) == 10
    page = open_page(visitor, "/security")
    assert "10 left" in page.text and "On" in page.text
    remove, = [link for link in page.links if "kind=factor" in link]
    page = visitor.send(visitor.open(remove), ACCOUNT + "/remove")
    assert "It has been removed." in page.text and "Only your first way of signing in" in page.text


def test_devices(visitor, email):
    other = type(visitor)(visitor.origin)
    give_password(other, email)
    page = open_page(visitor, "/devices")
    ends, = [form for form in page.forms if form.get("buttons", {}).get("session")]
    page = visitor.send(page, ACCOUNT + "/devices", ends["buttons"])
    assert "The device is signed out." in page.text
    assert other.open(ACCOUNT + QUERY).form("/__/auth/login")
    assert email in open_page(visitor).text


def test_sign_in_again_leaves_one_session(visitor, email):
    give_password(visitor, email)
    assert len(re.findall("Signed in on", open_page(visitor, "/devices").text)) == 1


def test_data_and_deletion(visitor, service, email):
    file = visitor.send(open_page(visitor, "/data"), ACCOUNT + "/data")
    document = json.loads(file.text)
    assert document["account"]["email"] == email and document["sessions"]
    page = visitor.send(open_page(visitor, "/delete"), ACCOUNT + "/delete")
    assert "Your account is deleted" in page.text
    page = give_password(visitor, email)
    assert page.status == 400


def test_forms_of_other_sites_are_refused(visitor, email):
    page = open_page(visitor, "/delete")
    form = page.form(ACCOUNT + "/delete")
    assert visitor.open(form["action"], form["fields"], site="cross-site").status == 403
    assert visitor.open(form["action"], {"token": "0" * 32}).status == 403


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(visitor, email, language):
    for name in ["", "/security", "/devices", "/connections", "/data"]:
        page = visitor.open(f"{ACCOUNT}{name}{QUERY}&hl={language}")
        assert page.status == 200 and len(page.links) > 5, page.text
