import Contracts
import Testing

@testable import IdentityService

/// The name of a client that its user recognizes.
@Suite struct ClientDeviceTests {
    @Test(
        arguments: [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36",
                "Chrome (Windows)"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36 Edg/128.0.0.0",
                "Edge (Windows)"
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36 OPR/113.0.0.0",
                "Opera (Linux)"
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox (Linux)"),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15",
                "Safari (macOS)"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1",
                "Safari (iPhone)"
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/128.0.0.0 Mobile/15E148 Safari/604.1",
                "Chrome (iPad)"
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36",
                "Samsung Internet (Android)"
            ),
            (
                "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36",
                "Chrome (ChromeOS)"
            ), ("FirebaseAuth.iOS/11.1.0 org.example.app/1.0 iPhone/17.6 hw/iPhone15_2", "iPhone"),
            ("Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/AP2A)", "Android"), ("curl/8.9.1", "curl"),
            ("python-requests/2.32.3", "Python"),
        ])
    func nameHasFamiliesOnly(userAgent: String, name: String) {
        #expect(ClientContext(userAgent: userAgent).device == name)
    }

    @Test(
        arguments: ["", " ", "x", "Firefo", "FIREFOX/1", "<b>Windo", String(repeating: "\u{1F600}", count: 400)]
            + [String(repeating: "a", count: ClientDevice.maximumBytes) + " Firefox/130.0"])
    func unknownClientHasNoName(userAgent: String) {
        #expect(ClientContext(userAgent: userAgent).device == nil)
    }

    @Test func requestWithoutUserAgentHasNoName() {
        #expect(ClientContext().device == nil)
    }

    /// No text of the client is in the name, whatever it sends.
    @Test func textOfTheClientIsNotInTheName() {
        let device = ClientContext(userAgent: "https://evil.example Firefox/<script> (Windows; call +1 202)").device
        #expect(device == "Firefox (Windows)")
    }
}
