import Contracts
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct ApplicationRulesTests {
    typealias Registration = Identity.ApplicationRegistration

    private static let addresses =
        [
            ("https://app.example.com/signed-in", [.web, .ios, .android]),
            ("https://app.example.com:8443/?from=latchkey", [.web, .ios, .android]),
            ("com.example.app:/signed-in", [.ios, .android]), ("com.example.app://callback", [.ios, .android]),
            ("com.example-2.app:/", [.ios, .android]),
            ("http://127.0.0.1/signed-in", [.tool]), ("http://127.0.0.1", [.tool]), ("http://[::1]/signed-in", [.tool]),
            // In dev mode pages may be on a loopback address: see below.
            ("http://127.0.0.1:8080/", []), ("http://localhost/", []), ("http://app.example.com/", []),
            ("http://127.0.0.2/", []), ("https://127.0.0.1@evil.example/", []), ("http://127.0.0.1.evil.example/", []),
            // No private scheme: no dot, an empty label, capitals, no slash, or a digit at first.
            ("myapp:/signed-in", []), ("com..app:/", []), (".com:/", []), ("com.:/", []), ("Com.Example.App:/", []),
            ("com.example.app:signed-in", []), ("1com.example:/", []), ("com.example.app", []),
            ("com.example_app:/", []),
            ("javascript:/alert(1)", []), ("com.example.app:/a b", []), ("com.example.app:/\u{0}", []),
            ("com.example.app:/é", []), ("com.example.app:/\\", []),
            // Every kind compares addresses as a whole.
            ("https://*.example.com/", []), ("https://app.example.com/*", []), ("com.example.app:/*", []),
            ("http://127.0.0.1/*", []), ("https://app.example.com/#", []), ("com.example.app:/#a", []),
            ("http://127.0.0.1/#a", []), ("", []), ("/signed-in", []), ("//app.example.com", []),
            ("https://" + String(repeating: "a", count: 2048), []),
            ("com.example.app:/" + String(repeating: "a", count: 2048), []),
        ] as [(String, Set<Registration.Kind>)]

    @Test(arguments: addresses) func addressIsForItsKinds(text: String, kinds: Set<Registration.Kind>) {
        for kind in Registration.Kind.allCases {
            let registration = Registration(displayName: "Shop", kind: kind, redirectURLs: [text])
            #expect(isAccepted(registration, isDev: false) == kinds.contains(kind), "\(kind)")
        }
    }

    @Test(arguments: [
        ("http://localhost:3000/", true), ("http://127.0.0.1:8080/", true), ("http://[::1]:8080/", true),
        ("http://app.example.com/", false), ("http://localhost.example.com/", false),
    ])
    func loopbackPageNeedsNoTLSInDevMode(text: String, isAllowed: Bool) {
        let registration = Registration(displayName: "Shop", kind: .web, redirectURLs: [text])
        #expect(isAccepted(registration, isDev: true) == isAllowed)
        #expect(!isAccepted(registration, isDev: false))
        for kind in [Registration.Kind.ios, .android, .tool] {
            #expect(!isAccepted(Registration(displayName: "Shop", kind: kind, redirectURLs: [text]), isDev: true))
        }
    }

    @Test(arguments: [
        ("https://app.example.com", true), ("https://app.example.com:8443", true), ("https://xn--bcher-kva.de", true),
        ("https://app.example.com/", false), ("https://app.example.com:443", false), ("https://App.example.com", false),
        ("https://app.example.com?a", false), ("https://app.example.com#a", false), ("HTTPS://app.example.com", false),
        ("https://app.example.com:08443", false), ("http://app.example.com", false), ("https://*.example.com", false),
        ("null", false), ("*", false), ("", false), ("http://localhost:3000", false), ("com.example.app:/", false),
    ])
    func originHasTheFormOfBrowsers(text: String, isAllowed: Bool) {
        var registration = Registration(
            displayName: "Shop", kind: .web, redirectURLs: ["https://app.example.com/"], origins: [text])
        #expect(isAccepted(registration, isDev: false) == isAllowed)
        registration.kind = .ios
        #expect(!isAccepted(registration, isDev: false), "only pages have an origin")
    }

    @Test func loopbackOriginIsForDevMode() {
        let registration = Registration(
            displayName: "Shop", kind: .web, redirectURLs: ["https://app.example.com/"],
            origins: ["http://localhost:3000"])
        #expect(isAccepted(registration, isDev: true) && !isAccepted(registration, isDev: false))
    }

    @Test(arguments: [
        ("Shop", true), ("Läden 🛒", true), ("", false), (" ", false), ("a\u{7}", false), ("a\n", false),
        (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false),
    ])
    func nameIsForUsers(name: String, isAllowed: Bool) {
        let registration = Registration(displayName: name, kind: .web, redirectURLs: ["https://app.example.com/"])
        #expect(isAccepted(registration, isDev: false) == isAllowed)
    }

    @Test(arguments: [(0, false), (1, true), (20, true), (21, false)])
    func addressesAreLimited(count: Int, isAllowed: Bool) {
        let urls = (0..<count).map { "https://app.example.com/\($0)" }
        #expect(
            isAccepted(Registration(displayName: "Shop", kind: .web, redirectURLs: urls), isDev: false) == isAllowed)
    }

    @Test(arguments: [(0, true), (20, true), (21, false)])
    func originsAreLimited(count: Int, isAllowed: Bool) {
        let registration = Registration(
            displayName: "Shop", kind: .web, redirectURLs: ["https://app.example.com/"],
            origins: (0..<count).map { "https://app\($0).example.com" })
        #expect(isAccepted(registration, isDev: false) == isAllowed)
    }

    @Test func repetitionIsRefused() {
        let url = "https://app.example.com/"
        #expect(!isAccepted(Registration(displayName: "Shop", kind: .web, redirectURLs: [url, url]), isDev: false))
        let origin = "https://app.example.com"
        #expect(
            !isAccepted(
                Registration(displayName: "Shop", kind: .web, redirectURLs: [url], origins: [origin, origin]),
                isDev: false))
    }

    private func isAccepted(_ registration: Registration, isDev: Bool) -> Bool {
        do throws(ServiceError) {
            try registration.check(isDev: isDev)
            return true
        } catch {
            #expect(error.code == .invalidApplication && error.message?.nilIfEmpty != nil)
            return false
        }
    }
}
