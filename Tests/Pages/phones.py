"""Phones that read the text messages of the mesh."""

import json
import secrets
import urllib.request


class Phones:
    def __init__(self, service):
        self.service = service

    @staticmethod
    def number():
        """Of a range that nobody has, and which no other test has used."""
        return f"+1202555{secrets.randbelow(9000) + 1000}"

    def code(self, number):
        """The newest code that was sent to a number."""
        with urllib.request.urlopen(
                f"{self.service.origin}/emulator/v1/projects/demo-latchkey/verificationCodes") as answer:
            codes = json.load(answer)["verificationCodes"]
        return [code["code"] for code in codes if code["phoneNumber"] == number][-1]
