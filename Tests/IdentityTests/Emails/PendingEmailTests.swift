import Contracts
import Crypto
import Delivery
import MasterKey
import SQL
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// E-mails are committed with the change that causes them and reach the notifier once, whichever process stops in
/// between.
@Suite(.serialized) struct PendingEmailTests {
    private static func mail(_ id: String = "1", at now: Moment) throws -> PendingEmail {
        let email = Notifier.SendEmail(
            realm: IdentityFixture.realm, recipient: try #require(EmailAddress("ada@example.com")),
            purpose: .resetPassword, appName: "demo", link: "https://example.com/?oobCode=x")
        return PendingEmail(id: id, email, code: nil, trace: .random(), at: now)
    }

    private static func rows(_ fixture: IdentityFixture) async throws -> [SQLRow] {
        try await fixture.store.read { try $0.rows("SELECT * FROM pending_mails ORDER BY mail_id") }
    }

    // MARK: From the request to the notifier

    @Test(arguments: StoreEngine.allCases)
    func emailIsCommittedWithItsChangeAndSentOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUp()
        fixture.mailbox.refuse(.unavailable)
        // Nothing waits for the notifier.
        try await fixture.send(.passwordReset)
        try await fixture.send(.verifyEmail, nil, idToken: ada.tokens.idToken)
        #expect(try await fixture.mails().isEmpty)
        _ = try await fixture.changeOwn(ada.tokens, .init(password: Secret("another-horse-9")))
        #expect(try await Self.rows(fixture).count == 3)
        #expect(fixture.log.count(of: "delivery.receiver-unavailable outbox=mails receiver=notifier") == 1)

        fixture.mailbox.refuse(nil)
        fixture.mailbox.loseReplies(true)
        #expect(try await fixture.mails().count == 3)
        #expect(try await Self.rows(fixture).count == 3)
        fixture.mailbox.loseReplies(false)
        #expect(
            try await fixture.mails().map(\.purpose.rawValue).sorted() == [
                "passwordChanged", "resetPassword", "verifyEmail",
            ])
        #expect(try await Self.rows(fixture).isEmpty)
    }

    @Test func failedChangeQueuesNoNotices() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.showsEmails()
        let ada = try await fixture.signUp()
        _ = try await fixture.signUp("grace@example.com")
        await #expect(throws: ServiceError(.emailExists)) {
            try await fixture.changeOwn(ada.tokens, .init(email: "grace@example.com"))
        }
        #expect(try await Self.rows(fixture).isEmpty)
    }

    /// The first reply is recorded together with its e-mails: a repeated call adds none.
    @Test func repeatedCallQueuesNoSecondEmail() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let request = Identity.ResetPassword(
            realm: IdentityFixture.realm, code: try await fixture.code(.passwordReset),
            newPassword: Secret("another-horse-9"))
        let key = String(repeating: "5", count: 32)
        for _ in 0..<2 { _ = try await fixture.send(request, idempotencyKey: key) }
        #expect(try await fixture.mails().map(\.purpose) == [.passwordChanged])
    }

    /// EN2: the same statements and rows for every address; for an unknown one, no e-mail is sent.
    @Test(arguments: StoreEngine.allCases)
    func unknownEmailCausesSameWork(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        _ = try await fixture.signUp()
        try await fixture.send(.passwordReset, "ada@example.com")
        let known = try #require(try await Self.rows(fixture).first)
        try await fixture.store.write { try $0.execute("DELETE FROM pending_mails") }
        try await fixture.send(.passwordReset, "eve@example.com")
        let unknown = try #require(try await Self.rows(fixture).first)
        func size(_ row: SQLRow) throws -> Int { (try row.get("sealed_mail") as [UInt8]).count }
        // `true` is a byte shorter than `false`.
        #expect(try size(known) - size(unknown) == 1)
        #expect(try known.get("expires_at") as Int64 == unknown.get("expires_at"))
        #expect(try await fixture.listed().map(\.email) == [EmailAddress("ada@example.com")])
        #expect(try await fixture.mails().isEmpty)
        #expect(fixture.mailbox.calls == 0)
        #expect(try await Self.rows(fixture).isEmpty)
    }

    @Test func rejectedEmailIsLoggedAndRemoved() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.send(.emailSignIn)
        fixture.mailbox.refuse(.invalidRequest)
        #expect(try await fixture.mails().isEmpty)
        #expect(try await Self.rows(fixture).isEmpty)
        #expect(fixture.log.count(of: "mail.rejected") == 1)
    }

    @Test func failedEmailDoesNotBlockOthers() async throws {
        let fixture = try await IdentityFixture()
        fixture.mailbox.refuse(.internal)
        try await fixture.send(.emailSignIn, "first@example.com")
        #expect(try await fixture.mails().isEmpty)
        fixture.mailbox.refuse(nil)
        try await fixture.send(.emailSignIn, "second@example.com")
        #expect(try await fixture.mails().map(\.recipient.rawValue) == ["second@example.com"])
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.mails().count == 2)
    }

    @Test func expiredEmailIsCountedAndNotSent() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        try await fixture.send(.emailSignIn)
        try await fixture.send(.passwordReset, "nobody@example.com")
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.mails().isEmpty)
        #expect(try await Self.rows(fixture).count == 2)
        try await fixture.emailLoop.outbox.deleteExpired(at: fixture.clock.now)
        #expect(try await Self.rows(fixture).isEmpty)
        #expect(fixture.log.count(of: "mail.expired count=1") == 1)
    }

    // MARK: Leases

    /// A killed process had leased the e-mail: the next start does not wait until the lease ends.
    @Test(arguments: StoreEngine.allCases) func emailOfAnEndedProcessIsSentAtOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (store, now) = (fixture.store, fixture.clock.now)
        try await store.write { transaction in
            for id in ["1", "2", "3"] { try store.enqueue(try Self.mail(id, at: now), transaction) }
        }
        for holder in ["dead", "dead", "alive"] {
            _ = try await store.leaseEmails(upTo: 1, to: holder, for: EmailOutbox.lease, at: now)
        }
        #expect(try await fixture.mails().isEmpty)
        let released = try await fixture.emailLoop.outbox.releaseLeases(
            ofEndedProcesses: { $0 == "dead" }, at: fixture.clock.now)
        #expect(released == 2)
        #expect(try await fixture.mails().count == 2)
        fixture.clock.advance(by: EmailOutbox.lease)
        #expect(try await fixture.mails().count == 3)
    }

    /// A clock that was ahead when the e-mail was stored or leased causes no delay after it is corrected.
    /// "pending_mails.paused_at"
    @Test(arguments: [false, true], [10, 240, 365 * 86_400] as [Int64])
    func clockThatWasAheadDelaysNoEmail(isLeased: Bool, seconds: Int64) async throws {
        let fixture = try await IdentityFixture()
        let (store, right) = (fixture.store, fixture.clock.now)
        fixture.clock.setWall(right + .seconds(seconds))
        try await store.write { try store.enqueue(try Self.mail(at: fixture.clock.now), $0) }
        if isLeased { _ = try await store.leaseEmails(upTo: 1, to: "a", for: .seconds(15), at: fixture.clock.now) }
        fixture.clock.setWall(right)
        #expect(try await fixture.mails().count == 1)
    }

    @Test func damagedRowIsLoggedAndDoesNotBlockOthers() async throws {
        let fixture = try await IdentityFixture()
        let store = fixture.store
        try await store.write { transaction in
            for id in ["1", "2"] { try store.enqueue(try Self.mail(id, at: fixture.clock.now), transaction) }
            try transaction.execute(
                """
                UPDATE pending_mails SET sealed_mail = (SELECT sealed_mail FROM pending_mails WHERE mail_id = '2')
                WHERE mail_id = '1'
                """)
        }
        #expect(try await fixture.mails().count == 1)
        #expect(try await Self.rows(fixture).isEmpty && fixture.log.count(of: "mail.rejected") == 1)
    }

    /// Runs the loop: e-mails from before the start, e-mails committed while it runs, and shutdown.
    @Test func loopSendsStoredAndNewEmails() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.send(.emailSignIn, "first@example.com")
        let running = Task { try await fixture.emailLoop.run() }
        try await eventually("the first mail was accepted") { fixture.mailbox.mails.count == 1 }
        try await fixture.send(.emailSignIn, "second@example.com")
        try await eventually("the second mail was accepted") { fixture.mailbox.mails.count == 2 }
        await fixture.emailLoop.beginShutdown()
        try await running.value
    }
}
