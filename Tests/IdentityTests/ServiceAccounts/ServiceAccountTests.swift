import Contracts
import Crypto
import DatabaseService
import Foundation
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Registration and access tokens (RFC 7523; REST 1.3; security rule AD1).
@Suite struct ServiceAccountTests {
    static let endpoint = "https://admin.auth.example.com/token"

    private func grant(_ fixture: IdentityFixture, _ assertion: Secret<String>?) async throws -> Secret<String> {
        try await fixture.send(Identity.IssueAccessToken(assertion: assertion, audiences: [Self.endpoint])).accessToken
    }

    private static func isInvalid(_ error: any Error) -> Bool {
        (error as? ServiceError)?.code == .invalidAssertion
    }

    @Test func keyIsRegisteredListedAndRemoved() async throws {
        let fixture = try await IdentityFixture()
        let first = try ServiceAccountSigner()
        let second = try ServiceAccountSigner(keyName: "second") { $0.keyID = "key-2" }
        for signer in [first, first, second] { try await fixture.register(signer) }
        func listed() async throws -> [Identity.ServiceAccountKey] {
            try await fixture.send(Identity.ListServiceAccountKeys(project: first.project)).keys
        }
        #expect(try await listed() == [try first.registration, try second.registration])
        _ = try await fixture.send(Identity.RemoveServiceAccountKeys(email: first.email, keyID: "key-1"))
        #expect(try await listed() == [try second.registration])
        _ = try await fixture.send(Identity.RemoveServiceAccountKeys(email: first.email))
        #expect(try await listed() == [])
        await #expect(throws: ServiceError(.serviceAccountNotFound)) {
            try await fixture.send(Identity.RemoveServiceAccountKeys(email: first.email))
        }
    }

    @Test func conflictingRegistrationIsRefused() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.register(ServiceAccountSigner())
        let otherKey = try ServiceAccountSigner(keyName: "other")
        let otherProject = try ServiceAccountSigner {
            $0.keyID = "key-2"
            $0.project = ProjectID("other")
        }
        for signer in [otherKey, otherProject] {
            await #expect(throws: ServiceError(.serviceAccountConflict)) { try await fixture.register(signer) }
        }
    }

    @Test func accountHasAtMostTenKeys() async throws {
        let fixture = try await IdentityFixture()
        var signer = try ServiceAccountSigner()
        for number in 1...10 {
            signer.keyID = "key-\(number)"
            try await fixture.register(signer)
        }
        let eleventh = try ServiceAccountSigner { $0.keyID = "key-11" }
        await #expect(throws: ServiceError(.invalidServiceAccount)) { try await fixture.register(eleventh) }
    }

    @Test(
        arguments: [
            { $0.email = "" }, { $0.email = "nobody" }, { $0.email = "a b@example.com" }, { $0.keyID = "" },
            { $0.keyID = String(repeating: "k", count: 257) }, { $0.publicKey = "" }, { $0.publicKey = "AAAA" },
        ] as [@Sendable (inout Identity.ServiceAccountKey) -> Void])
    func invalidKeyIsRefused(_ change: @Sendable (inout Identity.ServiceAccountKey) -> Void) async throws {
        let fixture = try await IdentityFixture()
        var key = try ServiceAccountSigner().registration
        change(&key)
        let request = Identity.AddServiceAccountKey(key: key)
        await #expect(throws: ServiceError(.invalidServiceAccount)) { try await fixture.send(request) }
    }

    @Test func unknownProjectIsRefused() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        await #expect(throws: ServiceError(.projectNotFound)) {
            try await fixture.register(ServiceAccountSigner { $0.project = ProjectID("other") })
        }
    }

    @Test(
        arguments: [
            ("cloud-platform", [.read, .write]), ("firebase", [.read, .write]), ("identitytoolkit", [.read, .write]),
            ("firebase.readonly", [.read]), ("cloud-platform.read-only", [.read]),
        ] as [(String, [Identity.AdminPermission])])
    func assertionReturnsAccessTokenForOneHour(scope: String, permissions: [Identity.AdminPermission]) async throws {
        let fixture = try await IdentityFixture(isDev: false)
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let scopes = "openid https://www.googleapis.com/auth/\(scope) https://www.googleapis.com/auth/datastore"
        let token = try await grant(fixture, signer.assertion(at: fixture.clock.now, ["scope": .string(scopes)]))
        let resolved = try await fixture.send(Identity.IntrospectAccessToken(accessToken: token))
        #expect(resolved.project == signer.project && resolved.serviceAccount == signer.email)
        #expect(resolved.permissions == permissions)
        fixture.clock.advance(by: .seconds(3599))
        _ = try await fixture.send(Identity.IntrospectAccessToken(accessToken: token))
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: ServiceError(.invalidAccessToken)) {
            try await fixture.send(Identity.IntrospectAccessToken(accessToken: token))
        }
        // "access_tokens.expires_at": a clock that was ahead has issued it.
        fixture.clock.setWall(fixture.clock.now + .seconds(-365 * 86_400))
        await #expect(throws: ServiceError(.invalidAccessToken)) {
            try await fixture.send(Identity.IntrospectAccessToken(accessToken: token))
        }
    }

    @Test(
        arguments: [.null, .string(""), .string("openid email"), .string("https://www.googleapis.com/auth/datastore")]
            as [JSONValue])
    func assertionRequiresSupportedScope(scope: JSONValue) async throws {
        let fixture = try await IdentityFixture()
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let assertion = try signer.assertion(at: fixture.clock.now, ["scope": scope])
        await #expect(throws: ServiceError(.invalidScope)) { try await grant(fixture, assertion) }
    }

    @Test(
        arguments: [
            ["aud": .string("https://elsewhere.example/token")],
            ["aud": .string("https://oauth2.googleapis.com/token")], ["iss": .string("other@x.example")],
            ["iat": .null],
            ["exp": .integer(1_700_000_000 + 3601)], ["exp": .integer(1_700_000_000 - 60)],
            ["iat": .integer(1_700_000_000 + 61)],
        ] as [[String: JSONValue]])
    func assertionWithInvalidClaimIsRefused(changes: [String: JSONValue]) async throws {
        let fixture = try await IdentityFixture()
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let assertion = try signer.assertion(at: fixture.clock.now, changes)
        await #expect(performing: { try await grant(fixture, assertion) }, throws: Self.isInvalid)
    }

    /// RFC 7523 §3: a service account acts for itself.
    @Test(arguments: [(nil, true), ("robot", true), ("ada@example.com", false), ("", false)] as [(String?, Bool)])
    func subjectMustBeIssuerOrAbsent(subject: String?, isGood: Bool) async throws {
        let fixture = try await IdentityFixture()
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let text = subject == "robot" ? signer.email : subject
        let assertion = try signer.assertion(at: fixture.clock.now, ["sub": text.map(JSONValue.string) ?? .null])
        if isGood {
            _ = try await grant(fixture, assertion)
        } else {
            await #expect(performing: { try await grant(fixture, assertion) }, throws: Self.isInvalid)
        }
    }

    @Test func malformedAssertionIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let unsigned = Secret(JWT.unsigned(claims: Data(#"{"iss":"robot@demo.example"}"#.utf8)))
        for text in [nil, Secret(""), Secret("x"), unsigned, try signer.customToken("ada", at: fixture.clock.now)] {
            await #expect(performing: { try await grant(fixture, text) }, throws: Self.isInvalid)
        }
        var forged = try signer.assertion(at: fixture.clock.now).reveal()
        forged.removeLast(6)
        let tampered = Secret(forged + "AAAAAA")
        await #expect(performing: { try await grant(fixture, tampered) }, throws: Self.isInvalid)
    }

    /// Identified by `jti`, or by the signed content.
    @Test(arguments: StoreEngine.allCases) func assertionIsRedeemedOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let nameless = try signer.assertion(at: fixture.clock.now)
        let (granted, refusals) = await fiftyAtOnce { _ in try await grant(fixture, nameless) }
        #expect(granted.count == 1 && refusals.allSatisfy(Self.isInvalid))
        // Another assertion of the same second has other contents.
        _ = try await grant(fixture, try signer.assertion(at: fixture.clock.now, ["nonce": .string("x")]))
        let named = try signer.assertion(at: fixture.clock.now, ["jti": .string("once")])
        _ = try await grant(fixture, named)
        let renamed = try signer.assertion(at: fixture.clock.now, ["jti": .string("once"), "nonce": .string("x")])
        for again in [named, renamed, nameless] {
            await #expect(performing: { try await grant(fixture, again) }, throws: Self.isInvalid)
        }
        // The digest is kept for exactly the lifetime of the assertion.
        fixture.clock.advance(by: .seconds(3659))
        try await fixture.store.sweep(at: fixture.clock.now)
        await #expect(performing: { try await grant(fixture, named) }, throws: Self.isInvalid)
    }

    @Test func keyRemovalRevokesItsTokens() async throws {
        let fixture = try await IdentityFixture()
        let signer = try ServiceAccountSigner()
        try await fixture.register(signer)
        let token = try await grant(fixture, signer.assertion(at: fixture.clock.now))
        _ = try await fixture.send(Identity.RemoveServiceAccountKeys(email: signer.email))
        await #expect(throws: ServiceError(.invalidAccessToken)) {
            try await fixture.send(Identity.IntrospectAccessToken(accessToken: token))
        }
        #expect(fixture.published.all.contains(.configurationChanged(IdentityFixture.realm)))
    }

    @Test(arguments: ["", "owner", "lkat_", "lkat_AAAA", "lkat_" + String(repeating: "A", count: 43)])
    func unknownTokenIsRefused(text: String) async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError(.invalidAccessToken)) {
            try await fixture.send(Identity.IntrospectAccessToken(accessToken: Secret(text)))
        }
    }
}
