"""The account page in Chromium: restoration, passkeys, and a journey at 320 pixels."""

import re

import pytest
from test_account import ACCOUNT, QUERY
from test_browser import NARROW, START, address, sign_up
from test_sign_in import PASSWORD

def signed_in(open_tab, **options):
    tab, email = open_tab(**options), address()
    sign_up(tab, email)
    tab.left()
    return tab, email


@pytest.mark.parametrize("language", ["en", "ar"])
def test_restoration_is_accessible(open_tab, service, language):
    service.configure("accountDeletion", {"accountDeletion": {"graceDays": 30}})
    try:
        tab, email = signed_in(open_tab, **NARROW)
        tab.open(f"{ACCOUNT}/delete{QUERY}&hl={language}")
        tab.check()
        tab.page.locator(f'form[action^="{ACCOUNT}/delete"] button').click()
        tab.page.wait_for_load_state("networkidle")
        tab.open(f"{START}&hl={language}")
        tab.page.locator("#email").fill(email)
        tab.page.locator("form button[type=submit]").first.click()
        tab.page.locator("#password").fill(PASSWORD)
        tab.page.locator("form button[type=submit]").first.click()
        tab.page.locator("#consequence").wait_for()
        tab.check()
        tab.page.locator('form[action*="/restore"] button').click()
        tab.left()
    finally:
        service.configure("accountDeletion", {"accountDeletion": {"graceDays": 0}})


@pytest.mark.parametrize("options", [{}, NARROW], ids=["wide", "narrow"])
def test_passkey_is_added_renamed_and_removed(open_tab, options):
    tab, _ = signed_in(open_tab, **options)
    tab.add_authenticator()
    tab.open(f"{ACCOUNT}/security{QUERY}")
    tab.link("Add a passkey").click()
    tab.heading("Add a passkey")
    tab.check()
    tab.button("Add a passkey").click()
    tab.heading("Sign-in and security")
    tab.link("Rename").click()
    tab.field("Name of the passkey").fill("My phone")
    tab.button("Save").click()
    tab.page.get_by_text("My phone", exact=True).wait_for()
    tab.check()
    tab.link("Remove").click()
    tab.heading("Remove a passkey")
    tab.button("Remove").click()
    tab.page.get_by_text("The account has no passkey.").wait_for()


def test_journey_without_script(open_tab):
    tab, _ = signed_in(open_tab, java_script_enabled=False, **NARROW)
    tab.open(ACCOUNT + QUERY)
    tab.page.get_by_role("link", name="Change", exact=True).first.click()
    tab.field("Name").fill("Ada Lovelace")
    tab.button("Save").click()
    tab.page.get_by_text("Your changes are saved.").wait_for()
    tab.page.get_by_text("Ada Lovelace", exact=True).wait_for()
    tab.link("Your data").click()
    with tab.page.expect_download() as download:
        tab.button("Download your data").click()
    assert download.value.suggested_filename == "account.json"
    tab.link("Delete your account").click()
    tab.button("Delete your account").click()
    tab.heading("Your account is deleted")
    tab.open(START)
    # With or without "or phone number", as the project offers it.
    tab.page.get_by_label(re.compile("^E-mail address")).wait_for()
