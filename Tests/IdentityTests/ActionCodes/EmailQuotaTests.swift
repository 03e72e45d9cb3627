import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// What one unauthenticated caller can do to the e-mails of other users.
@Suite(.serialized) struct EmailQuotaTests {
    private static func reset(_ fixture: IdentityFixture, _ email: String, from address: String) async throws {
        _ = try await fixture.send(
            Identity.SendActionCode(
                realm: IdentityFixture.realm, purpose: .passwordReset, email: email,
                client: .init(ipAddress: address)))
    }

    private static func sentInProject(_ fixture: IdentityFixture) async throws -> Int? {
        try await fixture.store.read { transaction in
            try transaction.firstRow(
                "SELECT count FROM sending_quotas WHERE subject_digest = $1",
                .blob(fixture.store.digest(Array("project".utf8)))
            )?.get("count")
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func projectQuotaCountsOnlySentEmails(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        _ = try await fixture.signUp()
        for number in 0..<40 {
            try await Self.reset(fixture, "nobody-\(number)@example.com", from: "192.0.2.\(number)")
        }
        #expect(try await Self.sentInProject(fixture) == 0)
        try await Self.reset(fixture, "ada@example.com", from: "198.51.100.1")
        #expect(try await Self.sentInProject(fixture) == 1)
        // One below the limit.
        try await fixture.store.write { transaction in
            try transaction.execute(
                "UPDATE sending_quotas SET count = $1 WHERE subject_digest = $2",
                .integer(Int64(EmailQuota.perProject - 1)),
                .blob(fixture.store.digest(Array("project".utf8))))
        }
        try await Self.reset(fixture, "stranger@example.com", from: "198.51.100.2")
        try await Self.reset(fixture, "ada@example.com", from: "198.51.100.3")
        let end = fixture.clock.now + EmailQuota.projectWindow
        // The refusal does not reveal which address has an account.
        for email in ["ada@example.com", "stranger@example.com"] {
            await #expect(throws: ServiceError.limited(by: .emailsPerProject, until: end)) {
                try await Self.reset(fixture, email, from: "198.51.100.4")
            }
        }
        fixture.clock.advance(by: EmailQuota.projectWindow)
        try await Self.reset(fixture, "ada@example.com", from: "198.51.100.5")
        #expect(try await Self.sentInProject(fixture) == 1)
    }

    @Test(arguments: ["ada@example.com", "nobody@example.com"])
    func oneNetworkCannotExhaustResetsOfEmail(email: String) async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let end = fixture.clock.now + EmailQuota.addressWindow
        for number in 0..<20 {
            // One subscriber usually has a complete /64.
            let address = "2001:db8:0:1::\(number)"
            if number < EmailQuota.perAddressAndNetwork {
                try await Self.reset(fixture, email, from: address)
            } else {
                await #expect(throws: ServiceError.limited(by: .passwordResetsPerAddress, until: end)) {
                    try await Self.reset(fixture, email, from: address)
                }
            }
        }
        try await Self.reset(fixture, email, from: "2001:db8:0:2::1")
    }

    /// All purposes share the quota: the notifier also counts all e-mails to one recipient.
    @Test func signInLinksAndResetsShareQuota() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        for _ in 0..<EmailQuota.perAddressAndNetwork {
            _ = try await fixture.send(
                Identity.SendActionCode(
                    realm: IdentityFixture.realm, purpose: .emailSignIn, email: "ada@example.com",
                    client: .init(ipAddress: "192.0.2.1")))
        }
        await #expect(throws: ServiceError.self) {
            try await Self.reset(fixture, "ada@example.com", from: "192.0.2.1")
        }
        try await Self.reset(fixture, "ada@example.com", from: "192.0.2.2")
    }

    @Test func networkQuotaIsSixtyEmailsPerHour() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        for number in 0..<EmailQuota.perNetwork {
            try await Self.reset(fixture, "nobody-\(number)@example.com", from: "192.0.2.1")
        }
        let end = fixture.clock.now + EmailQuota.addressWindow
        for email in ["ada@example.com", "stranger@example.com"] {
            await #expect(throws: ServiceError.limited(by: .emailsPerNetwork, until: end)) {
                try await Self.reset(fixture, email, from: "192.0.2.1")
            }
            try await Self.reset(fixture, email, from: "192.0.2.2")
        }
        // An ID token changes that for a verified address only.
        let verification = Identity.SendActionCode(
            realm: IdentityFixture.realm, purpose: .verifyEmail, idToken: ada.tokens.idToken,
            client: .init(ipAddress: "192.0.2.1"))
        await #expect(throws: ServiceError.limited(by: .emailsPerNetwork, until: end)) {
            _ = try await fixture.send(verification)
        }
        _ = try await fixture.change(ada.account.id, .init(emailVerified: true))
        _ = try await fixture.send(verification)
    }

    @Test func loopbackIsExemptInDevMode() async throws {
        for isDev in [true, false] {
            let fixture = try await IdentityFixture(isDev: isDev)
            for number in 0..<EmailQuota.perNetwork {
                try await Self.reset(fixture, "nobody-\(number)@example.com", from: "127.0.0.1")
            }
            do {
                try await Self.reset(fixture, "nobody@example.com", from: "127.0.0.1")
                #expect(isDev)
            } catch let error as ServiceError where error.code == .tooManyAttempts {
                #expect(!isDev)
            }
        }
    }
}
