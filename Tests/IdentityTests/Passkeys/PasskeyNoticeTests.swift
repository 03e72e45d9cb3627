import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The e-mails about passkeys, and the codes that remove a new one (security rule WR25).
@Suite(.serialized) struct PasskeyNoticeTests {
    private static let realm = IdentityFixture.realm
    private static let email = EmailAddress("ada@example.com")

    /// The code in the e-mail about this passkey.
    private func undoCode(_ fixture: IdentityFixture, _ name: String = "Laptop") async throws -> Secret<String> {
        let mail = try #require(
            try await fixture.mails().last { $0.purpose == .passkeyAdded && $0.passkey == name })
        return try #require(try await fixture.listed().first { $0.link.reveal() == mail.link }).code
    }

    // MARK: Addition

    /// The default name is English: the e-mail and its page have words of their language.
    @Test func passkeyWithoutANameHasNoneInEmails() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1, name: AccountPasskey.defaultName), ada.tokens)
        #expect(try await fixture.mail(.passkeyAdded).passkey == nil)
        let code = try #require(try await fixture.listed().first).code
        #expect(try await fixture.inspect(code).passkeys?.map(\.name) == [nil])
    }

    @Test(arguments: StoreEngine.allCases)
    func additionIsEmailedWithLinkThatRemovesPasskey(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        let mail = try await fixture.mail(.passkeyAdded)
        #expect(mail.recipient == Self.email && mail.passkey == "Laptop" && mail.secondFactor == nil)
        #expect(mail.link?.contains("mode=revertPasskeyAddition&oobCode=") == true)
        let entry = try #require(try await fixture.listed().first)
        #expect(entry.purpose == .revertPasskeyAddition && entry.link.reveal() == mail.link)

        let signedIn = try #require(try await fixture.signIn(ada.account.id, PasskeyTests.id(1)).tokens)
        let inspected = try await fixture.inspect(entry.code)
        #expect(
            inspected
                == .init(
                    purpose: .revertPasskeyAddition, email: try #require(Self.email),
                    passkeys: [
                        .init(name: "Laptop", createdAt: fixture.clock.now, lastUsedAt: fixture.clock.now)
                    ]))
        let applied = try await fixture.apply(entry.code)
        #expect(applied.account.passkeys.isEmpty && applied.account.hasPassword)
        for token in [ada.tokens.refreshToken, signedIn.refreshToken] {
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(token) }
        }
        await #expect(throws: ServiceError(.passkeyNotFound)) {
            try await fixture.signIn(ada.account.id, PasskeyTests.id(1))
        }
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(entry.code) }
        #expect(fixture.published.all.contains(.sessionsRevoked(Self.realm, ada.account.id)))
        #expect(try await fixture.auditActions().contains("account.passkey-reverted"))
        _ = try await fixture.signIn()
    }

    @Test(arguments: StoreEngine.allCases)
    func eachPasskeyHasItsOwnCode(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1, name: "First"), ada.tokens)
        _ = try await fixture.enroll(PasskeyTests.passkey(2, name: "Second"), ada.tokens)
        let first = try await undoCode(fixture, "First")
        let second = try await undoCode(fixture, "Second")
        #expect(try await fixture.apply(second).account.passkeys.map(\.name) == ["First"])
        #expect(try await fixture.apply(first).account.passkeys.isEmpty)
    }

    @Test func repeatedUseGetsTheRecordedReply() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        let request = Identity.ApplyActionCode(realm: Self.realm, code: try await undoCode(fixture))
        let first = try await fixture.send(request, idempotencyKey: "k")
        #expect(try await fixture.send(request, idempotencyKey: "k") == first)
    }

    @Test func codeExpiresAfterThreeDays() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        let code = try await undoCode(fixture)
        fixture.clock.advance(by: .seconds(3 * 24 * 60 * 60 - 1))
        _ = try await fixture.inspect(code)
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: ServiceError(.expiredActionCode)) { try await fixture.apply(code) }
        #expect(try await fixture.change(ada.account.id, .init()).passkeys.count == 1)
    }

    /// The credential has gone, and is added to another account: the code of the first account does not reach it.
    @Test(arguments: StoreEngine.allCases)
    func codeIsVoidWithoutItsPasskey(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        let code = try await undoCode(fixture)
        _ = try await fixture.changeOwn(ada.tokens, .init(removals: [.passkey(PasskeyTests.id(1))]))
        #expect(try await fixture.inspect(code).passkeys == [])
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(code) }

        let bob = try await fixture.signUp("bob@example.com")
        _ = try await fixture.enroll(PasskeyTests.passkey(1), bob.tokens)
        #expect(try await fixture.inspect(code).passkeys == [])
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(code) }
        #expect(try await fixture.lookUp(bob.tokens.idToken).passkeys.count == 1)
        _ = try await fixture.signIn(bob.account.id, PasskeyTests.id(1))
    }

    @Test func codeWorksForDisabledAccount() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        _ = try await fixture.change(ada.account.id, .init(disabled: true))
        let account = try await fixture.apply(try await undoCode(fixture)).account
        #expect(account.passkeys.isEmpty && account.disabled)
    }

    /// The owner may need the code after an attacker has set a password.
    @Test func codeSurvivesPasswordChange() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.changeOwn(ada.tokens, .init(password: Secret("set-by-a-thief-1")))
        #expect(try await fixture.apply(try await undoCode(fixture)).account.passkeys.isEmpty)
    }

    /// To the reader of an unverified address, the name would be a text from another user.
    @Test func unverifiedEmailGetsLinkWithoutName() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(PasskeyTests.passkey(1, name: "Win at evil.example"), ada.tokens)
        let mail = try await fixture.mail(.passkeyAdded)
        #expect(mail.passkey == nil && mail.displayName == nil)
        let entry = try #require(try await fixture.listed().first { $0.link.reveal() == mail.link })
        #expect(
            try await fixture.inspect(entry.code).passkeys == [.init(name: nil, createdAt: fixture.clock.now)])
        #expect(try await fixture.apply(entry.code).account.passkeys.isEmpty)
    }

    @Test func accountWithoutEmailGetsNoMail() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.send(Identity.SignUp(realm: Self.realm))
        let enrolled = try await fixture.enroll(PasskeyTests.passkey(1), made.tokens)
        _ = try await fixture.changeOwn(enrolled.tokens, .init(removals: [.passkey(PasskeyTests.id(1))]))
        #expect(try await fixture.mails().isEmpty)
        #expect(try await fixture.listed().isEmpty)
    }

    // MARK: Removal

    @Test(arguments: StoreEngine.allCases)
    func removalByOwnerIsMailedToFormerEmail(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fixture.showsEmails()
        let ada = try await fixture.signUpVerified()
        for number in 1...3 as ClosedRange<UInt8> {
            _ = try await fixture.enroll(PasskeyTests.passkey(number, name: "Passkey \(number)"), ada.tokens)
        }
        _ = try await fixture.changeOwn(
            ada.tokens,
            .init(
                email: "new@example.com", removals: [.passkey(PasskeyTests.id(1)), .passkey(PasskeyTests.id(3))]))
        let mails = try await fixture.mails().filter { $0.purpose == .passkeyRemoved }
        #expect(Set(mails.map(\.passkey)) == ["Passkey 1", "Passkey 3"] && mails.count == 2)
        #expect(mails.allSatisfy { $0.recipient == Self.email && $0.link == nil })
    }

    @Test func otherRemovalsAreNotEmailed() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        _ = try await fixture.enroll(PasskeyTests.passkey(2, name: "Phone"), ada.tokens)
        _ = try await fixture.changeOwn(
            ada.tokens, .init(renamedPasskey: .init(credentialID: PasskeyTests.id(1), name: "Desk")))
        _ = try await fixture.change(ada.account.id, .init(removals: [.passkey(PasskeyTests.id(1))]))
        _ = try await fixture.apply(try await undoCode(fixture, "Phone"))
        #expect(try await fixture.mails().allSatisfy { $0.purpose == .passkeyAdded })
    }
}
