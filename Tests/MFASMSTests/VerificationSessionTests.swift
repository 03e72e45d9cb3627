import PhoneNumbers
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

struct VerificationSessionTests {
    private static let start = Moment(milliseconds: 1_000_000)
    private let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))

    private func session(
        _ purpose: CountedSend.Purpose = .secondFactor, account: String? = "ada"
    ) throws -> VerificationSession {
        VerificationSession(
            id: [1], realm: realm, purpose: purpose, number: try ParsedPhoneNumber("+12025550143"),
            accountID: account.map { AccountID($0) }, factorID: nil, isTest: false, codeDigest: [6],
            createdAt: Self.start)
    }

    private func attempt(_ code: UInt8, request: UInt8 = 9) -> VerificationSession.Attempt {
        .init(sessionID: [1], codeDigest: [code], request: [request])
    }

    @Test func correctCodeIsAcceptedOnce() throws {
        var session = try session()
        #expect(session.verify(attempt(6), at: Self.start) == .verified)
        #expect(session.failures == 0 && !session.isOpen(at: Self.start))
        #expect(session.verify(attempt(6), at: Self.start) == .alreadyUsed)
        #expect(session.verify(attempt(6, request: 8), at: Self.start) == .alreadyUsed)
    }

    @Test func sessionExpiresAfterFiveFailures() throws {
        var session = try session()
        for _ in 0..<5 { #expect(session.verify(attempt(1), at: Self.start) == .invalidCode) }
        #expect(session.verify(attempt(6), at: Self.start) == .expired)
        #expect(session.failures == 5)
    }

    @Test func fifthAttemptCanSucceed() throws {
        var session = try session()
        for _ in 0..<4 { _ = session.verify(attempt(1), at: Self.start) }
        #expect(session.verify(attempt(6), at: Self.start) == .verified)
    }

    @Test func sessionExpiresAfterFiveMinutes() throws {
        var session = try session()
        let end = Self.start + .seconds(300)
        var copy = session
        #expect(copy.verify(attempt(6), at: end + .milliseconds(-1)) == .verified)
        #expect(session.verify(attempt(6), at: end) == .expired)
    }

    @Test func verifiedRequestResumesAfterLease() throws {
        var session = try session()
        _ = session.verify(attempt(6), at: Self.start)
        let later = Self.start + VerificationSession.lease
        #expect(session.verify(attempt(6), at: later + .milliseconds(-1)) == .alreadyUsed)
        #expect(session.verify(attempt(6, request: 8), at: later) == .alreadyUsed)
        #expect(session.verify(attempt(1), at: later) == .resumed, "the request says everything, the code too")
        #expect(session.verify(attempt(6), at: later) == .alreadyUsed)
        #expect(session.verify(attempt(6), at: Self.start + .seconds(300)) == .alreadyUsed)
    }

    @Test func sessionIsBoundToRealmPurposeAndAccount() throws {
        let session = try session()
        #expect(session.isBound(to: .init(realm: realm, purpose: .secondFactor, accountID: AccountID("ada"))))
        for claim: VerificationSession.Binding in [
            .init(realm: realm, purpose: .enrollment, accountID: AccountID("ada")),
            .init(realm: realm, purpose: .signIn, accountID: AccountID("ada")),
            .init(realm: realm, purpose: .secondFactor, accountID: AccountID("eve")),
            .init(realm: realm, purpose: .secondFactor),
            .init(realm: Realm(project: ProjectID("p")), purpose: .secondFactor, accountID: AccountID("ada")),
            .init(
                realm: Realm(project: ProjectID("q"), tenant: TenantID("t")), purpose: .secondFactor,
                accountID: AccountID("ada")),
        ] { #expect(!session.isBound(to: claim)) }
    }

    @Test func failuresCountPerPurposeForNumberAndAccount() throws {
        #expect(
            try session().failureScopes == [
                ["p", "t", "secondFactor", "number", "+12025550143"], ["p", "t", "secondFactor", "account", "ada"],
            ])
        #expect(
            try session(.signIn, account: nil).failureScopes == [["p", "t", "signIn", "number", "+12025550143"]])
    }
}

struct FailedCodeAttemptsTests {
    private let now = Moment(milliseconds: 0)

    @Test func twentyConsecutiveFailuresLock() {
        var failures = FailedCodeAttempts()
        for _ in 0..<19 { failures.recordFailure(at: now) }
        #expect(failures.activeLock(at: now) == nil)
        failures.recordFailure(at: now)
        #expect(failures.activeLock(at: now) == now + .seconds(900))
        #expect(failures.activeLock(at: now + .seconds(900)) == nil)
    }

    @Test(arguments: [(40, 3600), (60, 14_400), (80, 86_400), (100, 30 * 86_400)] as [(Int, Int64)])
    func eachLockIsLongerThanPreviousOne(count: Int, seconds: Int64) {
        var failures = FailedCodeAttempts(count: count - 1)
        failures.recordFailure(at: now)
        #expect(failures.activeLock(at: now) == now + .seconds(seconds))
    }

    /// NIST SP 800-63B-4 §3.2.2.
    @Test func failuresAreLimitedToOneHundred() {
        var failures = FailedCodeAttempts()
        var time = now
        for _ in 0..<100 {
            while let until = failures.activeLock(at: time) { time = until }
            failures.recordFailure(at: time)
        }
        #expect(failures.count == FailedCodeAttempts.maximum)
        #expect(failures.activeLock(at: time) == time + FailedCodeAttempts.memory)
        failures.recordFailure(at: time + FailedCodeAttempts.memory)
        #expect(failures.count == 1, "after its memory it begins anew")
    }
}

struct CodeDigestsTests {
    private let digests = CodeDigests(key: [1, 2, 3])

    @Test func codeDigestIsBoundToSession() {
        #expect(digests.code("123456", of: [1]) != digests.code("123456", of: [2]))
        #expect(digests.code("123456", of: [1]) == digests.code("123456", of: [1]))
        #expect(digests.code("123456", of: [1]) != CodeDigests(key: [4]).code("123456", of: [1]))
    }

    @Test func scopeDigestsAreUnambiguous() {
        #expect(digests.scope(["a", "bc"]) != digests.scope(["ab", "c"]))
        #expect(digests.scope(["a", ""]) != digests.scope(["a"]))
    }

    @Test func operationKeyDependsOnSessionAndDetails() {
        let key = digests.operationKey([1], [2])
        #expect(key.utf8.count == 32 && key.allSatisfy(\.isHexDigit))
        #expect(key != digests.operationKey([1], [3]) && key != digests.operationKey([2], [2]))
    }
}
