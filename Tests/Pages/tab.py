"""A tab of Chromium with an authenticator."""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

# The application, which the tests answer themselves.
HOME = "http://localhost:65000/home"
# A bound for what never comes: a busy machine may take long for what comes.
expect.set_options(timeout=20_000)


class Tab:
    def __init__(self, context):
        self.context = context
        self.page = context.new_page()
        self.errors = []
        self.page.on("console", self._listen)
        self.page.on("pageerror", self._fail)
        self.devtools = context.new_cdp_session(self.page)

    def _fail(self, error):
        # Chromium reports each fade between two pages that another page interrupts.
        if not str(error).startswith("Transition was"):
            self.errors.append(str(error))

    def _listen(self, message):
        # A refused form is answered with the status 400, which Chromium reports as an error of the network.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(message.text)

    def open(self, address):
        self.page.goto(address)

    # What a user sees

    def field(self, label):
        return self.page.get_by_label(label, exact=True)

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def link(self, name):
        return self.page.get_by_role("link", name=name, exact=True)

    def heading(self, text):
        expect(self.page.get_by_role("heading", level=1, name=text, exact=True)).to_be_visible()

    def alert(self, text):
        expect(self.page.get_by_role("alert").filter(has_text=text)).to_be_visible()

    def left(self):
        """Waits until the browser is at the application."""
        self.page.wait_for_url(HOME)

    @property
    def focused(self):
        return self.page.evaluate("document.activeElement.id")

    # What only a test sees

    def add_authenticator(self, **changes):
        """A device with a screen lock. The user confirms every request, also the choice of a passkey in a field."""
        self.devtools.send("WebAuthn.enable", {"enableUI": False})
        self.device = self.devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
            **changes}})["authenticatorId"]

    def speak(self, language):
        """The browser asks for pages in this language."""
        agent = self.page.evaluate("navigator.userAgent")
        self.devtools.send("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": language})

    def confirm(self, enabled):
        self.devtools.send("WebAuthn.setAutomaticPresenceSimulation", {
            "authenticatorId": self.device, "enabled": enabled})

    def violations(self):
        """The rules of axe that the page violates, each with the elements. The document gets axe once, and the rest of the long
        result stays in it."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
        return self.page.evaluate("""async () => {
          const { violations } = await axe.run({ resultTypes: ["violations"], preload: false });
          return violations.map((rule) => [rule.id, rule.nodes.map((node) => node.html)]);
        }""")

    def is_too_wide(self):
        return self.page.evaluate("document.documentElement.scrollWidth > innerWidth")

    def check(self):
        """No rule of axe is violated, and nothing is wider than the window."""
        assert self.violations() == []
        assert not self.is_too_wide(), self.page.url

    def sessions(self):
        return [cookie for cookie in self.context.cookies() if "-session-" in cookie["name"]]
