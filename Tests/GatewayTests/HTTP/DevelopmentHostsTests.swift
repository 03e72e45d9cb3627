import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import GatewayService

/// Dev mode needs no credentials, so a name that leads to this machine must be one of its own (DNS rebinding).
@Suite struct DevelopmentHostsTests {
    private static let own: [String?] = [
        nil, "localhost", "localhost:9099", "LOCALHOST:9099", "127.0.0.1", "127.0.0.1:9099", "127.8.7.6", "[::1]",
        "[::1]:9099", "10.0.2.2:9099", "app.localhost:3000", "identitytoolkit.googleapis.com",
        "securetoken.googleapis.com:443", "www.googleapis.com",
    ]
    private static let foreign = [
        "", "evil.example", "evil.example:9099", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.2.3",
        "192.0.2.1:9099", "[::2]:9099", "evil.example@localhost", "notlocalhost", "googleapis.com",
        "evil.identitytoolkit.googleapis.com", "auth.example.org",
    ]
    /// One of each kind of access; the last one is no path.
    private static let paths = [
        "/metrics", "/", "/readyz", "/dev/inbox", "/dev/users", "/emulator/openapi.json", "/v1/publicKeys", "/x",
    ]

    @Test(arguments: own) func ownNameIsAnswered(host: String?) async throws {
        let harness = try GatewayHarness()
        for path in ["/metrics", "/livez", "/emulator/openapi.json"] {
            let response = try await harness.send(.get, path, headers: host.map { ["Host": $0] } ?? [:])
            #expect(response.http.status != 403, "\(path)")
        }
    }

    @Test(arguments: foreign) func foreignNameIsRefused(host: String) async throws {
        let harness = try GatewayHarness()
        for path in Self.paths {
            for method in [HTTPMethod.get, .post, .options] {
                let response = try await harness.send(method, path, headers: ["Host": host])
                #expect(response.status == 403)
                #expect(response.error?["status"] == .string("PERMISSION_DENIED"))
                #expect(!response.http.headers.contains { $0.name == "Access-Control-Allow-Origin" })
            }
        }
        #expect(harness.mesh.count == 0)
    }

    @Test(arguments: [("auth.example.org", true), ("AUTH.example.org:8443", true), ("other.example.org", false)])
    func publicNameIsAnswered(host: String, isOwn: Bool) {
        #expect(DevelopmentHosts(publicURL: "https://auth.example.org:8443").contains(host) == isOwn)
    }

    /// A proxy decides which names lead to an installation.
    @Test(arguments: own + foreign.map(Optional.some)) func productionAnswersAnyName(host: String?) async throws {
        let response = try await GatewayHarness.production().send(
            .get, "/livez", headers: host.map { ["Host": $0] } ?? [:])
        // The Google APIs have no such path.
        let isAPI = host?.contains(".googleapis.com") == true && host?.hasPrefix("evil") == false
        #expect(response.status == (isAPI ? 404 : 200))
    }
}
