"""The sign-in page: the bytes that a browser loads, and the time of the server."""

import http.client
import re
import urllib.parse

PAGE = "/__/auth/login?apiKey=bench"
MOST_BYTES = 60 * 1024  # Of the first visit, with everything.
CLIENTS = (1, 16)


class Visit:
    """What a browser loads for a page: the HTML, and the files that it names, and these in turn."""

    def __init__(self, mesh, page=PAGE):
        self.connection = http.client.HTTPConnection("127.0.0.1", mesh.port)
        self.bytes, self.kept, self.others = {}, 0, []
        self.load(page)

    def load(self, path):
        if path in self.bytes:
            return
        self.connection.request("GET", path, headers={"Accept": "*/*"})
        response = self.connection.getresponse()
        text = response.read().decode()
        if response.status != 200:
            raise SystemExit(f"{path} answered {response.status}: {text}")
        self.bytes[path] = len(text.encode())
        # A second visit asks for nothing that the browser may keep.
        if re.search(r"max-age=[1-9]", response.headers.get("Cache-Control", "")):
            self.kept += self.bytes[path]
        named = re.findall(r'<(?:script|img)[^>]* src="([^"]+)"', text)
        named += re.findall(r'<link[^>]* href="([^"]+)"', text)
        named += re.findall(r'^import .*?"([^"]+)";', text, re.MULTILINE)
        named += re.findall(r'url\(["\']?([^"\')]+)', text)
        for name in named:
            address = urllib.parse.urlsplit(urllib.parse.urljoin(f"http://mesh{path}", name.replace("&amp;", "&")))
            if address.scheme == "data":
                continue
            if address.netloc != "mesh":
                self.others.append(name)
            else:
                self.load(address.path + (f"?{address.query}" if address.query else ""))


def measure(bench, mesh):
    bench.say("sign-in page")
    visit = Visit(mesh)
    cold = sum(visit.bytes.values())
    bench.figures.add("sign-in page, first visit", f"{cold:,} bytes in {len(visit.bytes)} files",
                      f"{MOST_BYTES:,} bytes; other hosts: {', '.join(visit.others) or 'none'}")
    bench.figures.add("sign-in page, next visit", f"{cold - visit.kept:,} bytes")
    bench.figures.target("sign-in page, first visit", f"{cold:,} bytes", f"<= {MOST_BYTES:,} bytes, from one host",
                         cold <= MOST_BYTES and not visit.others)
    for clients in CLIENTS:
        who = f"{clients} client{'s' if clients > 1 else ''}"
        with bench.limits.bare_http() as server:
            bare = bench.measure(f"bare HTTP, GET, {who}", server, "page", clients, 3, PAGE)
        page = bench.measure(f"sign-in page, {who}", mesh, "page", clients, 5, PAGE)
        bench.figures.add(f"    p50; p99 beside bare HTTP, {who}", f"{page.p50 / bare.p50:.1f}; {page.p99 / bare.p99:.1f} times",
                          f"p50 {bare.p50:.2f}; p99 {bare.p99:.2f} ms")
