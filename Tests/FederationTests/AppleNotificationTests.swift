import Contracts
import Crypto
import FoundationEssentials
import JOSE
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

/// Security rule FE16.
@Suite struct AppleNotificationTests {
    private static let bundleID = "com.example.app"

    private struct Mesh {
        var providers: FakeProviders
        var fixture: FederationFixture
        var service: FederationService

        /// A notification as Apple signs it.
        func payload(
            _ type: String = "consent-revoked", issuer: String = "https://appleid.apple.com",
            audience: String = AppleNotificationTests.bundleID, id: String = "n1",
            claims: [String: JSONValue] = [:]
        ) throws -> String {
            let event = #"{"type":"\#(type)","sub":"a1","event_time":1700000000000}"#
            var all: [String: JSONValue] = [
                "sub": .null, "exp": .null, "jti": .string(id), "events": .string(event),
            ]
            all.merge(claims) { $1 }
            return try providers.token(issuer: issuer, audience: audience, at: fixture.clock.now, all)
        }

        func receive(_ payload: String) async throws {
            _ = try await fixture.send(
                Federation.ReceiveAppleNotification(
                    realm: FederationFixture.realm, payload: Secret(payload), client: .init(ipAddress: "17.0.0.1")),
                to: service)
        }

        func error(_ payload: String) async -> WireError.Code? {
            await errorCode { try await receive(payload) }
        }

        var updates: [Identity.UpdateAccount] { fixture.identity.state.withLock { $0.updates } }
    }

    private func running(
        links: [ProviderLink] = [ProviderLink(providerID: "apple.com", providerAccountID: "a1")],
        isEnabled: Bool = true, _ body: (Mesh) async throws -> Void
    ) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            var provider = FederationFixture.supported(.apple, apple: .init(bundleIDs: [Self.bundleID]))
            provider.isEnabled = isEnabled
            try await fixture.insert(provider)
            fixture.identity.state.withLock { $0.links = links }
            try await body(Mesh(providers: providers, fixture: fixture, service: fixture.service()))
        }
    }

    // MARK: Events

    @Test(arguments: ["consent-revoked", "account-delete", "account-deleted"])
    func endOfAccessUnlinksAndEndsSessions(type: String) async throws {
        try await running { mesh in
            try await mesh.receive(mesh.payload(type))
            let update = try #require(mesh.updates.first)
            #expect(mesh.updates.count == 1)
            #expect(update.realm == FederationFixture.realm && update.accountID == AccountID("ada"))
            #expect(
                update.changes
                    == .init(validSince: mesh.fixture.clock.now.timestamp, removals: [.provider("apple.com")]))
            #expect(update.client.ipAddress == "17.0.0.1")
        }
    }

    @Test(arguments: ["email-disabled", "email-enabled", "later-event"])
    func otherEventChangesNothing(type: String) async throws {
        try await running { mesh in
            try await mesh.receive(mesh.payload(type))
            #expect(mesh.updates.isEmpty)
        }
    }

    @Test func eventsMayBeAnObject() async throws {
        try await running { mesh in
            let event: JSONValue = .object(["type": .string("consent-revoked"), "sub": .string("a1")])
            try await mesh.receive(mesh.payload(claims: ["events": event]))
            #expect(mesh.updates.count == 1)
        }
    }

    @Test func unknownUserIsAcknowledged() async throws {
        try await running(links: [ProviderLink(providerID: "google.com", providerAccountID: "a1")]) { mesh in
            try await mesh.receive(mesh.payload())
            #expect(mesh.updates.isEmpty)
        }
    }

    @Test func clientIDIsAnAudience() async throws {
        try await running { mesh in
            try await mesh.receive(mesh.payload(audience: FederationFixture.clientID))
            #expect(mesh.updates.count == 1)
        }
    }

    // MARK: Once

    @Test func repeatedNotificationChangesNothing() async throws {
        try await running { mesh in
            let payload = try mesh.payload()
            try await mesh.receive(payload)
            try await mesh.receive(payload)
            #expect(mesh.updates.count == 1)
            try await mesh.receive(mesh.payload(id: "n2"))
            #expect(mesh.updates.count == 2)
        }
    }

    @Test func failedNotificationWorksAgain() async throws {
        try await running { mesh in
            let payload = try mesh.payload()
            mesh.fixture.identity.state.withLock { $0.updateError = ServiceError(.unavailable) }
            #expect(await mesh.error(payload) == .unavailable)
            mesh.fixture.identity.state.withLock { $0.updateError = ServiceError(.accountNotFound) }
            #expect(await mesh.error(payload) == nil)
            mesh.fixture.identity.state.withLock { $0.updateError = nil }
            try await mesh.receive(payload)
            #expect(mesh.updates.isEmpty)
        }
    }

    // MARK: Rejected payloads

    @Test func flippedBitIsRejected() async throws {
        try await running { mesh in
            let payload = try mesh.payload()
            let parts = payload.split(separator: ".").map(String.init)
            try #require(parts.count == 3)
            for part in parts.indices {
                var changed = parts
                var bytes = try #require(Base64URL.decode(parts[part]))
                bytes[bytes.count / 2] ^= 1
                changed[part] = Base64URL.encode(bytes)
                #expect(await mesh.error(changed.joined(separator: ".")) == .invalidProviderResponse)
            }
            #expect(mesh.updates.isEmpty)
            #expect(await mesh.error(payload) == nil)
        }
    }

    @Test(
        arguments: [
            ["iss": .string("https://accounts.google.com")], ["aud": .string("com.example.other")],
            ["aud": .array([.string("com.example.app")])], ["aud": .null], ["iss": .null], ["iat": .null],
            ["iat": .string("1700000000")], ["jti": .null], ["jti": .string("")],
            ["jti": .string(String(repeating: "j", count: 256))], ["events": .null], ["events": .string("x")],
            ["events": .string("[]")], ["events": .object([:])],
            ["events": .object(["type": .string("consent-revoked")])],
            [
                "events": .object([
                    "type": .string("consent-revoked"), "sub": .string(String(repeating: "s", count: 256)),
                ])
            ],
        ] as [[String: JSONValue]])
    func wrongClaimIsRejected(claims: [String: JSONValue]) async throws {
        try await running { mesh in
            let payload = try mesh.payload(claims: claims)
            #expect(await mesh.error(payload) == .invalidProviderResponse)
            #expect(mesh.updates.isEmpty)
        }
    }

    @Test(
        arguments: [
            (-86_459, true), (-86_460, false), (60, true), (61, false), (Int64.min / 2, false), (Int64.max / 2, false),
        ] as [(Int64, Bool)])
    func ageIsBounded(offset: Int64, isAccepted: Bool) async throws {
        try await running { mesh in
            let issuedAt = mesh.fixture.clock.now.timestamp.seconds + offset
            let code = try await mesh.error(mesh.payload(claims: ["iat": .integer(issuedAt)]))
            #expect(code == (isAccepted ? nil : .invalidProviderResponse))
        }
    }

    @Test func idTokenIsNoNotification() async throws {
        try await running { mesh in
            let token = try mesh.providers.token(
                issuer: "https://appleid.apple.com", audience: Self.bundleID, at: mesh.fixture.clock.now)
            #expect(await mesh.error(token) == .invalidProviderResponse)
        }
    }

    @Test func malformedPayloadCausesNoRequest() async throws {
        try await running { mesh in
            let claims = Data(#"{"iss":"https://appleid.apple.com"}"#.utf8)
            for payload in ["", "x", "a.b.c", String(repeating: "a", count: 20_000)] {
                #expect(await mesh.error(payload) == .invalidProviderResponse)
            }
            #expect(mesh.providers.state.withLock { $0.requests.isEmpty })
            #expect(await mesh.error(JWT.unsigned(claims: claims)) == .invalidProviderResponse)
        }
    }

    @Test func rotatedKeyIsFetched() async throws {
        try await running { mesh in
            try await mesh.receive(mesh.payload())
            try mesh.providers.addKey("next", replacing: true)
            mesh.fixture.clock.advance(by: .seconds(61))
            try await mesh.receive(mesh.payload(id: "n2"))
            #expect(mesh.updates.count == 2)
            #expect(mesh.providers.count(of: "/apple/auth/keys") == 2)
        }
    }

    @Test func providerMustBeEnabled() async throws {
        try await running(isEnabled: false) { mesh in
            let payload = try mesh.payload()
            #expect(await mesh.error(payload) == .providerDisabled)
        }
    }
}
