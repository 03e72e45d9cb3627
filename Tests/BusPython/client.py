"""Sends one request over the bus and prints the JSON of the reply.

    client.py BROKER SERVICE OPERATION PARAMS [--repeatable] [--within SECONDS]
"""

import argparse
import json
import os
import sys
import time

import lkbus
import zmq


class Client:
    def __init__(self, broker):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.connect(broker)

    def ask(self, service, operation, params, repeatable=False, within=5.0):
        """The body of the reply, or None if the deadline passes without one."""
        request_id = os.urandom(16)
        deadline = lkbus.now_milliseconds() + int(within * 1000)
        body = lkbus.envelope(request_id, operation, params, deadline)
        flags = lkbus.REPEATABLE if repeatable else lkbus.ONCE
        self.socket.send_multipart(lkbus.request(service, request_id, int(within * 1000), flags, body))
        end = time.monotonic() + within
        while (left := end - time.monotonic()) > 0:
            if not self.socket.poll(max(1, int(left * 1000))):
                break
            parts = self.socket.recv_multipart()
            if lkbus.command(parts) == lkbus.REPLY and lkbus.request_id(parts) == request_id:
                return json.loads(parts[1])
        return None

    def close(self):
        self.socket.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("broker")
    parser.add_argument("service")
    parser.add_argument("operation")
    parser.add_argument("params", type=json.loads)
    parser.add_argument("--repeatable", action="store_true")
    parser.add_argument("--within", type=float, default=5.0)
    options = parser.parse_args()
    reply = Client(options.broker).ask(
        options.service, options.operation, options.params, options.repeatable, options.within)
    if reply is None:
        sys.exit("no reply before the deadline")
    print(json.dumps(reply))


if __name__ == "__main__":
    main()
