import Testing
import Vocabulary

@Suite struct WebURLTests {
    @Test(arguments: [
        ("https://app.example.com", "app.example.com"), ("http://localhost/next?a=1#top", "localhost"),
        ("HTTPS://App.Example.COM:8443/x", "app.example.com"), ("http://127.0.0.1:9099/", "127.0.0.1"),
        ("http://[::1]:80/x", "[::1]"), ("https://xn--bcher-kva.example/?q=%2F", "xn--bcher-kva.example"),
        ("https://a.example?x", "a.example"), ("https://a.example#x", "a.example"),
        ("http://localhost:65535", "localhost"),
    ])
    func absoluteURLHasHost(text: String, host: String) throws {
        let url = try #require(WebURL(text))
        #expect(url.host == host && url.text == text)
    }

    /// FE10: text in which two parsers could find different hosts.
    @Test(arguments: [
        "", "/", "//evil.example", "///evil.example", "https:", "https:/", "https://", "https:///x",
        "https:evil.example",
        "http:/evil.example", "https:\\\\evil.example", "https://\\evil.example",
        "https://app.example.com\\@evil.example",
        "https://app.example.com\\.evil.example", "https://app.example.com@evil.example", "https://a:b@app.example.com",
        "https://app.example.com:@evil.example", "https://@app.example.com", "https://app.example.com%00.evil.example",
        "https://app.example.com%2eevil.example", "https://app.example.com%40evil.example",
        "https://evil.example%23@app",
        "javascript:alert(1)", "JaVaScRiPt://app.example.com/%0aalert(1)", "data:text/html,<b>", "vbscript:x",
        "file:///etc/passwd", "ftp://app.example.com/", "intent://app.example.com/#Intent;end",
        "myapp://app.example.com",
        "blob:https://app.example.com/x", "about:blank", "mailto:a@example.com", "no-scheme", "app.example.com",
        " https://app.example.com", "https://app.example.com ", "https://app.example.com/a b",
        "\thttps://app.example.com",
        "https://app.example.com/\r\nX: y", "https://app.example.com/\n", "ht\ntps://app.example.com",
        "https://app\u{0}.com",
        "https://app.example.com/\u{7f}", "https://app.example.com\u{3002}evil.example", "https://аpp.example.com",
        "https://app.example.com/é", "https://app.example.com\u{2028}", "https://app..example.com",
        "https://.example.com",
        "https://app.example.com.", "https://app.example.com:", "https://app.example.com:x", "https://a.example:65536",
        "https://a.example:-1", "https://a.example:80:80", "https://[::1", "https://[]", "https://[::1]x",
        "https://[g::1]",
        "https://app_example.com", "https://app.example.com;evil.example", "https://app.example.com,evil.example",
        "https://app.example.com'", "https://app.example.com\"", "https://app.example.com/<script>",
        "https://app.example.com/`", "https://app.example.com/{x}", "https://app.example.com|evil.example",
        "https://app.example.com^evil.example", "https://*.example.com", "https://app.example.com!evil.example",
        "https://$evil", "https://(evil)", "https://~evil", "://app.example.com", ":", "https//app.example.com",
        "https://" + String(repeating: "a", count: 64) + ".example",
        "https://a.example/" + String(repeating: "a", count: 2048),
    ])
    func otherTextIsRejected(text: String) {
        #expect(WebURL(text) == nil)
    }

    @Test func longestURLIsAccepted() {
        let prefix = "https://a.example/"
        #expect(WebURL(prefix + String(repeating: "a", count: WebURL.maximumBytes - prefix.utf8.count)) != nil)
    }

    @Test(arguments: [
        ("https://app.example.com/x?a#b", "https://app.example.com"),
        ("HTTPS://App.Example.com", "https://app.example.com"),
        ("https://a.example:443/", "https://a.example"), ("https://a.example:80/", "https://a.example:80"),
        ("http://a.example:80/", "http://a.example"), ("http://a.example:443/", "http://a.example:443"),
        ("https://a.example:08443/", "https://a.example:8443"), ("http://[::1]/", "http://[::1]"),
        ("http://[::1]:8080/", "http://[::1]:8080"), ("http://[::1]:80/", "http://[::1]"),
    ])
    func originHasTheFormOfBrowsers(text: String, origin: String) throws {
        #expect(try #require(WebURL(text)).origin == origin)
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example?mode=x%26y&c=%C3%A9"),
        ("https://a.example/p?", "https://a.example/p?mode=x%26y&c=%C3%A9"),
        ("https://a.example/p?q=1", "https://a.example/p?q=1&mode=x%26y&c=%C3%A9"),
        ("https://a.example/p?q=1&", "https://a.example/p?q=1&mode=x%26y&c=%C3%A9"),
        ("https://a.example/p#f?x", "https://a.example/p?mode=x%26y&c=%C3%A9#f?x"),
        ("https://a.example/p?q=1#f", "https://a.example/p?q=1&mode=x%26y&c=%C3%A9#f"),
    ])
    func itemsAreAppendedBeforeFragment(text: String, expected: String) throws {
        let url = try #require(WebURL(text))
        #expect(url.appending([("mode", "x&y"), ("c", "é")]) == expected)
        #expect(url.appending([]) == text)
    }

    @Test(arguments: [
        ("localhost", true), ("app.example.com", true), ("", false), ("a..b", false), ("a b", false), ("*.a", false),
    ])
    func hostNameHasValidLabels(text: String, isName: Bool) {
        #expect(WebURL.isHostName(text) == isName)
    }
}
