"""A load balancer in front of several meshes, which sends each request to another one than the request before.

Only what a machine tells of others within a stated time may depend on the machine: after a change of a configuration, the
requests go to the machine that made it until then.
"""

import http.client
import http.server
import itertools
import threading
import time

# docs/operate/postgresql.md states it for the configuration of projects, with the time that a busy test machine adds.
CONFIGURATION_SECONDS = 1.5
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "upgrade"}


class Balancer:
    """Use it in a `with` statement. `changes` says of a method and a path whether the request changes a configuration."""

    def __init__(self, changes):
        self.changes = changes
        self.cells, self.lock = [], threading.Lock()
        self.changed_by, self.keeps_until = None, 0.0
        self.counts = {}
        balancer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                balancer.forward(self)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = forward

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"
        self.origin = f"http://{self.address}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()
        return self

    def __exit__(self, *failure):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def begin(self, origins):
        """Forwards to these origins from now on."""
        self.cells = [origin.removeprefix("http://") for origin in origins]
        self.counts = dict.fromkeys(self.cells, 0)
        self.turns = itertools.cycle(self.cells)

    def next_cell(self, is_change):
        with self.lock:
            cell = self.changed_by if time.monotonic() < self.keeps_until else next(self.turns)
            if is_change:
                self.keep(cell)
            self.counts[cell] += 1
            return cell

    def keep(self, cell):
        self.changed_by, self.keeps_until = cell, time.monotonic() + CONFIGURATION_SECONDS

    def forward(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        is_change = self.changes(request.command, request.path)
        cell = self.next_cell(is_change)
        connection = http.client.HTTPConnection(cell, timeout=60)
        try:
            connection.putrequest(request.command, request.path, skip_host=True, skip_accept_encoding=True)
            for name, value in request.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    connection.putheader(name, value)
            connection.endheaders(body or None)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            request.close_connection = True
            request.send_error(502)
            return
        finally:
            connection.close()
        if is_change:
            with self.lock:
                self.keep(cell)
        request.send_response_only(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in HOP_BY_HOP | {"content-length"}:
                request.send_header(name, value)
        if request.command != "HEAD" and response.status not in (204, 304):
            request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(content)
