"""The passkey page in Chromium, with a virtual authenticator.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Passkeys
"""

import json

import pytest
from selenium.webdriver.common.keys import Keys
from service import PASSWORD, Refused, decode, encode


def sign_in_with_password(page, account):
    page.fill("identifier", account["email"])
    page.fill("password", PASSWORD)
    page.submit("passwordSignIn")
    page.wait_signed_in()


def add(page):
    """Adds a passkey to the account of the page, and returns the request that the page sent."""
    page.click("add")
    page.wait_status("The passkey has been added")
    return page.requests("v2/accounts/passkeyEnrollment:finalize")[-1]


@pytest.fixture
def with_passkey(page, signed_up):
    """An account with a password and a passkey. A new visitor, who does not confirm the passkey that the page offers,
    confirms the next one."""
    sign_in_with_password(page, signed_up)
    add(page)
    page.confirm(False)
    page.open(page.url)
    page.wait_for_ceremony("conditional")
    page.confirm(True)
    return signed_up


def shown_account(page):
    page.wait_signed_in()
    return page.text("account")


# Three ways to sign in


def test_conditional_sign_in(page, with_passkey):
    page.open(page.url)
    assert shown_account(page) == with_passkey["email"]
    start, = page.requests("v2/accounts/passkeySignIn:start")
    assert start["body"] == {} and "allowCredentials" not in start["reply"]["credentialRequestOptions"]


def test_sign_in_with_user_name(page, with_passkey, service):
    page.fill("identifier", with_passkey["email"].upper())
    page.submit("signIn")
    assert shown_account(page) == with_passkey["email"]
    start = page.requests("v2/accounts/passkeySignIn:start")[-1]
    allowed, = start["reply"]["credentialRequestOptions"]["allowCredentials"]
    listed, = service.passkeys(with_passkey["idToken"])
    assert decode(allowed["id"]) == decode(listed["credentialId"]) and allowed["transports"] == ["internal"]


def test_sign_in_without_user_name(page, with_passkey):
    page.submit("signIn")
    assert shown_account(page) == with_passkey["email"]
    finish, = page.requests("v2/accounts/passkeySignIn:finalize")
    assert finish["body"]["authenticatorAuthenticationResponse"]["response"]["userHandle"]
    assert finish["reply"]["localId"] == with_passkey["localId"]


def unknown_name_for_this_device(service):
    """The false credentials of a name can be those of security keys alone: then the browser waits for such a key."""
    for number in range(100):
        name = f"unknown-{number}@example.com"
        options = service.start_sign_in(identifier=name)
        if all("internal" in entry.get("transports", ["internal"]) for entry in options["allowCredentials"]):
            return name
    raise AssertionError("every name has the credentials of a security key")


def test_unknown_user_name_gets_allow_list_and_no_sign_in(page, service, with_passkey):
    name = unknown_name_for_this_device(service)
    page.fill("identifier", name)
    page.submit("signIn")
    page.wait_alarm("You or the browser ended the request")
    # The page offers passkeys again, without a name.
    start, = [request for request in page.requests("v2/accounts/passkeySignIn:start") if request["body"]]
    assert start["body"] == {"identifier": name}
    assert start["reply"]["credentialRequestOptions"]["allowCredentials"]


# Registration


def test_account_with_passkey_alone(page, service):
    page.click("signUp")
    page.wait_status("The passkey has been added")
    credential, = page.credentials
    finish, = page.requests("v2/accounts/passkeyEnrollment:finalize")
    listed, = service.passkeys(finish["reply"]["idToken"])
    assert decode(listed["credentialId"]) == decode(credential["credentialId"])
    assert credential["isResidentCredential"] and credential["rpId"] == listed["rpId"] == "localhost"
    assert page.text("account") == finish["reply"]["localId"]
    page.click("signOut")
    assert shown_account(page) == finish["reply"]["localId"]  # The browser offers the passkey at once.


def test_account_of_tenant(page, service):
    tenant = service.create_tenant()
    page.open(f"{page.url}?apiKey=key&tenantId={tenant}")
    page.click("signUp")
    page.wait_status("The passkey has been added")
    account = page.text("account")
    page.click("signOut")
    assert shown_account(page) == account
    claims = json.loads(decode(page.requests("passkeySignIn:finalize")[-1]["reply"]["idToken"].split(".")[1]))
    assert claims["firebase"]["tenant"] == tenant and claims["firebase"]["sign_in_provider"] == "passkey"
    # The same passkey is unknown outside of the tenant.
    page.open(page.url)
    page.wait_alarm("No account has this passkey")


def test_account_is_deleted_without_its_passkey(page, service):
    page.command("WebAuthn.setUserVerified", authenticatorId=page.device, isUserVerified=False)
    page.click("signUp")
    page.wait_alarm("You or the browser ended the request")
    signed_up, = page.requests("v1/accounts:signUp")
    with pytest.raises(Refused, match="USER_NOT_FOUND"):
        service.passkeys(signed_up["reply"]["idToken"])


def test_same_authenticator_is_refused(page, signed_up):
    sign_in_with_password(page, signed_up)
    add(page)
    page.click("add")
    page.wait_alarm("Your password manager already has a passkey")
    assert len(page.entries) == 1


def test_old_session_is_renewed(page, with_passkey):
    page.submit("signIn")
    page.wait_signed_in()
    page.driver.execute_script("spy.refuse('passkeyEnrollment:start', 'CREDENTIAL_TOO_OLD_LOGIN_AGAIN')")
    page.click("add")
    page.wait_alarm("Your password manager already has a passkey")  # After the second attempt.
    first, second = page.requests("v2/accounts/passkeyEnrollment:start")
    renewal = page.requests("v2/accounts/passkeySignIn:start")[-1]
    assert renewal["body"] == {"idToken": first["body"]["idToken"]}
    assert len(renewal["reply"]["credentialRequestOptions"]["allowCredentials"]) == 1
    assert page.requests("v2/accounts/passkeySignIn:finalize")[-1]["reply"]["idToken"] == second["body"]["idToken"]


def test_options_of_the_page(page, signed_up):
    sign_in_with_password(page, signed_up)
    finish = add(page)
    options = page.requests("v2/accounts/passkeyEnrollment:start")[0]["reply"]["credentialCreationOptions"]
    assert options["user"]["name"] == signed_up["email"] and options["user"]["displayName"] == "Ada"
    response = finish["body"]["authenticatorRegistrationResponse"]
    assert response["clientExtensionResults"]["credProps"] == {"rk": True}
    assert response["authenticatorAttachment"] == "platform"


# The list, and the signals to the password manager


def test_passkey_is_renamed_and_removed(page, signed_up, service):
    sign_in_with_password(page, signed_up)
    finish = add(page)
    response = finish["body"]["authenticatorRegistrationResponse"]
    listed, = service.passkeys(signed_up["idToken"])
    handle = finish["reply"]["signals"]["userHandle"]
    user = {"rpId": "localhost", "userId": handle}
    assert page.signals("signalAllAcceptedCredentials") == [{**user, "allAcceptedCredentialIds": [response["id"]]}]
    assert page.signals("signalCurrentUserDetails") == [{**user, "name": signed_up["email"], "displayName": "Ada"}]

    form, = page.entries
    field = form.find_element("name", "name")
    field.clear()
    field.send_keys("My laptop")
    form.find_element("css selector", "button[type=submit]").click()
    page.wait_status("The passkey has a new name")
    assert page.names() == ["My laptop"]
    assert [entry["name"] for entry in service.passkeys(signed_up["idToken"])] == ["My laptop"]

    # Neither the first button nor the Escape key removes it.
    for keep in (lambda: page.answer("keep"), lambda: page.element("removal").send_keys(Keys.ESCAPE)):
        page.ask_to_remove(0)
        assert page.text("removalName") == "My laptop"
        keep()
        page.wait_for("the question is gone", lambda: not page.is_shown("removal"))
    assert len(service.passkeys(signed_up["idToken"])) == 1

    page.ask_to_remove(0)
    page.answer("remove")
    page.wait_status("The passkey has been removed")
    assert page.entries == [] and page.is_shown("noPasskeys")
    assert service.passkeys(signed_up["idToken"]) == []
    assert page.signals("signalUnknownCredential") == [{"rpId": "localhost", "credentialId": response["id"]}]
    assert encode(decode(listed["credentialId"])) == response["id"]


def test_last_sign_in_method_stays(page, service):
    page.click("signUp")
    page.wait_status("The passkey has been added")
    token = page.requests("v2/accounts/passkeyEnrollment:finalize")[-1]["reply"]["idToken"]
    page.entries[0].find_element("name", "remove").click()
    page.wait_alarm("This is the only way to sign in to your account")
    assert not page.is_shown("removal") and len(service.passkeys(token)) == 1
    # A second passkey makes the first one removable.
    page.command("WebAuthn.clearCredentials", authenticatorId=page.device)
    add(page)
    page.ask_to_remove(0)
    page.answer("remove")
    page.wait_status("The passkey has been removed")
    assert len(page.entries) == 1


def test_removal_renews_old_session(page, with_passkey, service):
    page.submit("signIn")
    page.wait_signed_in()
    page.driver.execute_script("spy.refuse('accounts:update', 'CREDENTIAL_TOO_OLD_LOGIN_AGAIN')")
    page.ask_to_remove(0)
    page.answer("remove")
    page.wait_status("The passkey has been removed")
    assert service.passkeys(with_passkey["idToken"]) == []


@pytest.mark.parametrize("password", ["wrong", ""])
def test_wrong_password_is_a_sentence(page, signed_up, password):
    page.fill("identifier", signed_up["email"])
    page.fill("password", password)
    page.driver.execute_script("document.getElementById('passwordSignIn').noValidate = true")
    page.submit("passwordSignIn")
    page.wait_alarm("The e-mail address or the password is wrong")
    assert page.text("alarm").endswith("wrong.")


@pytest.mark.parametrize("code, sentence", [
    ("TOO_MANY_ATTEMPTS_TRY_LATER", "Wait a while"), ("USER_DISABLED", "This account is disabled"),
    ("INVALID_EMAIL", "The e-mail address or the password is wrong")])
def test_refused_sign_in_is_a_sentence(page, signed_up, code, sentence):
    page.driver.execute_script("spy.refuse('accounts:signInWithPassword', arguments[0])", code)
    page.fill("identifier", signed_up["email"])
    page.fill("password", PASSWORD)
    page.submit("passwordSignIn")
    page.wait_alarm(sentence)
    assert code not in page.text("alarm")


def test_rest_of_passkeys_is_signalled(page, signed_up, service):
    sign_in_with_password(page, signed_up)
    first = add(page)["body"]["authenticatorRegistrationResponse"]["id"]
    page.command("WebAuthn.clearCredentials", authenticatorId=page.device)
    # The first passkey is excluded no longer, because the authenticator has lost it.
    second = add(page)["body"]["authenticatorRegistrationResponse"]["id"]
    page.ask_to_remove(0)
    page.answer("remove")
    page.wait_status("The passkey has been removed")
    assert [details["allAcceptedCredentialIds"] for details in page.signals("signalAllAcceptedCredentials")] == [
        [first], [first, second], [second]]
    assert page.signals("signalUnknownCredential") == []


@pytest.mark.parametrize("conditional", [True, False])
def test_removed_passkey_is_signalled(page, with_passkey, service, conditional):
    listed, = service.passkeys(with_passkey["idToken"])
    service.remove(with_passkey["idToken"], listed["credentialId"])
    if conditional:
        page.open(page.url)
    else:
        page.submit("signIn")
    page.wait_alarm("No account has this passkey")
    assert page.signals("signalUnknownCredential") == [
        {"rpId": "localhost", "credentialId": encode(decode(listed["credentialId"]))}]


# Browsers and places


def test_browser_before_level_3(page, signed_up):
    page.driver.execute_script("spy.removeLevel3()")
    sign_in_with_password(page, signed_up)
    response = add(page)["body"]["authenticatorRegistrationResponse"]
    assert response["response"]["transports"] == ["internal"] and "clientExtensionResults" not in response
    page.click("signOut")
    assert shown_account(page) == signed_up["email"]  # Offered in the input field.
    page.confirm(False)
    page.click("signOut")
    page.wait_for_ceremony("conditional")
    page.confirm(True)
    page.submit("signIn")
    assert shown_account(page) == signed_up["email"]


def test_address_leads_to_a_name(page, service):
    page.open(page.url.replace("localhost", "127.0.0.1"))
    assert page.driver.current_url == page.url


def test_page_in_japanese(page):
    page.open(f"{page.url}?hl=ja")
    assert page.text("signUp") == "パスキーだけでアカウントを作成"
