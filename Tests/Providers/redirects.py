"""URLs that look like one on the domain of the application, and are none (security rule FE10)."""

HOST = "localhost"
EVIL = "evil.example"

HOSTS = [
    EVIL, f"{HOST}.{EVIL}", f"{EVIL}.{HOST}", f"{HOST}{EVIL}", f"{HOST}-{EVIL}", f"{HOST}%2e{EVIL}", f"{HOST}%00.{EVIL}",
    f"{HOST}%2f.{EVIL}", f"{HOST}%5c.{EVIL}", f"{HOST}%23.{EVIL}", f"{HOST}%3f.{EVIL}", f"{HOST}\\.{EVIL}",
    f"{HOST}\\@{EVIL}", f"{HOST}@{EVIL}", f"{HOST}:80@{EVIL}", f"{HOST}:pass@{EVIL}", f"@{EVIL}", f":@{EVIL}",
    f"{EVIL}@{HOST}", f"user@{HOST}", f"user:pass@{HOST}", f"{HOST}%40{EVIL}", f"{HOST}&@{EVIL}", f"{HOST};@{EVIL}",
    f"{HOST}\t.{EVIL}", f"{HOST}\n.{EVIL}", f"{HOST}\r\n.{EVIL}", f"{HOST} .{EVIL}", f"{HOST}\x00.{EVIL}",
    f"{HOST}\x0b.{EVIL}", f"{HOST}\u3002{EVIL}", f"{HOST}\uff0e{EVIL}", f"{HOST}\uff0f.{EVIL}", f"{HOST}\u2024{EVIL}",
    f"{HOST}\u2215.{EVIL}", f"{HOST}\u200b.{EVIL}", "l\u03bfcalhost", "loc\u00e1lhost", "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3", "localhost.",
    "localhost..", ".localhost", "local host", "localhos", "localhostt", "xn--localhost-evil", "localhost:99999",
    "localhost:-1", "localhost:8o", "localhost:80:80", "localhost:80.evil.example", "[::1", "[::1]evil.example", "[::1].evil.example",
    "[localhost]", "[::ffff:192.0.2.1]", "0x7f.evil.example", "192.0.2.1", "169.254.169.254", "3221226219",
    "0300.0.2.1", "", "/", "..", "%6c%6f%63%61%6c%68%6f%73%74.evil.example", "localhost<.evil.example", "localhost>.evil.example",
    "localhost\".evil.example", "localhost'.evil.example", "localhost`.evil.example", "localhost|.evil.example", "localhost^.evil.example",
    "localhost{.evil.example", "localhost}.evil.example", "localhost,evil.example", "localhost;evil.example", "localhost$.evil.example",
    "localhost!.evil.example", "localhost*.evil.example", "localhost(.evil.example", "localhost+.evil.example", "localhost=.evil.example",
    "localhost~.evil.example", "localhost_.evil.example",
]
SCHEMES = [
    "javascript:alert(1)", "JavaScript:alert(1)", "java\tscript:alert(1)", " javascript:alert(1)", "\x01javascript:alert(1)",
    f"javascript://{HOST}/%0aalert(1)", f"javascript://{HOST}/\nalert(1)", "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD4=", "vbscript:msgbox(1)", "file:///etc/passwd", f"ftp://{HOST}/", f"ws://{HOST}/",
    f"blob:https://{HOST}/1", f"filesystem:https://{HOST}/", "about:blank", f"view-source:https://{HOST}/",
    f"intent://{HOST}#Intent;scheme=https;end", f"app://{HOST}/", f"chrome://{HOST}/", "mailto:a@localhost", "tel:1",
    f"//{EVIL}/", f"//{HOST}/", f"///{EVIL}/", f"////{EVIL}/", f"\\\\{EVIL}/", f"/\\{EVIL}/", f"\\/{EVIL}/", f"/{EVIL}",
    "/", "/app", "app", "../app", "?x", "#x", HOST, f"{HOST}/app", f"{HOST}:8080/app", f":https://{HOST}/",
    f"https:{EVIL}", f"https:/{EVIL}/", f"https:\\\\{EVIL}/", f"https:\\{EVIL}/", f"https:///{EVIL}/", f"https:////{EVIL}/",
    f"https:/\\{EVIL}/", f"https:\\/{EVIL}/", f"https ://{HOST}/", f"ht tps://{HOST}/", f"https;//{HOST}/", f"https//{HOST}/",
    f"https://{HOST}\\{EVIL}/", f"https://{HOST}/\\{EVIL}/", f"https://{HOST}/\x00", f"https://{HOST}/ a",
    f"https://{HOST}/\r\nSet-Cookie:a=b", f"https://{HOST}/\nLocation:https://{EVIL}/", f"https://{HOST}/<script>",
    f"https://{HOST}/\"><script>", f"https://{HOST}/\u202e", f"https://{HOST}/" + "a" * 2100, "https://", "https:", "http://",
    f"xhttps://{HOST}/", f"httpsx://{HOST}/", f"http+https://{HOST}/", f"url:https://{HOST}/", f"\ufeffhttps://{HOST}/",
]
URLS = [f"{scheme}://{host}/app" for scheme in ("https", "http") for host in HOSTS if host] + SCHEMES
