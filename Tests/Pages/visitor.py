"""A browser without script: it keeps cookies, follows redirects and `Refresh` of its origin, and sends forms as they are."""

import html.parser
import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request


class Page(html.parser.HTMLParser):
    """The forms, links and text of a page."""

    def __init__(self, status, url, text):
        super().__init__()
        self.status, self.url, self.forms, self.links, self.text = status, url, [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.forms.append({"action": values.get("action", ""), "fields": {}})
        elif tag == "input" and values.get("type") == "checkbox" and "checked" not in values:
            pass  # Browsers send a box that is checked.
        elif tag == "input" and self.forms and "name" in values:
            self.forms[-1]["fields"][values["name"]] = values.get("value") or ""
        elif tag == "button" and self.forms and "name" in values:
            self.forms[-1].setdefault("buttons", {})[values["name"]] = values.get("value") or ""
        elif tag == "a":
            self.links.append(values.get("href", ""))

    handle_startendtag = handle_starttag

    def handle_data(self, data):
        self.text += data

    def form(self, path, **buttons):
        """The form with this path, and the button with these items."""
        found = [form for form in self.forms if urllib.parse.urlsplit(form["action"]).path == path
                 and buttons.items() <= form.get("buttons", {}).items()]
        assert found, f"{self.url} has no form for {path} {buttons}: {self.text}"
        return found[0]


class Visitor:
    def __init__(self, origin):
        self.origin = origin
        self.cookies = http.cookiejar.CookieJar()
        self.left = None  # The address of another origin, to which the pages led.
        visitor = self

        class Redirects(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, request, file, code, message, headers, address):
                # The content security policy allows forms of this origin only, and their redirects.
                assert address.startswith(visitor.origin), address
                return super().redirect_request(request, file, code, message, headers, address)

        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.cookies), Redirects())

    def open(self, address, fields=None, site="same-origin"):
        body = None if fields is None else urllib.parse.urlencode(fields).encode()
        request = urllib.request.Request(urllib.parse.urljoin(self.origin, address), body, {
            "Accept": "text/html,*/*;q=0.8", "Accept-Language": "en", **({"Sec-Fetch-Site": site} if body is not None else {})})
        try:
            answer = self.opener.open(request, timeout=60)
        except urllib.error.HTTPError as refusal:
            answer = refusal
        with answer:
            page = Page(answer.status, answer.url, answer.read().decode())
        _, _, refresh = answer.headers.get("Refresh", "").partition("0; url=")
        if not refresh:
            return page
        if refresh.startswith(self.origin):
            return self.open(refresh)
        self.left = refresh
        return page

    def send(self, page, path, buttons=None, **fields):
        form = page.form(path, **(buttons or {}))
        return self.open(form["action"], {**form["fields"], **(buttons or {}), **fields})
