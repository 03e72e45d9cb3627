import Contracts
import Crypto
import MasterKey
import SQL
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Mails are committed with the change that causes them and reach the notifier once, whichever process stops in
/// between.
@Suite(.serialized) struct PendingMailTests {
    private static func mail(_ id: String = "1", at now: Moment) throws -> PendingMail {
        let email = Notifier.SendEmail(
            realm: IdentityFixture.realm, recipient: try #require(EmailAddress("ada@example.com")),
            purpose: .resetPassword, appName: "demo", link: "https://example.com/?oobCode=x")
        return PendingMail(id: id, email, code: nil, trace: .random(), at: now)
    }

    private static func rows(_ fixture: IdentityFixture) async throws -> [SQLRow] {
        try await fixture.store.read { try $0.rows("SELECT * FROM pending_mails ORDER BY mail_id") }
    }

    // MARK: Rules

    @Test(arguments: WireError.Code.allCases) func onlyDefiniteReplyRemovesMail(code: WireError.Code) {
        switch EnqueueOutcome(WireError(code)) {
        case .accepted: #expect(code == .idempotencyKeyReused)
        case .rejected: #expect([.invalidRequest, .invalidEmailTemplate].contains(code))
        case .receiverUnavailable:
            #expect([.unavailable, .overloaded, .deadlineExceeded, .unknownOperation].contains(code))
        case .failed: break
        case .dropped, .interrupted: Issue.record("\(code) is an answer")
        }
    }

    @Test func outageIsProbedByOneMailAtATime() {
        let start = ContinuousClock.now
        var state = EnqueueState()
        #expect(state.room(at: start) == EnqueueState.maximumInFlight)
        let lost = EnqueueOutcome.receiverUnavailable(.unavailable)
        #expect(state.record([lost, lost], at: start, jitter: 1) == .began(.unavailable))
        var now = start
        for pause in [250, 500, 1000, 2000, 4000, 5000, 5000] {
            #expect(state.room(at: now + .milliseconds(pause - 1)) == 0)
            now += .milliseconds(pause)
            #expect(state.room(at: now) == 1)
            #expect(state.record([lost], at: now, jitter: 1) == nil)
        }
        #expect(state.record([.dropped, .interrupted], at: now, jitter: 1) == nil && state.outage != nil)
        #expect(state.record([lost, .failed(.internal)], at: now, jitter: 1) == .ended(after: now - start))
        #expect(state.room(at: now) == EnqueueState.maximumInFlight)
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 2), (5, 16), (9, 256), (10, 300), (.max, 300)])
    func retryDelayOfMailGrows(attempts: Int, seconds: Int) {
        #expect(MailRetry.pause(attempts: attempts) == .seconds(seconds))
    }

    // MARK: From the request to the notifier

    @Test(arguments: StoreEngine.allCases)
    func mailIsCommittedWithItsChangeAndSentOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUp()
        fixture.mailbox.refuse(.unavailable)
        // Nothing waits for the notifier.
        try await fixture.send(.passwordReset)
        try await fixture.send(.verifyEmail, nil, idToken: ada.tokens.idToken)
        #expect(try await fixture.mails().isEmpty)
        _ = try await fixture.changeOwn(ada.tokens, .init(password: Secret("another-horse-9")))
        #expect(try await Self.rows(fixture).count == 3)
        #expect(fixture.log.count(of: "mail.notifier-unavailable") == 1)

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

    /// The first reply is recorded together with its mails: a repeated call adds none.
    @Test func repeatedCallQueuesNoSecondMail() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        let request = Identity.ResetPassword(
            realm: IdentityFixture.realm, code: try await fixture.code(.passwordReset),
            newPassword: Secret("another-horse-9"))
        let key = String(repeating: "5", count: 32)
        for _ in 0..<2 { _ = try await fixture.send(request, idempotencyKey: key) }
        #expect(try await fixture.mails().map(\.purpose) == [.passwordChanged])
    }

    /// EN2: the same statements and rows for every address; for an unknown one, no mail is sent.
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

    @Test func rejectedMailIsLoggedAndRemoved() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.send(.emailSignIn)
        fixture.mailbox.refuse(.invalidRequest)
        #expect(try await fixture.mails().isEmpty)
        #expect(try await Self.rows(fixture).isEmpty)
        #expect(fixture.log.count(of: "mail.rejected") == 1)
    }

    @Test func failedMailDoesNotBlockOthers() async throws {
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

    @Test func expiredMailIsCountedAndNotSent() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        try await fixture.send(.emailSignIn)
        try await fixture.send(.passwordReset, "nobody@example.com")
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.mails().isEmpty)
        #expect(try await Self.rows(fixture).count == 2)
        try await fixture.dispatcher.deleteExpired()
        #expect(try await Self.rows(fixture).isEmpty)
        #expect(fixture.log.count(of: "mail.expired count=1") == 1)
    }

    // MARK: Leases

    @Test(arguments: StoreEngine.allCases) func eachMailIsLeasedOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (store, now) = (fixture.store, fixture.clock.now)
        try await store.write { transaction in
            for number in 0..<40 { try store.enqueue(try Self.mail("\(number)", at: now), transaction) }
        }
        let leased = try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { try await store.leaseMails(upTo: 4, to: "a", for: MailDispatcher.lease, at: now) }
            }
            return try await group.reduce(into: [LeasedMail]()) { $0 += $1 }
        }
        let ids = leased.map { if case .readable(let mail) = $0 { mail.id } else { "" } }
        #expect(Set(ids).count == ids.count && ids.count == 40)
        #expect(try await store.leaseMails(upTo: 40, to: "a", for: MailDispatcher.lease, at: now).isEmpty)
    }

    /// A mail leased by a process that exited is due again when the lease ends; the former holder can no longer record
    /// an outcome.
    @Test func leaseExpires() async throws {
        let fixture = try await IdentityFixture()
        let store = fixture.store
        try await store.write { try store.enqueue(try Self.mail(at: fixture.clock.now), $0) }
        let leased = try await store.leaseMails(upTo: 1, to: "a", for: .seconds(15), at: fixture.clock.now)
        let first = try #require(
            leased.compactMap { if case .readable(let mail) = $0 { mail } else { nil } }.first)
        fixture.clock.advance(by: .seconds(14))
        #expect(try await fixture.mails().isEmpty)
        fixture.clock.advance(by: .seconds(1))
        let second = try await store.leaseMails(upTo: 1, to: "a", for: .seconds(15), at: fixture.clock.now)
        #expect(second.count == 1)
        try await store.releaseMails([(first, fixture.clock.now)], at: fixture.clock.now)
        #expect(try await fixture.mails().isEmpty)
        fixture.clock.advance(by: .seconds(15))
        #expect(try await fixture.mails().count == 1)
    }

    /// A killed process had leased the mail: the next start does not wait until the lease ends.
    @Test(arguments: StoreEngine.allCases) func mailOfAnEndedProcessIsSentAtOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (store, now) = (fixture.store, fixture.clock.now)
        try await store.write { transaction in
            for id in ["1", "2", "3"] { try store.enqueue(try Self.mail(id, at: now), transaction) }
        }
        for holder in ["dead", "dead", "alive"] {
            _ = try await store.leaseMails(upTo: 1, to: holder, for: MailDispatcher.lease, at: now)
        }
        #expect(try await fixture.mails().isEmpty)
        await fixture.dispatcher.releaseMailsOfTheDead()
        #expect(fixture.log.count(of: "mail.leases-released count=2") == 1)
        #expect(try await fixture.mails().count == 2)
        fixture.clock.advance(by: MailDispatcher.lease)
        #expect(try await fixture.mails().count == 3)
    }

    /// A clock that was ahead when the mail was stored or leased causes no delay after it is corrected.
    /// "pending_mails.paused_at"
    @Test(arguments: [false, true], [10, 240, 365 * 86_400] as [Int64])
    func clockThatWasAheadDelaysNoMail(isLeased: Bool, seconds: Int64) async throws {
        let fixture = try await IdentityFixture()
        let (store, right) = (fixture.store, fixture.clock.now)
        fixture.clock.setWall(right + .seconds(seconds))
        try await store.write { try store.enqueue(try Self.mail(at: fixture.clock.now), $0) }
        if isLeased { _ = try await store.leaseMails(upTo: 1, to: "a", for: .seconds(15), at: fixture.clock.now) }
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

    /// Runs the dispatcher: mails from before the start, mails committed while it runs, and shutdown.
    @Test func dispatcherSendsStoredAndNewMails() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.send(.emailSignIn, "first@example.com")
        let running = Task { try await fixture.dispatcher.run() }
        try await eventually("the first mail was accepted") { fixture.mailbox.mails.count == 1 }
        try await fixture.send(.emailSignIn, "second@example.com")
        try await eventually("the second mail was accepted") { fixture.mailbox.mails.count == 2 }
        await fixture.dispatcher.beginShutdown()
        try await running.value
    }
}
