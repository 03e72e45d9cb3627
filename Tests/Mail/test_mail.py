"""E-mails from a real mesh to a real mail server.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Mail
"""

import json
import os
import signal
import urllib.request

from conftest import accept_correct_password
from mesh import wait_for
from sink import free_port

FROM = "Demo <noreply@example.org>"
ONLY = ("--only", "gateway,identity,notifier")


def test_email_has_expected_headers_and_parts(make_mesh, sink):
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=sink.url, LATCHKEY_SMTP_FROM=FROM)
    accepted = mesh.send(locale="ja-JP", displayName="Ada\r\nBcc: eve@example.com", appName="デモ")
    message, = wait_for("the message arrived", lambda: sink.messages)
    assert message["to"] == "ada@example.com"
    assert message["from"] == FROM
    assert message["bcc"] is None
    assert message["subject"] == "デモ のパスワードの再設定"
    assert message["message-id"] == f"<{accepted['messageID']}@example.org>"
    assert message["auto-submitted"] == "auto-generated"
    assert message["date"].datetime.timestamp() * 1000 <= mesh.deliveries()[0]["acceptedAt"]
    assert message.get_content_type() == "multipart/alternative"
    text, html = message.iter_parts()
    assert (text.get_content_type(), html.get_content_type()) == ("text/plain", "text/html")
    assert text.get_content_charset() == html.get_content_charset() == "utf-8"
    assert "https://example.com/action?oobCode=the-secret-code\n" in text.get_content().replace("\r\n", "\n")
    assert "パスワードを再設定" in html.get_content()
    assert '<html lang="ja" dir="ltr">' in html.get_content()
    assert not message.defects and not text.defects and not html.defects
    assert all(len(line) <= 998 for line in sink.envelopes[0].content.split(b"\r\n"))
    record, = wait_for("it was recorded", lambda: [d for d in mesh.deliveries() if d["state"] == "sent"])
    assert record["maskedRecipient"] == "a•••@example.com" and record["attempts"] == 1


def test_every_language_and_purpose_is_readable(make_mesh, sink):
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=sink.url, LATCHKEY_SMTP_FROM=FROM)
    purposes = ["verifyEmail", "resetPassword", "emailSignIn", "verifyAndChangeEmail", "emailChanged",
                "secondFactorAdded", "secondFactorRemoved", "passwordChanged", "passkeyAdded", "passkeyRemoved",
                "providerLinked", "providerRefused", "newSignIn", "deletionScheduled"]
    codes = ["emailSignInCode", "emailVerificationCode"]
    languages = ["en", "es", "ko", "th", "de", "fr", "ja", "ar"]
    for language in languages:
        for purpose in purposes:
            mesh.send(locale=language, purpose=purpose, newEmail="new@example.com", displayName="Ada", passkey="Phone",
                      provider="google.com", deletionTime="2026-12-22 08:15 UTC",
                      signIn={"time": "2026-11-22 08:15 UTC", "device": "Firefox (Windows)"})
        for purpose in codes:
            mesh.send(locale=language, purpose=purpose, link=None, code="042917")
    wait_for("all arrived", lambda: len(sink.envelopes) == len(languages) * (len(purposes) + len(codes)))
    for message in sink.messages:
        text, html = message.iter_parts()
        language = message["content-language"]
        assert f'lang="{language}" dir="{"rtl" if language == "ar" else "ltr"}"' in html.get_content()
        assert any(code in text.get_content() and code in html.get_content() for code in ["the-secret-code", "042917"])
        assert "042917" not in message["subject"]
        assert "%" not in text.get_content() and "�" not in text.get_content() + message["subject"]


def test_accepted_messages_survive_killed_notifier(make_mesh, sink):
    """Kills the notifier before and during sending: all messages arrive, and few arrive twice."""
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=sink.url, LATCHKEY_SMTP_FROM=FROM, LATCHKEY_SMTP_CONNECTIONS="4")
    accepted, kills = set(), 4
    for round in range(kills + 1):
        accepted |= {mesh.send(recipient=f"user{round}x{number}@example.com")["messageID"] for number in range(25)}
        if round < kills:
            mesh.kill("notifier.1")
    wait_for("all arrived", lambda: {m["message-id"][1:33] for m in sink.messages} >= accepted)
    wait_for("all were recorded", lambda: sum(d["state"] == "sent" for d in mesh.deliveries()) >= len(accepted))
    arrived = [message["message-id"] for message in sink.messages]
    assert len(arrived) - len(set(arrived)) <= 4 * kills
    assert {identifier[1:33] for identifier in arrived} >= accepted


def test_accepted_messages_are_sent_after_restart(make_mesh, make_sink):
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=f"smtp://127.0.0.1:{free_port()}", LATCHKEY_SMTP_FROM=FROM)
    accepted = {mesh.send()["messageID"] for _ in range(10)}
    assert mesh.stop() == 0
    sink = make_sink()
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=sink.url, LATCHKEY_SMTP_FROM=FROM)
    wait_for("all arrived", lambda: {m["message-id"][1:33] for m in sink.messages} == accepted)
    assert len(sink.envelopes) == 10


def test_two_notifiers_send_each_message_once(make_mesh, sink):
    mesh = make_mesh(*ONLY, "--scale", "notifier=2", LATCHKEY_SMTP_URL=sink.url, LATCHKEY_SMTP_FROM=FROM)
    accepted = {mesh.send(recipient=f"user{number}@example.com")["messageID"] for number in range(150)}
    wait_for("all arrived", lambda: len(sink.envelopes) >= 150)
    wait_for("all were recorded", lambda: sum(d["state"] == "sent" for d in mesh.deliveries()) == 150)
    arrived = [message["message-id"][1:33] for message in sink.messages]
    assert sorted(arrived) == sorted(accepted)


def test_kill_of_one_notifier_loses_no_message(make_mesh, sink):
    mesh = make_mesh(*ONLY, "--scale", "notifier=2", LATCHKEY_SMTP_URL=sink.url, LATCHKEY_SMTP_FROM=FROM)
    accepted = set()
    for number in range(60):
        accepted.add(mesh.send(recipient=f"user{number}@example.com")["messageID"])
        if number == 30:
            os.kill(mesh.pids("notifier.2")["notifier.2"], signal.SIGKILL)
    wait_for("all arrived", lambda: {m["message-id"][1:33] for m in sink.messages} >= accepted)


def test_server_outage_is_reported_and_loses_nothing(make_mesh, make_sink):
    port = free_port()
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=f"smtp://127.0.0.1:{port}",
                     LATCHKEY_SMTP_FROM=FROM)
    accepted = {mesh.send()["messageID"] for _ in range(5)}

    def details():
        with urllib.request.urlopen(mesh.origin + "/readyz") as answer:
            assert answer.status == 200
            return json.load(answer).get("details")

    detail, = wait_for("it was told", details)
    assert (detail["process"], detail["part"], detail["problem"]) == ("notifier.1", "email", "unreachable")
    with urllib.request.urlopen(mesh.origin + "/metrics") as answer:
        assert 'latchkey_component_outage_seconds{process="notifier.1"' in answer.read().decode()
    sink = make_sink(port=port)
    wait_for("all arrived", lambda: {m["message-id"][1:33] for m in sink.messages} == accepted)
    wait_for("the trouble was over", lambda: details() is None)


def test_rejected_message_fails_and_deferred_one_is_retried(make_mesh, sink):
    delayed = []

    def respond(envelope):
        recipient = envelope.rcpt_tos[0]
        if recipient.startswith("never"):
            return "550 not here"
        if recipient.startswith("later") and not delayed:
            delayed.append(recipient)
            return "451 try again"
        return None

    sink.before = respond
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=sink.url, LATCHKEY_SMTP_FROM=FROM)
    for recipient in ["never@example.com", "later@example.com", "now@example.com"]:
        mesh.send(recipient=recipient)
    wait_for("two arrived", lambda: len(sink.envelopes) == 2)
    states = wait_for("all were done with", lambda: {
        d["maskedRecipient"][0]: (d["state"], d.get("problem"), d["attempts"]) for d in mesh.deliveries()
        if d["state"] != "pending"} if all(d["state"] != "pending" for d in mesh.deliveries()) else None)
    assert states == {"n": states["n"], "l": ("sent", None, 2)}
    assert {(d["state"], d.get("problem")) for d in mesh.deliveries()} == {
        ("failed", "contentRefused 550"), ("sent", None)}


def test_starttls_and_password_are_verified(make_mesh, make_sink, certificate):
    file, context = certificate
    sink = make_sink(tls_context=context, require_starttls=True, auth_required=True,
                     authenticator=accept_correct_password)
    url = f"smtp://me:p%3A%2Fw@127.0.0.1:{sink.port}?starttls=required"
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=url, LATCHKEY_SMTP_FROM=FROM, LATCHKEY_SMTP_CA_FILE=str(file))
    mesh.send()
    wait_for("the message arrived", lambda: sink.messages)
    assert mesh.stop() == 0
    # An untrusted certificate and a wrong password: errors of the operator that lose no message.
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=url, LATCHKEY_SMTP_FROM=FROM)
    mesh.send()
    wait_for("it was told", lambda: "delivery.transport-failed channel=email reason=tls" in mesh.log)
    assert mesh.stop() == 0
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=url.replace("p%3A", "q"), LATCHKEY_SMTP_FROM=FROM,
                     LATCHKEY_SMTP_CA_FILE=str(file))
    wait_for("it was told", lambda: "delivery.transport-failed channel=email reason=authentication" in mesh.log)
    assert mesh.stop() == 0
    assert len(sink.envelopes) == 1
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=url, LATCHKEY_SMTP_FROM=FROM, LATCHKEY_SMTP_CA_FILE=str(file))
    wait_for("the message arrived", lambda: len(sink.envelopes) == 2)
    assert "p:/w" not in mesh.log and "p%3A" not in mesh.log


def test_inbox_is_used_without_server(make_mesh):
    mesh = make_mesh(*ONLY)
    mesh.send(locale="ar", purpose="emailChanged", newEmail="new@example.com")
    wait_for("it was there", lambda: mesh.ask("listInboxMessages", {"limit": 5})["result"]["messages"])
    with urllib.request.urlopen(mesh.origin + "/dev/inbox?to=ada%40example.com") as answer:
        page = answer.read().decode()
    assert "تم تغيير بريد تسجيل الدخول في Demo" in page and "the-secret-code" in page


def test_log_contains_no_secrets_or_addresses(make_mesh, sink):
    sink.before = lambda envelope: "550 no such ada@example.com the-secret-code" if "x" in envelope.rcpt_tos[0][:1] else None
    mesh = make_mesh(*ONLY, LATCHKEY_SMTP_URL=sink.url, LATCHKEY_SMTP_FROM=FROM)
    mesh.send(displayName="Countess Lovelace", newEmail="new@example.com")
    mesh.send(recipient="x-lost@example.com")
    mesh.ask("sendEmail", {"recipient": "ada@example.com", "link": "the-secret-code"})
    # A killed process does not log what it has recorded last.
    wait_for("the refusal was logged", lambda: "delivery.failed" in mesh.log)
    mesh.kill("notifier.1")
    mesh.send(recipient="third@example.com")
    wait_for("two arrived", lambda: len(sink.envelopes) >= 2)
    assert mesh.stop() == 0
    output = mesh.log + mesh.output
    for secret in ["the-secret-code", "ada@", "x-lost", "third@", "new@example.com", "Lovelace", "oobCode"]:
        assert secret not in output
