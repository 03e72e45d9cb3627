"""Serves one service over the bus: operation `say` replies with its text, `fail` with an error.

    worker.py BROKER SERVICE INSTANCE [--capacity N]
"""

import argparse
import json
import signal
import time

import lkbus
import zmq


class Worker:
    def __init__(self, broker, service, instance, capacity=8):
        self.ready = lkbus.ready(service, instance, capacity)
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 500
        self.socket.connect(broker)
        self.is_stopping = False

    def run(self):
        """Serves until `stop`. One request at a time, so that the capacity is never exceeded."""
        last_heard = next_message = 0.0
        while not self.is_stopping:
            now = time.monotonic()
            if now >= next_message:
                # A heartbeat gets a reply from a broker that works. Without one, the worker joins again.
                is_lost = now >= last_heard + lkbus.SILENCE_SECONDS + lkbus.ANSWER_SECONDS
                self.send(self.ready if is_lost else lkbus.heartbeat())
                next_message = now + lkbus.ANSWER_SECONDS
            if not self.socket.poll(max(1, int(1000 * (next_message - now)))):
                continue
            parts = self.socket.recv_multipart()
            command = lkbus.command(parts)
            if command == lkbus.DISCONNECT:
                self.send(self.ready)
                continue
            last_heard = time.monotonic()
            next_message = last_heard + lkbus.SILENCE_SECONDS
            if command == lkbus.REQUEST:
                self.serve(parts)
            elif command == lkbus.HEARTBEAT:
                self.send(lkbus.heartbeat())
            elif command == lkbus.LEAVING:
                self.send(lkbus.confirmed())
        self.send(lkbus.disconnect())
        # Requests that the broker sent before the `disconnect` are still served.
        end = time.monotonic() + lkbus.LIVENESS_SECONDS
        while self.socket.poll(max(0, int(1000 * (end - time.monotonic())))):
            parts = self.socket.recv_multipart()
            command = lkbus.command(parts)
            if command in (lkbus.CONFIRMED, lkbus.DISCONNECT):
                break
            if command == lkbus.REQUEST:
                self.serve(parts)
        self.socket.close()

    def serve(self, parts):
        answer = self.answer(json.loads(parts[1]), lkbus.time_left(parts))
        self.send(lkbus.reply(lkbus.request_id(parts), answer))

    def answer(self, request, left):
        if left == 0:
            return {"id": request["id"], "error": {"code": "deadlineExceeded"}}
        match request["operation"]:
            case "say":
                return {"id": request["id"], "result": {"text": request["params"]["text"]}}
            case "fail":
                return {"id": request["id"], "error": {"code": "weakPassword", "message": "as asked"}}
            case _:
                return {"id": request["id"], "error": {"code": "unknownOperation"}}

    def send(self, parts):
        try:
            self.socket.send_multipart(parts, zmq.DONTWAIT)
        except zmq.Again:
            pass  # No connection: the broker detects the missing heartbeat.

    def stop(self):
        self.is_stopping = True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("broker")
    parser.add_argument("service")
    parser.add_argument("instance")
    parser.add_argument("--capacity", type=int, default=8)
    options = parser.parse_args()
    worker = Worker(options.broker, options.service, options.instance, options.capacity)
    signal.signal(signal.SIGTERM, lambda *_: worker.stop())
    worker.run()


if __name__ == "__main__":
    main()
