import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// What the owner of an account can download.
@Suite(.serialized) struct AccountDownloadTests {
    private static let realm = IdentityFixture.realm

    private static func download(
        _ fixture: IdentityFixture, _ tokens: TokenSet, in realm: Realm = realm
    ) async throws -> Identity.DownloadOwnAccount.Reply {
        try await fixture.send(
            Identity.DownloadOwnAccount(
                realm: realm, idToken: tokens.idToken, client: .init(ipAddress: "192.0.2.7")))
    }

    @Test(arguments: StoreEngine.allCases) func documentHasTheRowsOfTheAccount(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let session = try await fixture.providerSession(IdentityFixture.person(attributes: #"{"groups":["a"]}"#))
        _ = try await fixture.providerSession(
            IdentityFixture.person("7", email: "eve@example.com", attributes: #"{"groups":["b"]}"#))
        _ = try await fixture.change(session.account.id, .init(customClaims: #"{"plan":"gold"}"#))
        let reply = try await Self.download(fixture, session.tokens)
        #expect(reply.account.id == session.account.id && reply.account.customClaims == #"{"plan":"gold"}"#)
        let row = try #require(reply.sessions.first)
        #expect(reply.sessions.count == 1 && !reply.hasMoreSessions && row.endedAt == nil)
        #expect(row.attributes == #"{"groups":["a"]}"# && row.clientAddress == "192.0.2.1")
        #expect(reply.remainingRecoveryCodes == nil && reply.actionCodes.isEmpty)
        #expect(reply.auditRecords.contains { $0.actor == .owner && $0.ipAddress == "192.0.2.1" })
        #expect(!reply.hasMoreAuditRecords)
        // The download itself is in the next one.
        #expect(!reply.auditRecords.map(\.action).contains("account.downloaded"))
        let next = try await Self.download(fixture, session.tokens)
        let record = try #require(next.auditRecords.first { $0.action == "account.downloaded" })
        #expect(record.actor == .owner && record.ipAddress == "192.0.2.7")
    }

    @Test func endedSessionsAndOpenCodesAreInIt() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let tokens = try await fixture.signIn().tokens
        _ = try await fixture.send(
            Identity.EndOwnSessions(realm: Self.realm, idToken: tokens.idToken, selection: .others))
        _ = try await fixture.send(
            Identity.SendActionCode(realm: Self.realm, purpose: .verifyEmail, idToken: tokens.idToken))
        let reply = try await Self.download(fixture, tokens)
        #expect(reply.sessions.compactMap(\.endedAt).count == 1 && reply.sessions.count == 2)
        #expect(reply.actionCodes.map(\.purpose) == [.verifyEmail])
        #expect(reply.actionCodes.first?.email == EmailAddress("ada@example.com"))
    }

    @Test func administratorsAreNotNamed() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.send(
            Identity.UpdateAccount(
                realm: Self.realm, accountID: made.account.id, changes: .init(displayName: "Eve"),
                client: .init(ipAddress: "198.51.100.1", operatorName: "grace")))
        let records = try await Self.download(fixture, made.tokens).auditRecords
        let administration = records.filter { $0.actor == .administration }
        #expect(administration.map(\.action) == ["account.updated"])
        #expect(administration.allSatisfy { $0.ipAddress == nil })
    }

    /// A tenant may have an account with the same ID.
    @Test func recordsOfAnotherTenantAreNotInIt() async throws {
        let fixture = try await IdentityFixture()
        let tenant = try await fixture.makeTenant()
        let made = try await fixture.signUp()
        _ = try await fixture.send(
            Identity.CreateAccount(
                realm: tenant, accountID: made.account.id, email: "eve@example.com",
                password: Secret("correct-horse-9")))
        let records = try await Self.download(fixture, made.tokens).auditRecords
        #expect(records.filter { $0.action == "account.created" }.count == 1)
    }

    // MARK: Who may

    @Test func signInMustBeRecent() async throws {
        let fixture = try await IdentityFixture()
        let tokens = try await fixture.signUp().tokens
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await Self.download(fixture, tokens) }
    }

    @Test func secondFactorIsRequired() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.configure { configuration in
            configuration.mfa?.state = .enabled
            configuration.mfa?.enabledProviders = [.phoneSMS]
        }
        let made = try await fixture.signUp()
        _ = try await Self.download(fixture, made.tokens)
        _ = try await fixture.change(
            made.account.id,
            .init(
                emailVerified: true,
                secondFactors: [.init(id: FactorID("f"), kind: .phone(number: "+12025550101"))]))
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await Self.download(fixture, made.tokens) }
    }

    @Test func sessionMustNotHaveEnded() async throws {
        let fixture = try await IdentityFixture()
        let own = try await fixture.signUp().tokens
        let ended = try await fixture.signIn().tokens
        _ = try await fixture.send(
            Identity.EndOwnSessions(realm: Self.realm, idToken: own.idToken, selection: .others))
        await #expect(throws: ServiceError(.sessionExpired)) { try await Self.download(fixture, ended) }
        _ = try await Self.download(fixture, own)
    }
}
