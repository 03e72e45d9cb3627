import HTTPServer
import Testing
import Vocabulary

@testable import GatewayService

/// The cookie of a visit.
@Suite struct HostedFlowTests {
    private static let maximumCookieBytes = 4096

    private static let realms = [
        Realm(project: ProjectID("p")),
        Realm(
            project: ProjectID(String(repeating: "p", count: 128)),
            tenant: TenantID(String(repeating: "t", count: 128))),
    ]

    /// The name and the value.
    private static func cookie(_ flow: HostedFlow, _ realm: Realm) -> (name: String, value: String) {
        let (name, value) = flow.field(of: realm, isSecure: true).value.halves(at: ";").before.halves(at: "=")
        return (String(name), String(value ?? ""))
    }

    private static func flow(emailBytes: Int) -> HostedFlow {
        var flow = HostedFlow()
        flow.token = "t"
        flow.email = String(repeating: "a", count: emailBytes)
        return flow
    }

    /// At the bound of browsers a visit is kept; one byte more, and it begins again instead of being cut off.
    @Test(arguments: realms) func visitIsKeptUpToTheBoundOfBrowsers(realm: Realm) throws {
        let kept = (2000..<3100).filter { !Self.cookie(Self.flow(emailBytes: $0), realm).value.isEmpty }
        let last = try #require(kept.last)
        #expect(kept == Array(2000...last))
        let (name, value) = Self.cookie(Self.flow(emailBytes: last), realm)
        let size = name.utf8.count + value.utf8.count
        // Base64 grows by one or two bytes for each byte.
        #expect((Self.maximumCookieBytes - 1...Self.maximumCookieBytes).contains(size))
        var headers = HTTPHeaders()
        headers.append("Cookie", "\(name)=\(value)")
        #expect(HostedFlow(in: headers, of: realm, isSecure: true) == Self.flow(emailBytes: last))
    }

    @Test func malformedCookieIsAnEmptyVisit() {
        let (name, _) = Self.cookie(HostedFlow(), Self.realms[0])
        for value in ["", "!", "e30", "bnVsbA", "W10", String(repeating: "A", count: 5000)] {
            var headers = HTTPHeaders()
            headers.append("Cookie", "\(name)=\(value)")
            #expect(HostedFlow(in: headers, of: Self.realms[0], isSecure: true) == HostedFlow())
        }
    }
}
