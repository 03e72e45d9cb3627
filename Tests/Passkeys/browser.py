"""Chromium with a virtual authenticator, on the passkey page."""

import contextlib
import json
import pathlib
import shutil

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

SPY = (pathlib.Path(__file__).parent / "spy.js").read_text()


class Browser:
    def __init__(self):
        programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
        assert all(programs.values()), f"`make test` installs them: {programs}"
        options = webdriver.ChromeOptions()
        options.binary_location = programs["chromium"]
        # Chromium does not isolate itself as root, and the shared memory of a container is small.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=en",
                         "--disable-component-update", "--disable-background-networking", "--no-proxy-server"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(programs["chromedriver"]))
        self.command("WebAuthn.enable", enableUI=False)
        self.command("Page.addScriptToEvaluateOnNewDocument", source=SPY)

    def command(self, name, **fields):
        return self.driver.execute_cdp_cmd(name, fields)

    def quit(self):
        self.driver.quit()

    # The authenticator

    @contextlib.contextmanager
    def authenticator(self, **changes):
        """A device with a screen lock. The user confirms every request, also the choice of a passkey in the input
        field. After `confirm(False)` the user does not react, and a request waits for ever."""
        self.device = self.command("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
            **changes})["authenticatorId"]
        try:
            yield self
        finally:
            self.command("WebAuthn.removeVirtualAuthenticator", authenticatorId=self.device)

    def confirm(self, enabled):
        self.command("WebAuthn.setAutomaticPresenceSimulation", authenticatorId=self.device, enabled=enabled)

    @property
    def credentials(self):
        return self.command("WebAuthn.getCredentials", authenticatorId=self.device)["credentials"]

    # The page

    def open(self, url):
        self.driver.get(url)
        self.wait_for("the page is ready", lambda: self.is_shown("signOut") or self.is_shown("signUp"))

    def element(self, name):
        return self.driver.find_element(By.ID, name)

    def is_shown(self, name):
        return self.element(name).is_displayed()

    def click(self, name):
        self.element(name).click()

    def submit(self, form):
        self.driver.find_element(By.CSS_SELECTOR, f"#{form} button[type=submit]").click()

    def fill(self, name, text):
        self.element(name).clear()
        self.element(name).send_keys(text)

    def text(self, name):
        return self.element(name).text

    def wait_for(self, what, look, timeout=20):
        def message():
            return f"it never happened that {what}; alarm: {self.text('alarm')!r}, console: {self.console()}"
        try:
            return WebDriverWait(self.driver, timeout, poll_frequency=0.02).until(lambda _: look())
        except Exception as error:
            raise AssertionError(message()) from error

    def wait_signed_in(self):
        self.wait_for("the user is signed in", lambda: self.is_shown("signOut"))

    def wait_alarm(self, beginning):
        self.wait_for(f"the page shows {beginning}", lambda: self.text("alarm").startswith(beginning))

    def wait_status(self, beginning):
        self.wait_for(f"the page shows {beginning}", lambda: self.text("status").startswith(beginning))

    @property
    def entries(self):
        """The forms of the listed passkeys."""
        return self.driver.find_elements(By.CSS_SELECTOR, "#list form")

    def ask_to_remove(self, index):
        """Presses the button of a listed passkey, and waits for the question."""
        self.entries[index].find_element(By.NAME, "remove").click()
        self.wait_for("the page asks", lambda: self.is_shown("removal"))

    def answer(self, value):
        self.driver.find_element(By.CSS_SELECTOR, f"#removal button[value={value}]").click()

    def names(self):
        return [form.find_element(By.NAME, "name").get_property("value") for form in self.entries]

    # What the page did, since it was loaded

    def spied(self):
        return json.loads(self.driver.execute_script("return JSON.stringify(spied)"))

    def signals(self, name):
        return [details for found, details in self.spied()["signals"] if found == name]

    def requests(self, operation):
        return [request for request in self.spied()["requests"] if f"/{operation}?" in request["url"]]

    def wait_for_ceremony(self, mediation=None):
        """Waits until the browser waits for the user."""
        self.wait_for("a ceremony has begun", lambda: any(
            c["state"] == "pending" and c["mediation"] == mediation for c in self.spied()["ceremonies"]))

    def ceremony(self, kind, options):
        """The response of the authenticator to options, which the page does not see."""
        answer = self.driver.execute_async_script("spy.run(...arguments)", kind, options)
        assert "error" not in answer, answer
        return answer["response"]

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]
