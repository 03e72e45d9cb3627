"""The days of grace of a deleted account, without script: the notice, the restoration, and what an application gets.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Pages
"""

import json
import re
import time
import urllib.parse
import urllib.request

import pyotp
import pytest
from mesh import wait_for
from service import ADMINISTRATOR, Refused
from tab import HOME
from test_account import ACCOUNT, QUERY, open_page
from test_sign_in import LOGIN, PASSWORD, START, address, give_password, links, session_cookies, sign_up
from visitor import Visitor

RESTORE = f"{LOGIN}/restore"


@pytest.fixture
def grace(service):
    service.configure("accountDeletion", {"accountDeletion": {"graceDays": 30}})
    yield
    service.configure("accountDeletion", {"accountDeletion": {"graceDays": 0}})


@pytest.fixture
def email(visitor, grace):
    email = address()
    sign_up(visitor, email)
    visitor.left = None
    return email


def delete(visitor):
    page = open_page(visitor, "/delete")
    assert "in 30 days" in page.text and "Nobody can bring it back" not in page.text
    page = visitor.send(page, ACCOUNT + "/delete")
    assert "Your account will be deleted" in page.text
    assert session_cookies(visitor) == []


def record(service, email):
    users = service.request("POST", "v1/projects/demo-latchkey/accounts:lookup", {"email": [email]}, **ADMINISTRATOR)
    return users["users"][0]


def notice(service, email):
    """The e-mail about the deletion."""
    def look():
        address = f"{service.origin}/emulator/v1/projects/demo-latchkey/messages?to={urllib.parse.quote(email)}"
        with urllib.request.urlopen(address) as answer:
            return [mail for mail in json.load(answer)["messages"] if mail["purpose"] == "deletionScheduled"]
    return wait_for("the notice arrived", look)[0]


def test_account_is_restored(visitor, service, email):
    tokens = service.call("v1/accounts:signInWithPassword", email=email, password=PASSWORD, returnSecureToken=True)
    signed_in_at = int(time.time())
    wait_for("the second of the tokens is over", lambda: time.time() >= signed_in_at + 1)
    delete(visitor)
    assert "deletionDueAt" in record(service, email)
    for call in [
        lambda: service.call("v1/accounts:signInWithPassword", email=email, password=PASSWORD, returnSecureToken=True),
        lambda: service.call("v1/accounts:lookup", idToken=tokens["idToken"]),
        lambda: service.call("v1/accounts:delete", idToken=tokens["idToken"]),
    ]:
        with pytest.raises(Refused, match="USER_DISABLED"):
            call()
    with pytest.raises(Refused, match="EMAIL_EXISTS"):
        service.call("v1/accounts:signUp", email=email, password=PASSWORD, returnSecureToken=True)
    mail = notice(service, email)
    assert mail["link"].startswith(f"{visitor.origin}{LOGIN}?apiKey=key") and "will be deleted" in mail["subject"]
    assert visitor.open(mail["link"]).form(LOGIN)
    page = give_password(visitor, email)
    assert "Restore your account?" in page.text and email in page.text and visitor.left is None
    # Nothing else is open.
    assert session_cookies(visitor) == [] and visitor.open(ACCOUNT + QUERY).form(LOGIN)
    page = visitor.open(f"{START}&step=restore")
    visitor.send(page, RESTORE)
    assert visitor.left == HOME and email in open_page(visitor).text
    assert "deletionDueAt" not in record(service, email)
    # The sessions from before have ended, and revocation counts in whole seconds.
    with pytest.raises(Refused, match="TOKEN_EXPIRED"):
        service.call("v1/accounts:lookup", idToken=tokens["idToken"])
    service.call("v1/accounts:signInWithPassword", email=email, password=PASSWORD, returnSecureToken=True)


def test_restoration_needs_the_second_factor(visitor, service, email):
    service.call("v1/accounts:update", oobCode=links(service, email)[-1]["oobCode"])
    give_password(visitor, email)
    page = open_page(visitor, "/authenticator")
    app = pyotp.TOTP(re.search(r"\b[A-Z2-7]{32}\b", page.text)[0])
    visitor.send(page, ACCOUNT + "/authenticator", code=app.now())
    delete(visitor)
    page = give_password(visitor, email)
    assert "Restore your account?" not in page.text
    # Each code is accepted once; the next one is accepted before its time.
    page = visitor.send(page, f"{LOGIN}/code", code=app.at(time.time(), counter_offset=1))
    assert "Restore your account?" in page.text
    visitor.left = None
    visitor.send(page, RESTORE)
    assert visitor.left == HOME


def test_administrator_keeps_the_account(visitor, service, email):
    delete(visitor)
    user = record(service, email)
    service.request("POST", "v1/projects/demo-latchkey/accounts:update", {
        "localId": user["localId"], "cancelDeletion": True}, **ADMINISTRATOR)
    assert "deletionDueAt" not in record(service, email)
    visitor.left = None
    give_password(visitor, email)
    assert visitor.left == HOME
    token = service.call("v1/accounts:signInWithPassword", email=email, password=PASSWORD,
                         returnSecureToken=True)["idToken"]
    with pytest.raises(Refused, match="INSUFFICIENT_PERMISSION"):
        service.call("v1/accounts:update", idToken=token, cancelDeletion=True)


def test_page_says_what_will_happen(visitor, service, email):
    page = open_page(visitor, "/delete")
    service.configure("accountDeletion", {"accountDeletion": {"graceDays": 0}})
    page = visitor.send(page, ACCOUNT + "/delete")
    assert "Nobody can bring it back" in page.text
    assert "Your account is deleted" in visitor.send(page, ACCOUNT + "/delete").text


def test_foreign_restoration_is_refused(visitor, service, email):
    delete(visitor)
    page = give_password(visitor, email)
    form = page.form(RESTORE)
    assert visitor.open(form["action"], form["fields"], site="cross-site").status == 403
    # Another browser has no part of the sign-in.
    other = Visitor(visitor.origin)
    assert other.open(f"{START}&step=restore").form(LOGIN)
    assert "deletionDueAt" in record(service, email)


@pytest.mark.parametrize("days", [-1, 91])
def test_days_have_bounds(service, days):
    with pytest.raises(Refused):
        service.configure("accountDeletion", {"accountDeletion": {"graceDays": days}})
