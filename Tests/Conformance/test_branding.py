"""The name and the look of a project: `branding` of its configuration. Latchkey's own."""
import base64
import hashlib
import struct
import zlib

import pytest

pytestmark = pytest.mark.latchkey("the emulator has no branding")

BRANDING = {
    "applicationName": "Flower Shop", "senderName": "The Flower Shop", "supportContact": "help@example.com",
    "termsUrl": "https://example.com/terms", "privacyUrl": "https://example.com/privacy", "colorScheme": "BOTH",
    "lightColors": {"brand": "#8a2020", "canvas": "#fff8f0"}, "darkColors": {"brand": "#ff9d94"}, "cornerRadius": 8}


def png(width, height, color=0):
    """A picture of one color, which no other case uploads."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = (b"\0" + bytes([color]) * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def text(content):
    return base64.b64encode(content).decode()


def patch(service, mask, branding):
    return service.admin("PATCH", "/config", {"branding": branding}, version="v2", updateMask=mask)


class TestSettings:
    def test_whole(self, service, configure):
        assert configure("branding", {"branding": BRANDING})["branding"] == BRANDING
        assert service.admin("GET", "/config", version="v2").ok()["branding"] == BRANDING

    def test_one_path(self, configure):
        configure("branding", {"branding": BRANDING})
        changed = configure("branding.lightColors.brand", {"branding": {"lightColors": {"brand": "#1B5E20"}}})
        assert changed["branding"] == {**BRANDING, "lightColors": {"brand": "#1b5e20", "canvas": "#fff8f0"}}

    def test_empty_object_clears(self, configure):
        configure("branding", {"branding": BRANDING})
        assert "branding" not in configure("branding", {"branding": {}})

    @pytest.mark.parametrize("branding, reason", [
        ({"applicationName": "a\nb"}, "branding.applicationName"),
        ({"applicationName": "x" * 65}, "branding.applicationName must have at most 64 bytes"),
        ({"supportContact": "http://example.com"}, "branding.supportContact"),
        ({"termsUrl": "javascript:alert(1)"}, "branding.termsUrl must be an https URL"),
        ({"cornerRadius": 25}, "branding.cornerRadius lies between 0 and 24"),
        ({"lightColors": {"brand": "red"}}, "branding.lightColors.brand must be # and six hexadecimal digits"),
        ({"lightColors": {"brand": "#ffcc00"}}, "has a contrast of 1.51:1 with the surface #ffffff: at least 3.00:1"),
        ({"lightColors": {"canvas": "#c0c0c0"}}, "with the muted text #586070: at least 4.50:1 is needed"),
        ({"colorScheme": "LIGHT", "darkColors": {"brand": "#ffffff"}}, "branding.darkColors has no effect"),
        ({"logo": {"content": text(b"<svg><script>alert(1)</script></svg>")}}, "is an SVG document"),
        ({"logo": {"content": text(b"\x89PNG\r\n\x1a\n<svg onload='alert(1)'/>")}}, "is damaged"),
        ({"logo": {"content": text(b"GIF89a")}}, "is no PNG, JPEG or WebP file"),
        ({"logo": {"content": text(png(1025, 1))}}, "has 1025 x 1 pixels"),
        ({"logo": {"content": text(png(9, 9) + bytes(40000))}}, "at most 32768 are allowed"),
        ({"logo": {"digest": "0" * 64}}, "branding.logo.digest is not that of the stored logo")])
    def test_refused(self, service, configure, branding, reason):
        before = service.admin("GET", "/config", version="v2").ok()
        assert reason in patch(service, "branding", branding).error("INVALID_CONFIG")
        assert service.admin("GET", "/config", version="v2").ok() == before

    def test_unknown_field(self, service):
        assert patch(service, "branding", {"colour": "#000000"}).status == 400
        assert patch(service, "branding.colour", {}).status == 400


class TestLogo:
    def test_is_served_by_its_digest(self, service, configure):
        content = png(48, 32, 1)
        digest = hashlib.sha256(content).hexdigest()
        logo = configure("branding", {"branding": {"logo": {"content": text(content)}}})["branding"]["logo"]
        assert logo == {"digest": digest, "mediaType": "image/png", "width": 48, "height": 32}
        reply = service.raw("GET", f"/__/auth/logo/{digest}")
        assert reply.status == 200 and reply.content == content
        headers = reply.headers
        assert headers["content-type"] == "image/png" and headers["x-content-type-options"] == "nosniff"
        assert "immutable" in headers["cache-control"]
        assert headers["content-security-policy"].startswith("default-src 'none'")

    def test_stays_with_other_changes(self, service, configure):
        configure("branding", {"branding": {"logo": {"content": text(png(8, 8, 2))}}})
        document = service.admin("GET", "/config", version="v2").ok()["branding"]
        changed = configure("branding", {"branding": {**document, "applicationName": "Shop"}})["branding"]
        assert changed == {**document, "applicationName": "Shop"}
        assert configure("branding.applicationName", {"branding": {}})["branding"] == document
        assert "logo" not in configure("branding.logo", {"branding": {}}).get("branding", {})

    def test_unknown_digest(self, service):
        assert service.raw("GET", f"/__/auth/logo/{'0' * 64}").status == 404
        assert service.raw("GET", "/__/auth/logo/logo.png").status == 404


class TestTenants:
    def test_has_members_of_its_own(self, service, make_tenant):
        content = png(8, 8, 3)
        tenant = make_tenant(branding={"applicationName": "Acme", "logo": {"content": text(content)}})
        seen = tenant.admin("GET", "", version="v2").ok("branding")["branding"]
        assert seen["applicationName"] == "Acme" and seen["logo"]["digest"] == hashlib.sha256(content).hexdigest()
        assert service.raw("GET", f"/__/auth/logo/{seen['logo']['digest']}").status == 200
        changed = tenant.admin("PATCH", "", {"branding": {"cornerRadius": 4}}, version="v2",
                               updateMask="branding.cornerRadius").ok("branding")["branding"]
        assert changed == {**seen, "cornerRadius": 4}

    def test_refused(self, make_tenant):
        tenant = make_tenant()
        reply = tenant.admin("PATCH", "", {"branding": {"darkColors": {"brand": "#2f5bd8"}}}, version="v2",
                             updateMask="branding")
        assert "has a contrast of 2.93:1 with the surface #191c22" in reply.error("INVALID_CONFIG")
