import Testing
import Vocabulary

@Suite struct RelyingPartyIDTests {
    private static let longest =
        (0..<3).map { _ in String(repeating: "a", count: 63) }.joined(separator: ".") + "."
        + String(repeating: "b", count: 61)

    @Test(arguments: [
        "localhost", "example.com", "login.example.co.uk", "xn--mnchen-3ya.example", "a-b.c1", "1password.example",
        "1.2.3.example", longest,
    ])
    func domainIsAccepted(text: String) {
        #expect(RelyingPartyID(text)?.rawValue == text)
    }

    @Test(arguments: [
        "", ".", "com", "Example.com", "LOCALHOST", "localhost.", "example.com.", ".example.com", "a..example",
        "https://example.com", "example.com:443", "example.com/", "example.com/path", "user@example.com",
        "münchen.example", "example.com\u{301}", "a_b.example", "*.example.com", "-a.example", "a-.example",
        "127.0.0.1", "1.2", "example.0x7f", "::1", "[::1]", " example.com", "example.com ", "example.com\0",
        longest + "b", String(repeating: "a", count: 64) + ".example",
    ])
    func otherTextIsRefused(text: String) {
        #expect(RelyingPartyID(text) == nil)
    }

    @Test(arguments: [
        ("example.com", true), ("app.example.com", true), ("a.b.example.com", true), ("example.org", false),
        ("badexample.com", false), ("com", false), ("example.com.evil.example", false), ("", false),
    ])
    func idCoversItsHostAndThoseBelow(host: String, isCovered: Bool) throws {
        #expect(try #require(RelyingPartyID("example.com")).covers(host: host) == isCovered)
    }
}

@Suite struct RelyingPartyOriginTests {
    private static let keyHash = String(repeating: "A", count: 42) + "E"

    @Test(arguments: [
        ("https://example.com", "example.com"), ("https://app.example.com:8443", "app.example.com"),
        ("https://localhost", "localhost"), ("https://localhost:5000", "localhost"),
        ("https://example.com:65535", "example.com"), ("https://example.com:1", "example.com"),
    ])
    func webOriginIsAccepted(text: String, host: String) {
        for isDev in [false, true] {
            let origin = RelyingPartyOrigin(text, isDev: isDev)
            #expect(origin?.text == text)
            #expect(origin?.kind == .web(host: host))
        }
    }

    @Test(arguments: ["http://localhost", "http://localhost:5000", "http://localhost:443"])
    func plainLocalhostIsAcceptedInDevModeOnly(text: String) {
        #expect(RelyingPartyOrigin(text, isDev: true)?.kind == .web(host: "localhost"))
        #expect(RelyingPartyOrigin(text, isDev: false) == nil)
    }

    @Test func androidAppIsAccepted() {
        #expect(RelyingPartyOrigin("android:apk-key-hash:\(Self.keyHash)", isDev: false)?.kind == .androidApp)
    }

    @Test(arguments: [
        "", "example.com", "https://", "https://example.com/", "https://example.com/path", "https://Example.com",
        "HTTPS://example.com", "https://example.com:443", "https://example.com:0", "https://example.com:08443",
        "https://example.com:65536", "https://example.com:", "https://example.com:+1", "https://user@example.com",
        "https://*.example.com", "https://com", "https://192.0.2.7", "https://[::1]", "https://example.com?q",
        "https://example.com#f", "https:example.com", "https://example.com\n", "http://example.com",
        "http://localhost:80", "http://127.0.0.1", "ftp://example.com", "null", "ios:bundle-id:org.example.app",
        "android:apk-key-hash:", "android:apk-key-hash:\(keyHash)=", "android:apk-key-hash:\(keyHash)A",
        "android:apk-key-hash:" + String(repeating: "A", count: 42),
        // Nonzero bits after the last byte; the alphabet of base64.
        "android:apk-key-hash:" + String(repeating: "A", count: 42) + "B",
        "android:apk-key-hash:" + String(repeating: "+", count: 42) + "E", "android:apk-key-hash-sha256:\(keyHash)",
        "Android:apk-key-hash:\(keyHash)",
    ])
    func otherTextIsRefused(text: String) {
        for isDev in [false, true] { #expect(RelyingPartyOrigin(text, isDev: isDev) == nil) }
    }

    @Test(arguments: [
        ("https://example.com", false), ("https://app.example.com:8443", false), ("https://example.de", true),
        ("https://badexample.com", true), ("android:apk-key-hash:\(keyHash)", false),
    ])
    func originOutsideOfTheIDIsRelated(text: String, isRelated: Bool) throws {
        let id = try #require(RelyingPartyID("example.com"))
        #expect(RelyingPartyOrigin(text, isDev: false)?.isRelated(to: id) == isRelated)
    }
}
