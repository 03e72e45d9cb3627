import Contracts
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct WellKnownFilesTests {
    private static let names = ["apple-app-site-association", "assetlinks.json", "webauthn", "passkey-endpoints"]

    private static let complete: Passkey.DescribeRelyingParty.Reply = {
        var app = ProjectConfiguration.Passkeys.AndroidApp()
        app.packageName = "org.example.app"
        app.sha256CertFingerprints = ["14:6D", "E9:83"]
        return .init(
            relyingPartyID: "example.com", relatedOrigins: ["https://example.de", "https://example.co.uk"],
            appleApps: ["ABCDE12345.org.example.app"], androidApps: [app], enrollURL: "https://example.com/add",
            manageURL: "https://example.com/passkeys")
    }()

    private static let empty = Passkey.DescribeRelyingParty.Reply(
        relyingPartyID: "example.com", relatedOrigins: [], appleApps: [], androidApps: [], enrollURL: nil,
        manageURL: nil)

    private func production(
        _ response: @escaping @Sendable () throws -> Passkey.DescribeRelyingParty.Reply
    ) throws -> GatewayHarness {
        let harness = try GatewayHarness.production(["LATCHKEY_PROJECT": "shop"])
        harness.mesh.reply(to: Passkey.DescribeRelyingParty.self) { _ in try response() }
        return harness
    }

    @Test(arguments: [
        ("apple-app-site-association", #"{"webcredentials":{"apps":["ABCDE12345.org.example.app"]}}"#),
        (
            "assetlinks.json",
            #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"android_app","#
                + #""package_name":"org.example.app","sha256_cert_fingerprints":["14:6D","E9:83"]}}]"#
        ),
        ("webauthn", #"{"origins":["https://example.de","https://example.co.uk"]}"#),
        (
            "passkey-endpoints",
            #"{"enroll":"https://example.com/add","manage":"https://example.com/passkeys"}"#
        ),
    ])
    func fileDescribesTheDefaultProject(name: String, body: String) async throws {
        let harness = try production { Self.complete }
        let response = try await harness.send(.get, "/.well-known/\(name)")
        #expect(response.status == 200)
        #expect(try response.json == json(body))
        #expect(response.header("Content-Type") == "application/json")
        #expect(response.header("Cache-Control") == "public, max-age=300, must-revalidate")
        let requests = harness.mesh.sent(Passkey.DescribeRelyingParty.self)
        #expect(requests.map(\.realm) == [Realm(project: ProjectID("shop"))])
        #expect(try await harness.send(.head, "/.well-known/\(name)").status == 200)
        #expect(try await harness.send(.post, "/.well-known/\(name)", body: "{}").status == 405)
    }

    @Test(arguments: names)
    func fileWithoutContentIsNotFound(name: String) async throws {
        let response = try await production { Self.empty }.send(.get, "/.well-known/\(name)")
        #expect(response.status == 404)
        #expect(response.header("Cache-Control") == "no-store")
    }

    @Test(arguments: names, [WireError.Code.passkeysNotEnabled, .projectNotFound])
    func fileOfProjectWithoutPasskeysIsNotFound(name: String, code: WireError.Code) async throws {
        let harness = try production { throw ServiceError(code) }
        #expect(try await harness.send(.get, "/.well-known/\(name)").status == 404)
    }

    @Test(arguments: names)
    func fileWithoutDefaultProjectIsNotFound(name: String) async throws {
        let harness = try GatewayHarness.production()
        #expect(try await harness.send(.get, "/.well-known/\(name)").status == 404)
        #expect(harness.mesh.count == 0)
    }

    /// A client must not take an outage for an empty file.
    @Test(arguments: names)
    func unreachableServiceIsUnavailable(name: String) async throws {
        let response = try await production { throw ServiceError(.unavailable) }.send(.get, "/.well-known/\(name)")
        #expect(response.status == 503)
        #expect(response.header("Cache-Control") == "no-store")
        #expect(response.header("Retry-After") != nil)
    }

    @Test func endpointsDefaultToTheAccountPageOfDevMode() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Passkey.DescribeRelyingParty.self) { _ in Self.empty }
        let page = "http://127.0.0.1:9099/__/auth/account"
        let response = try await harness.send(.get, "/.well-known/passkey-endpoints")
        #expect(try response.json == json(#"{"enroll":"\#(page)/passkey","manage":"\#(page)/security"}"#))
    }

    @Test func endpointsDefaultToTheAccountPageWithTheKeyOfTheProject() async throws {
        let harness = try production { Self.empty }
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.client = .init()
            configuration.client?.apiKey = "k"
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        let page = "https://auth.example.com/__/auth/account"
        let response = try await harness.send(.get, "/.well-known/passkey-endpoints")
        #expect(
            try response.json == json(#"{"enroll":"\#(page)/passkey?apiKey=k","manage":"\#(page)/security?apiKey=k"}"#))
    }

    @Test func endpointsHaveOnlyConfiguredPages() async throws {
        var party = Self.empty
        party.manageURL = "https://example.com/passkeys"
        let response = try await production { [party] in party }.send(.get, "/.well-known/passkey-endpoints")
        #expect(try response.json == json(#"{"manage":"https://example.com/passkeys"}"#))
    }
}
