import Contracts
import Crypto
import DatabaseService
import Delivery
import Foundation
import MasterKey
import SQL
import SQLite
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

/// Requirements on the notifier's store, tested on every engine.
@Suite struct NotifierStoreTests {
    private static let noLimits = EmailLimits(perRecipient: nil, perProject: nil)

    private func incoming(_ id: String, _ request: Notifier.SendEmail, key: String? = nil) -> MessageSubmission {
        MessageSubmission(
            id: MessageID(id), content: .email(request), idempotencyKey: key ?? "key of \(id)",
            paramsDigest: Array(id.utf8))
    }

    private func accept(_ id: String, in project: String = "p", _ fixture: NotifierFixture) async throws {
        _ = try await fixture.store.accept(
            incoming(id, sampleEmail(in: project)), limits: Self.noLimits, at: fixture.clock.now)
    }

    private func lease(
        _ count: Int, to holder: String, after last: String? = nil, _ fixture: NotifierFixture
    ) async throws -> [LeasedMessage] {
        try await fixture.store.acquireLeases(
            .email, upTo: count, to: holder, for: .seconds(90), after: last.map { ProjectID($0) }, at: fixture.clock.now
        ).leased
    }

    @Test(arguments: StoreEngine.allCases)
    func messageIsStoredOncePerIdempotencyKey(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let request = try sampleEmail()
        let first = try await fixture.store.accept(
            incoming("a", request, key: "k"), limits: Self.noLimits, at: fixture.clock.now)
        #expect(first.id == MessageID("a") && first.accepted != nil)
        var again = incoming("b", request, key: "k")
        again.paramsDigest = Array("a".utf8)
        let second = try await fixture.store.accept(again, limits: Self.noLimits, at: fixture.clock.now)
        #expect(second.id == MessageID("a") && second.accepted == nil)
        await #expect(throws: ServiceError(.idempotencyKeyReused)) {
            try await fixture.store.accept(
                incoming("c", request, key: "k"), limits: Self.noLimits, at: fixture.clock.now)
        }
        #expect(try await fixture.deliveries().map(\.messageID) == [MessageID("a")])
    }

    @Test(arguments: StoreEngine.allCases)
    func sentMessageLeavesOutbox(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await accept("a", fixture)
        #expect(try await fixture.store.hasDueMessages(.email, at: fixture.clock.now))
        let leased = try #require(try await lease(5, to: "n1", fixture).first)
        #expect(leased.content == .email(try sampleEmail()))
        #expect(try await !fixture.store.hasDueMessages(.email, at: fixture.clock.now))
        #expect(try await lease(5, to: "n2", fixture).isEmpty)
        #expect(try await fixture.store.queueDepth(.email).count == 1)
        let settled = try await fixture.store.recordOutcome(
            leased.message, .delivered, at: fixture.clock.now, jitter: 0)
        #expect(settled?.state == .sent(at: fixture.clock.now))
        #expect(try await fixture.store.queueDepth(.email).count == 0)
        let record = try #require(try await fixture.deliveries().first)
        #expect(record.state == .sent && record.attempts == 1 && record.finishedAt == fixture.clock.now)
        #expect(record.maskedRecipient == "a•••@example.com")
        // A late outcome changes nothing.
        #expect(
            try await fixture.store.recordOutcome(leased.message, .interrupted, at: fixture.clock.now, jitter: 0) == nil
        )
    }

    @Test(arguments: StoreEngine.allCases)
    func deferredMessageWaitsWithRecordedReason(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await accept("a", fixture)
        let leased = try #require(try await lease(1, to: "n1", fixture).first)
        let problem = DeliveryFailure(.deferred, code: 451)
        _ = try await fixture.store.recordOutcome(leased.message, .deferred(problem), at: fixture.clock.now, jitter: 0)
        let record = try #require(try await fixture.deliveries().first)
        #expect((record.state, record.attempts, record.problem) == (.pending, 1, "deferred 451"))
        #expect(try await lease(1, to: "n1", fixture).isEmpty)
        fixture.clock.advance(by: .milliseconds(2500))
        let again = try #require(try await lease(1, to: "n1", fixture).first)
        #expect(again.message.attempts == 2 && again.message.failedAttempts == 1 && again.message.problem == problem)
    }

    @Test(arguments: StoreEngine.allCases)
    func expiredLeaseIsAcquiredByAnotherProcess(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await accept("a", fixture)
        let lost = try #require(try await lease(1, to: "n1", fixture).first)
        fixture.clock.advance(by: .seconds(90))
        let taken = try #require(try await lease(1, to: "n2", fixture).first)
        #expect(
            try await fixture.store.recordOutcome(lost.message, .delivered, at: fixture.clock.now, jitter: 0) == nil)
        #expect(
            try await fixture.store.recordOutcome(taken.message, .delivered, at: fixture.clock.now, jitter: 0) != nil)
    }

    @Test(arguments: StoreEngine.allCases)
    func restartedProcessReleasesItsLeases(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await accept("a", fixture)
        try await accept("b", fixture)
        _ = try await lease(1, to: "n1", fixture)
        _ = try await lease(1, to: "n2", fixture)
        #expect(try await fixture.store.releaseLeases(ofEndedProcesses: { $0 == "n1" }, at: fixture.clock.now) == 1)
        #expect(try await lease(5, to: "n1", fixture).map(\.message.id) == [MessageID("a")])
    }

    /// A project with many messages does not delay the messages of other projects.
    @Test(arguments: StoreEngine.allCases)
    func projectsTakeTurns(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        for number in 0..<20 { try await accept("m\(number)", in: "many", fixture) }
        fixture.clock.advance(by: .seconds(1))
        try await accept("f", in: "few", fixture)
        try await accept("z", in: "zebra", fixture)
        #expect(
            try await lease(4, to: "n", fixture).map(\.message.realm.project.rawValue) == [
                "few", "many", "zebra", "many",
            ])
        #expect(
            try await lease(2, to: "n", after: "few", fixture).map(\.message.realm.project.rawValue) == [
                "many", "many",
            ])
    }

    @Test(arguments: StoreEngine.allCases)
    func limitsApplyPerHour(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let limits = EmailLimits(perRecipient: 2, perProject: 4)
        var number = 0
        func accept(_ purpose: Notifier.EmailPurpose, to recipient: String, in project: String = "p") async throws
            -> String?
        {
            number += 1
            let message = try await fixture.store.accept(
                incoming("\(number)", sampleEmail(purpose, to: recipient, in: project)), limits: limits,
                at: fixture.clock.now
            ).accepted
            return message?.problem?.text
        }
        #expect(try await accept(.resetPassword, to: "ada@example.com") == nil)
        #expect(try await accept(.verifyEmail, to: "ADA@example.com") == nil)
        #expect(try await accept(.resetPassword, to: "ada@example.com") == "recipientLimit")
        // Notices have their own count, and so have other projects.
        #expect(try await accept(.passwordChanged, to: "ada@example.com") == nil)
        #expect(try await accept(.resetPassword, to: "ada@example.com", in: "q") == nil)
        #expect(try await accept(.resetPassword, to: "bob@example.com") == nil)
        #expect(try await accept(.resetPassword, to: "cyd@example.com") == "projectLimit")
        let states = try await fixture.deliveries().map(\.state)
        #expect(states.filter { $0 == .suppressed }.count == 2)
        #expect(try await fixture.store.queueDepth(.email).count == 5)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await accept(.resetPassword, to: "ada@example.com") == nil)
    }

    /// Covers a message that was accepted while the clock was ahead, and a check by a process whose clock is ahead.
    @Test(arguments: StoreEngine.allCases)
    func wrongClockNeitherDelaysNorExpiresMessage(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let right = fixture.clock.now
        fixture.clock.setWall(right + .seconds(365 * 86_400))
        try await accept("a", fixture)
        fixture.clock.setWall(right)
        #expect(try await lease(1, to: "n", fixture).count == 1)

        let other = try await NotifierFixture(engine)
        try await accept("b", other)
        other.clock.setWall(right + .seconds(61 * 86_400))
        #expect(try await lease(1, to: "n", other).isEmpty)
        other.clock.setWall(right)
        #expect(try await lease(1, to: "n", other).count == 1)
    }

    @Test(arguments: StoreEngine.allCases)
    func messagePastItsLifetimeExpires(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await accept("a", fixture)
        try await accept("b", fixture)
        fixture.clock.advance(by: .seconds(3550))
        #expect(try await lease(1, to: "n", fixture).count == 1)
        #expect(try await fixture.store.expire(at: fixture.clock.now).count == 0)
        fixture.clock.advance(by: .seconds(50))
        // The other message is leased.
        #expect(try await fixture.store.expire(at: fixture.clock.now).count == 1)
        fixture.clock.advance(by: .seconds(40))
        #expect(try await fixture.store.expire(at: fixture.clock.now).count == 1)
        let records = try await fixture.deliveries()
        #expect(records.map(\.state) == [.failed, .failed])
        #expect(Set(records.map(\.problem)) == ["expired"])
        #expect(try await fixture.store.queueDepth(.email).count == 0)
    }

    @Test(arguments: StoreEngine.allCases)
    func historyIsSwept(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        try await accept("old", fixture)
        let leased = try #require(try await lease(1, to: "n", fixture).first)
        _ = try await fixture.store.recordOutcome(leased.message, .delivered, at: fixture.clock.now, jitter: 0)
        fixture.clock.advance(by: .seconds(86_400))
        try await accept("new", fixture)
        try await fixture.store.sweep(history: .seconds(86_400), at: fixture.clock.now)
        #expect(try await fixture.deliveries().count == 2)
        fixture.clock.advance(by: .milliseconds(1))
        try await fixture.store.sweep(history: .seconds(86_400), at: fixture.clock.now)
        #expect(try await fixture.deliveries().map(\.messageID) == [MessageID("new")])
    }

    @Test(arguments: StoreEngine.allCases)
    func inboxIsFilteredByRecipient(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        for (number, recipient) in ["ada@example.com", "bob@example.com", "Ada@example.com"].enumerated() {
            let message = Notifier.InboxMessage(
                id: MessageID("\(number)"), realm: Realm(project: ProjectID("p")), purpose: "resetPassword",
                receivedAt: fixture.clock.now, sender: "s", recipient: recipient,
                subject: "s\(number)", text: "t", html: "h", link: nil)
            for _ in 0..<2 { try await fixture.store.deliverToInbox(message) }
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(try await fixture.store.inbox(of: nil, limit: 50).map(\.subject) == ["s2", "s1", "s0"])
        #expect(try await fixture.store.inbox(of: nil, limit: 1).map(\.subject) == ["s2"])
        #expect(
            try await fixture.store.inbox(of: "aDa@example.com", limit: 50).map(\.subject) == [
                "s2", "s0",
            ])
    }

    @Test func inboxReplyIsBoundedInSize() async throws {
        let fixture = try await NotifierFixture()
        for number in 0..<12 {
            try await fixture.store.deliverToInbox(
                .init(
                    id: MessageID("\(number)"), realm: Realm(project: ProjectID("p")), purpose: "resetPassword",
                    receivedAt: fixture.clock.now, sender: "s", recipient: "a@example.com",
                    subject: "s", text: "t", html: String(repeating: "h", count: 65_536), link: nil))
        }
        #expect(try await fixture.store.inbox(of: nil, limit: 50).count == 7)
    }

    /// Security rule SE2: copies of the file contain neither addresses nor links.
    @Test func databaseFileContainsNoSecrets() async throws {
        let fixture = try await NotifierFixture(.file)
        try await accept("a", fixture)
        try await fixture.running([
            fixture.worker("n", .emailInbox(fixture.store, from: #require(EmailTransport.Sender("s@example.com"))))
        ]) {
            try await eventually("it was delivered") { try await fixture.deliveries().first?.state == .sent }
        }
        try await accept("b", fixture)
        await fixture.store.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
        #expect(!files.isEmpty)
        for file in files {
            let bytes = try #require(FileManager.default.contents(atPath: fixture.directory.appending(file)))
            for secret in ["secret-code", "ada@", "new@example.com"] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file) holds \(secret)")
            }
        }
    }

    @Test func anotherMasterKeyOpensNothing() async throws {
        let fixture = try await NotifierFixture(.file)
        try await accept("a", fixture)
        await fixture.store.close()
        let location = SQLiteDatabase.Location.file(fixture.directory.appending("notifier.sqlite"))
        let id = fixture.masterKeys.ring.current.id
        await #expect(throws: MasterKeyError.unknownKey(id: id, place: "LATCHKEY_MASTER_KEY")) {
            try await NotifierStore(
                try SQLiteDatabase(location), keys: ReloadingMasterKeyRing(.variable(.init(.random()))))
        }
        let again = try await NotifierStore(try SQLiteDatabase(location), keys: fixture.masterKeys)
        #expect(try await again.queueDepth(.email).count == 1)
        await again.close()
    }
}
