import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

private let start = Moment(milliseconds: 1_700_000_000_000)
private let unreachable = DeliveryFailure(.unreachable)
private let busy = DeliveryFailure(.deferred, code: 451)

/// `#expect` for mutating calls, which the macro cannot evaluate itself.
private func isTrue(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}

private func message(_ purpose: Notifier.EmailPurpose = .resetPassword) throws -> OutboxMessage {
    OutboxMessage.accepted(MessageID("m"), .email(try sampleEmail(purpose)), suppressedFor: nil, at: start)
}

extension OutboxMessage {
    /// What a lease changes in the row.
    fileprivate mutating func lease(to holder: String = "a", at now: Moment) {
        attempts += 1
        (state, pausedAt) = (.leased(holder: holder, until: now + .seconds(90)), now)
    }
}

@Suite struct OutboxMessageTests {
    @Test func newMessageIsQueuedOrSuppressed() throws {
        #expect(try message().state == .queued(dueAt: start))
        #expect(try message().expiresAt == start + .seconds(3600))
        let limit = DeliveryFailure(.recipientLimit)
        let suppressed = OutboxMessage.accepted(
            MessageID("m"), .email(try sampleEmail()), suppressedFor: limit, at: start)
        #expect(suppressed.state == .suppressed(limit, at: start))
        #expect(suppressed.dueAt == nil)
    }

    @Test func lostLeaseRecordsNoOutcome() throws {
        var message = try message()
        message.lease(to: "a", at: start)
        let first = message
        message.lease(to: "a", at: start + .seconds(90))
        let second = message
        isTrue(!message.recordOutcome(.delivered, of: first, at: start, jitter: 0))
        #expect(message == second)
        isTrue(message.recordOutcome(.delivered, of: second, at: start, jitter: 0))
        isTrue(!message.recordOutcome(.rejected(busy), of: second, at: start, jitter: 0))
        #expect(message.state == .sent(at: start))
    }

    @Test(
        arguments: [
            (DeliveryOutcome.delivered, OutboxMessage.State.sent(at: start), nil, 0),
            (
                .rejected(DeliveryFailure(.recipientRefused, code: 550)),
                .failed(DeliveryFailure(.recipientRefused, code: 550), at: start),
                DeliveryFailure(.recipientRefused, code: 550), 0
            ),
            (.deferred(busy), .queued(dueAt: start + .milliseconds(2500)), busy, 1),
            (.transportUnavailable(unreachable), .queued(dueAt: start + .seconds(1)), unreachable, 0),
            (.interrupted, .queued(dueAt: start), nil, 0),
            (
                .uncertain(UncertainDelivery(provider: "a", problem: busy)),
                .queued(dueAt: start + .milliseconds(2500)), busy, 1
            ),
            (
                .uncertain(UncertainDelivery(provider: "a", problem: busy, pause: .seconds(60))),
                .queued(dueAt: start + .seconds(60)), busy, 1
            ),
        ] as [(DeliveryOutcome, OutboxMessage.State, DeliveryFailure?, Int)])
    func outcomeDeterminesState(
        outcome: DeliveryOutcome, state: OutboxMessage.State, problem: DeliveryFailure?, setbacks: Int
    ) throws {
        var message = try message()
        message.lease(to: "a", at: start)
        let lease = message
        isTrue(message.recordOutcome(outcome, of: lease, at: start, jitter: 0))
        #expect(message.state == state)
        #expect(message.problem == problem)
        #expect(message.failedAttempts == setbacks)
        #expect(message.attempts == 1)
    }

    /// From then on only that provider gets the message, however its attempts end.
    @Test func uncertainMessageStaysWithItsProvider() throws {
        var message = try message()
        let uncertain = DeliveryOutcome.uncertain(UncertainDelivery(provider: "a", problem: busy))
        var now = start
        for outcome in [uncertain, .deferred(busy), .transportUnavailable(unreachable), .interrupted] {
            now = message.dueAt ?? now
            message.lease(to: "n", at: now)
            let lease = message
            isTrue(message.recordOutcome(outcome, of: lease, at: now, jitter: 0))
            #expect(message.provider == "a")
        }
    }

    /// The next attempt would be after the expiry.
    @Test func messageThatWouldExpireFailsNow() throws {
        var message = try message()
        let last = start + .milliseconds(3_599_999)
        message.lease(at: last)
        let lease = message
        isTrue(message.recordOutcome(.deferred(busy), of: lease, at: last, jitter: 0))
        #expect(message.state == .failed(busy, at: last))
    }

    /// However attempts end, a message reaches exactly one final state before it expires.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func everyMessageReachesOneFinalState(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var message = try message(Notifier.EmailPurpose.allCases.randomElement(using: &random) ?? .verifyEmail)
        var now = start
        var leases = 0
        while let dueAt = message.dueAt {
            now = max(now, dueAt) + .milliseconds(Int.random(in: 0...100, using: &random))
            // `NotifierStore.expire` ends it.
            guard now < message.expiresAt else {
                message.fail(message.problem ?? DeliveryFailure(.expired), at: now)
                continue
            }
            message.lease(at: now)
            leases += 1
            let outcomes: [DeliveryOutcome?] = [
                .deferred(busy), .deferred(busy), .transportUnavailable(unreachable), nil,
            ]
            // nil: the process exited.
            guard let outcome = outcomes[Int.random(in: 0..<outcomes.count, using: &random)] else { continue }
            let lease = message
            isTrue(message.recordOutcome(outcome, of: lease, at: now, jitter: Double.random(in: 0..<1, using: &random)))
        }
        guard case .failed = message.state else {
            Issue.record("\(message.state)")
            return
        }
        #expect(message.attempts == leases)
    }
}

@Suite struct DeliveryFailureTests {
    @Test(arguments: DeliveryFailure.Kind.allCases)
    func textRoundTrips(kind: DeliveryFailure.Kind) {
        for problem in [DeliveryFailure(kind), DeliveryFailure(kind, code: 550)] {
            #expect(DeliveryFailure(text: problem.text) == problem)
        }
    }

    @Test func unknownTextIsRejected() {
        #expect(DeliveryFailure(text: "") == nil)
        #expect(DeliveryFailure(text: "bad luck") == nil)
    }
}

@Suite struct EmailRequestTests {
    @Test(arguments: [
        "https://example.com/a?b=c%20d&e=f", "http://127.0.0.1:9099/x", "HTTPS://EXAMPLE.COM/",
        "https://" + String(repeating: "x", count: 4088),
    ])
    func webAddressIsAcceptedAsLink(link: String) throws {
        var request = try sampleEmail()
        request.link = link
        try request.check()
    }

    @Test(
        arguments: [
            nil, "", "example.com", "javascript:alert(1)", "https://a b", "https://a\r\nb", "https://ü.example",
            "https://a\"b",
            "https://a<b>", "ftp://example.com", "https://" + String(repeating: "x", count: 4089),
        ] as [String?])
    func invalidLinkIsRefused(link: String?) throws {
        var request = try sampleEmail()
        request.link = link
        #expect(throws: ServiceError.self) { try request.check() }
    }

    @Test func noticeRequiresNoLink() throws {
        var request = try sampleEmail(.passwordChanged)
        request.link = nil
        try request.check()
    }

    /// A code is needed where a mail is sent for it, and is six digits everywhere.
    @Test(
        arguments: [
            (Notifier.EmailPurpose.emailSignInCode, "012345", true), (.emailVerificationCode, "012345", true),
            (.emailSignInCode, nil, false), (.emailVerificationCode, "12345", false),
            (.emailSignInCode, "1234567", false),
            (.emailSignInCode, "12345a", false), (.emailSignInCode, "１２３４５６", false), (.passwordChanged, "", false),
        ] as [(Notifier.EmailPurpose, String?, Bool)])
    func mailOfCodeRequiresSixDigits(purpose: Notifier.EmailPurpose, code: String?, isAccepted: Bool) throws {
        var request = try sampleEmail(purpose)
        request.link = nil
        request.code = code.map { Secret($0) }
        do {
            try request.check()
            #expect(isAccepted)
        } catch {
            #expect(!isAccepted && error.code == .invalidRequest)
        }
    }

    @Test func removalRequiresNoNewAddress() throws {
        var request = try sampleEmail(.emailRemoved)
        request.newEmail = nil
        try request.check()
    }

    @Test func changeRequiresNewAddress() throws {
        for purpose in [Notifier.EmailPurpose.verifyAndChangeEmail, .emailChanged] {
            var request = try sampleEmail(purpose)
            try request.check()
            request.newEmail = nil
            #expect(throws: ServiceError.self) { try request.check() }
        }
    }

    @Test func nameLengthIsBounded() throws {
        var request = try sampleEmail()
        request.appName = String(repeating: "x", count: 1024)
        try request.check()
        request.appName += "x"
        #expect(throws: ServiceError(.invalidRequest, "A name is too long.")) { try request.check() }
    }

    @Test func unknownPlaceholderIsRefused() throws {
        var request = try sampleEmail()
        request.template = .init(body: "%LINK% %TOKEN%")
        #expect(
            throws: ServiceError(.invalidEmailTemplate, EmailTemplateError.unknownPlaceholder("%TOKEN%").description)
        ) { try request.check() }
    }

    @Test(arguments: [
        ("ada@example.com", "a•••@example.com"), ("a@example.com", "•••@example.com"),
        ("żółw@example.com", "ż•••@example.com"),
    ])
    func addressIsMasked(address: String, masked: String) throws {
        #expect(try #require(EmailAddress(address)).masked == masked)
    }
}

@Suite struct SenderTests {
    @Test(
        arguments: [
            ("noreply@example.com", nil, "noreply@example.com"),
            ("Example <noreply@example.com>", "Example", "noreply@example.com"),
            ("\"Ex, Inc.\" <n@example.com>", "Ex, Inc.", "n@example.com"), ("<n@example.com>", nil, "n@example.com"),
            ("Müller GmbH <n@example.com>", "Müller GmbH", "n@example.com"),
        ] as [(String, String?, String)])
    func senderIsParsedAsNameAndAddress(text: String, name: String?, address: String) throws {
        let sender = try #require(EmailTransport.Sender(text))
        #expect(sender.name == name)
        #expect(sender.address.rawValue == address)
    }

    @Test(arguments: [
        "", "nobody", "a@b", "x <a@example.com", "a@example.com, b@example.com", "x\r\nBcc: y <a@example.com>",
        "<<a@example.com>",
        "żółw@example.com", "x <a@example.com> y",
    ])
    func invalidSenderIsRejected(text: String) {
        #expect(EmailTransport.Sender(text) == nil)
    }

    @Test func projectSetsNameAndAddressWithinOperatorDomain() throws {
        let sender = try #require(EmailTransport.Sender("Operator <noreply@example.com>"))
        var request = try sampleEmail()
        func from() throws -> SMTPMessageFacts { try SMTPMessageFacts(request, sender) }
        #expect(
            try from() == .init(name: "Operator", address: "noreply@example.com", returnPath: "noreply@example.com"))
        request.template = .init(senderDisplayName: "%APP_NAME% Team", senderLocalPart: "hello")
        #expect(try from() == .init(name: "Demo Team", address: "hello@example.com", returnPath: "noreply@example.com"))
        request.template = nil
        let nameless = try #require(EmailTransport.Sender("noreply@example.com"))
        #expect(try SMTPMessageFacts(request, nameless).name == "Demo")
    }
}
