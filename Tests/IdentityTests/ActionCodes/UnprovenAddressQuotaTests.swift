import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// What the quotas count for each request that sends an e-mail (security rule RL1).
@Suite(.serialized) struct UnprovenAddressQuotaTests {
    /// One kind of request.
    struct Sending: Sendable, CustomTestStringConvertible {
        var purpose: ActionCode.Purpose
        var hasToken: Bool
        /// Whether the account has verified its own address.
        var isVerified: Bool
        var countsPerNetwork: Bool
        var countsPerAccount: Bool
        /// Whether it may use the reserve of the project's quota.
        var usesReserve: Bool

        var testDescription: String {
            "\(purpose) \(hasToken ? "with" : "without") token, \(isVerified ? "verified" : "unverified")"
        }
    }

    static let sendings: [Sending] = [
        .init(.passwordReset, token: false, verified: false, network: true, account: false, reserve: false),
        .init(.passwordReset, token: false, verified: true, network: true, account: false, reserve: true),
        .init(.emailSignIn, token: false, verified: false, network: true, account: false, reserve: false),
        .init(.emailSignIn, token: false, verified: true, network: true, account: false, reserve: true),
        .init(.verifyEmail, token: true, verified: false, network: true, account: true, reserve: false),
        .init(.verifyEmail, token: true, verified: true, network: false, account: false, reserve: true),
        .init(.verifyAndChangeEmail, token: true, verified: false, network: true, account: true, reserve: false),
        .init(.verifyAndChangeEmail, token: true, verified: true, network: true, account: false, reserve: false),
    ]

    private static func account(
        _ sending: Sending, _ fixture: IdentityFixture, _ email: String = "ada@example.com"
    ) async throws -> Identity.SignUp.Reply {
        let made = try await fixture.signUp(email)
        if sending.isVerified { _ = try await fixture.change(made.account.id, .init(emailVerified: true)) }
        return made
    }

    private static func send(
        _ sending: Sending, _ made: Identity.SignUp.Reply, _ fixture: IdentityFixture, newEmail: String,
        from address: String
    ) async throws {
        _ = try await fixture.send(
            Identity.SendActionCode(
                realm: IdentityFixture.realm, purpose: sending.purpose,
                email: sending.hasToken ? nil : made.account.email?.rawValue,
                newEmail: sending.purpose == .verifyAndChangeEmail ? newEmail : nil,
                idToken: sending.hasToken ? made.tokens.idToken : nil, client: .init(ipAddress: address)))
    }

    private static func exhaust(
        _ fixture: IdentityFixture, subject: String, _ bytes: [UInt8] = [], count: Int
    ) async throws {
        let digest = fixture.store.digest(Array(subject.utf8) + bytes)
        let record: SQLRecord<SendingQuotaTable> =
            SQLRecord(Realm(project: IdentityFixture.realm.project)) + [
                .subjectDigest: digest, .count: count, .windowBeganAt: fixture.clock.now,
            ]
        try await fixture.store.write { try $0.execute(SendingQuotaTable.replacement, record) }
    }

    @Test(arguments: sendings, ["192.0.2.1", "2001:db8:7:1::1"])
    func networkIsCountedUnlessAddressIsProven(sending: Sending, address: String) async throws {
        let fixture = try await IdentityFixture()
        let made = try await Self.account(sending, fixture)
        let network = try #require(ClientNetwork(address))
        try await Self.exhaust(fixture, subject: "network/", network.bytes, count: EmailQuota.perNetwork)
        let end = fixture.clock.now + EmailQuota.addressWindow
        if sending.countsPerNetwork {
            await #expect(throws: ServiceError.limited(by: .emailsPerNetwork, until: end)) {
                try await Self.send(sending, made, fixture, newEmail: "new@example.com", from: address)
            }
        } else {
            try await Self.send(sending, made, fixture, newEmail: "new@example.com", from: address)
        }
        try await Self.send(sending, made, fixture, newEmail: "new@example.com", from: "198.51.100.1")
    }

    @Test(arguments: sendings) func siteIsCountedBesideNetwork(sending: Sending) async throws {
        let fixture = try await IdentityFixture()
        let made = try await Self.account(sending, fixture)
        let site = try #require(ClientNetwork("2001:db8:7:1::1")?.site)
        try await Self.exhaust(
            fixture, subject: "network/", site.bytes, count: EmailQuota.perNetwork * ClientNetwork.siteFactor)
        do {
            try await Self.send(sending, made, fixture, newEmail: "new@example.com", from: "2001:db8:7:2::9")
            #expect(!sending.countsPerNetwork)
        } catch let error as ServiceError where error.limit == .emailsPerNetwork {
            #expect(sending.countsPerNetwork)
        }
        try await Self.send(sending, made, fixture, newEmail: "new@example.com", from: "2001:db8:8:2::9")
    }

    @Test(arguments: sendings) func unverifiedAccountSendsFew(sending: Sending) async throws {
        let fixture = try await IdentityFixture()
        let made = try await Self.account(sending, fixture)
        for number in 0..<EmailQuota.perUnverifiedAccount {
            try await Self.send(
                sending, made, fixture, newEmail: "new-\(number)@example.com", from: "192.0.2.\(number)")
        }
        let end = fixture.clock.now + EmailQuota.addressWindow
        if sending.countsPerAccount {
            await #expect(throws: ServiceError.limited(by: .emailsPerAccount, until: end)) {
                try await Self.send(sending, made, fixture, newEmail: "last@example.com", from: "198.51.100.1")
            }
            fixture.clock.advance(by: EmailQuota.addressWindow)
        }
        let again = try await fixture.signIn()
        try await Self.send(
            sending, .init(account: again.account, tokens: again.tokens), fixture, newEmail: "last@example.com",
            from: "198.51.100.1")
    }

    /// Verified addresses get their e-mails while others have used their part of the project's quota.
    @Test(arguments: sendings, [true, false])
    func reserveBelongsToVerifiedAddresses(sending: Sending, hidesAccounts: Bool) async throws {
        let fixture = try await IdentityFixture(emailsPerProject: 8)
        if !hidesAccounts { try await fixture.showsEmails() }
        let made = try await Self.account(sending, fixture)
        try await Self.exhaust(fixture, subject: "project/unproven", count: 6)
        try await Self.exhaust(fixture, subject: "project", count: 6)
        let end = fixture.clock.now + EmailQuota.projectWindow
        let refusal = ServiceError.limited(by: .emailsPerProject, until: end)
        if sending.usesReserve {
            for number in 0..<2 {
                try await Self.send(sending, made, fixture, newEmail: "new@example.com", from: "192.0.2.\(number)")
            }
            #expect(try await fixture.mails().count == 2)
            // The reserve is used up, too.
            await #expect(throws: refusal) {
                try await Self.send(sending, made, fixture, newEmail: "new@example.com", from: "192.0.2.9")
            }
        } else if hidesAccounts, !sending.hasToken {
            // The same answer as for a verified address.
            try await Self.send(sending, made, fixture, newEmail: "new@example.com", from: "192.0.2.1")
            #expect(try await fixture.mails().isEmpty)
        } else {
            await #expect(throws: refusal) {
                try await Self.send(sending, made, fixture, newEmail: "new@example.com", from: "192.0.2.1")
            }
        }
    }

    @Test(arguments: StoreEngine.allCases) func emailsToUnprovenAddressesUseTheirPart(engine: StoreEngine) async throws
    {
        let fixture = try await IdentityFixture(engine, emailsPerProject: 4)
        let ada = try await fixture.signUp()
        for number in 0..<3 {
            try await fixture.send(
                .verifyAndChangeEmail, nil, newEmail: "new-\(number)@example.com", idToken: ada.tokens.idToken)
        }
        let end = fixture.clock.now + EmailQuota.projectWindow
        await #expect(throws: ServiceError.limited(by: .emailsPerProject, until: end)) {
            try await fixture.send(
                .verifyAndChangeEmail, nil, newEmail: "new@example.com", idToken: ada.tokens.idToken)
        }
        _ = try await fixture.change(ada.account.id, .init(emailVerified: true))
        try await fixture.send(.passwordReset)
        // E-mails of the same moment leave in any order.
        _ = try await fixture.mail(.resetPassword)
    }

    @Test func projectWithoutQuotaSendsWithoutLimit() async throws {
        let fixture = try await IdentityFixture(emailsPerProject: nil)
        _ = try await fixture.signUp()
        try await Self.exhaust(fixture, subject: "project/unproven", count: 1_000_000)
        try await Self.exhaust(fixture, subject: "project", count: 1_000_000)
        try await fixture.send(.passwordReset)
        #expect(try await fixture.mails().count == 1)
    }

    /// The mailbox is counted, not the account that requests the change.
    @Test func changesToOneAddressAreCountedOverAllAccounts() async throws {
        let fixture = try await IdentityFixture()
        var refusals = 0
        for number in 0..<EmailQuota.perAddress + 2 {
            let made = try await fixture.signUp("throwaway-\(number)@example.com")
            do {
                try await fixture.send(
                    .verifyAndChangeEmail, nil, newEmail: "victim@example.com", idToken: made.tokens.idToken)
            } catch let error as ServiceError where error.limit == .emailsPerAddress {
                refusals += 1
            }
        }
        #expect(refusals == 2)
        #expect(try await fixture.mails().count == EmailQuota.perAddress)
    }

    /// Notices of changes, too: the address may belong to another user.
    @Test(arguments: [false, true]) func noticesToUnprovenAddressAreFew(isVerified: Bool) async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp("victim@example.com", "correct-horse-0")
        if isVerified { _ = try await fixture.change(made.account.id, .init(emailVerified: true)) }
        for number in 0..<8 {
            let signedIn = try await fixture.signIn("victim@example.com", "correct-horse-\(number)")
            _ = try await fixture.changeOwn(
                signedIn.tokens, .init(password: Secret("correct-horse-\(number + 1)")))
        }
        let notices = try await fixture.mails().count { $0.purpose == .passwordChanged }
        #expect(notices == (isVerified ? 8 : EmailQuota.perUnverifiedAccount))
    }
}

extension UnprovenAddressQuotaTests.Sending {
    fileprivate init(
        _ purpose: ActionCode.Purpose, token: Bool, verified: Bool, network: Bool, account: Bool, reserve: Bool
    ) {
        self.init(
            purpose: purpose, hasToken: token, isVerified: verified, countsPerNetwork: network,
            countsPerAccount: account, usesReserve: reserve)
    }
}
