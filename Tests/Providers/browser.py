"""Chromium, as a user of the application."""

import json
import shutil

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait


class Browser:
    def __init__(self, script_host_port):
        programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
        assert all(programs.values()), f"`make test` installs them: {programs}"
        options = webdriver.ChromeOptions()
        options.binary_location = programs["chromium"]
        # Chromium does not isolate itself as root, and the shared memory of a container is small.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=en",
                         "--disable-component-update", "--disable-background-networking", "--no-proxy-server",
                         f"--host-resolver-rules=MAP apis.google.com:443 127.0.0.1:{script_host_port}",
                         "--ignore-certificate-errors"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(programs["chromedriver"]))
        self.driver.set_script_timeout(30)

    def quit(self):
        self.driver.quit()

    def wait_for(self, what, look, timeout=30):
        def attempt(_):
            try:
                return look()
            except WebDriverException:  # The page changes.
                return None

        try:
            return WebDriverWait(self.driver, timeout, poll_frequency=0.05).until(attempt)
        except Exception as error:
            raise AssertionError(
                f"it never happened that {what}; at {self.driver.current_url}: {self.text()!r}, console: "
                f"{self.console()}") from error

    def open(self, url):
        self.driver.get(url)

    @property
    def url(self):
        return self.driver.current_url

    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def find(self, selector):
        return self.wait_for(f"the page has {selector}", lambda: self.driver.find_element(By.CSS_SELECTOR, selector))

    def click(self, selector):
        self.find(selector).click()

    def run(self, expression, *arguments):
        return self.driver.execute_script(f"return {expression}", *arguments)

    def run_async(self, expression, *arguments):
        """The value of a promise."""
        value, error = self.driver.execute_async_script(
            f"const done = arguments[arguments.length - 1];"
            f"Promise.resolve({expression}).then((value) => done([value, null]), (error) => done([null, String(error)]))",
            *arguments)
        assert error is None, error
        return value

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def clear(self):
        """Forgets cookies and closes other windows."""
        first, *others = self.driver.window_handles
        for window in others:
            self.driver.switch_to.window(window)
            self.driver.close()
        self.driver.switch_to.window(first)
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.driver.get("about:blank")
        self.console()

    def to_popup(self):
        self.wait_for("a window is open", lambda: len(self.driver.window_handles) == 2)
        self.driver.switch_to.window(self.driver.window_handles[-1])

    def to_application(self):
        self.driver.switch_to.window(self.driver.window_handles[0])


class Application:
    """The page of the application in a browser."""

    def __init__(self, browser, site, gateway, key="key", tenant=None):
        self.browser = browser
        fragment = {"gateway": gateway, "key": key, **({"tenant": tenant} if tenant else {})}
        from urllib.parse import urlencode
        self.address = f"{site}/app?x=1"
        self.url = f"{self.address}#{urlencode(fragment)}"

    def open(self):
        self.browser.open("about:blank")
        self.browser.open(self.url)
        return self

    def open_frame(self):
        assert self.browser.run_async("test.openFrame()") is True
        return self

    def event(self, number=-1):
        """An event that the frame has sent."""
        self.browser.wait_for("the frame has sent an event", lambda: self.browser.run("test.events.length > 0"))
        return self.browser.run("test.events.at(arguments[0])", number)

    def events(self, count):
        self.browser.wait_for(f"the frame has sent {count} events",
                              lambda: self.browser.run("test.events.length") >= count)
        return self.browser.run("test.events")

    def wait_for_return(self):
        self.browser.wait_for("the browser returns to the application",
                              lambda: self.browser.url.startswith(self.address) and self.browser.run("Boolean(test)"))
        return self

    def sign_in(self, event, id_token=None):
        return self.browser.run_async("test.signIn(arguments[0], arguments[1])", event, id_token)

    def sign_in_with_credential(self, credential):
        return self.browser.run_async("test.signInWithCredential(arguments[0])", credential)

    def popup(self, is_for_credential=False, **fields):
        self.browser.run("test.preparePopup(arguments[0], arguments[1])", fields, is_for_credential)
        self.browser.click("#open")
        self.browser.to_popup()

    def redirect(self, **fields):
        self.browser.run("test.redirect(arguments[0])", fields)


