import Contracts
import Testing
import Vocabulary

@testable import IdentityService

/// The rules of one e-mail code (security rules SM2 and RL4).
@Suite struct EmailCodeTests {
    private static let right: [UInt8] = Array(repeating: 1, count: 32)
    private static let wrong: [UInt8] = Array(repeating: 2, count: 32)

    /// Codes in the order in which they are typed, `r` for the right one, and the decisions.
    @Test(
        arguments: [
            ("r", [.right]), ("wr", [.wrong, .right]), ("wwwwr", [.wrong, .wrong, .wrong, .wrong, .right]),
            ("wwwwwr", [.wrong, .wrong, .wrong, .wrong, .wrong, .exhausted]),
            ("wwwwwwr", [.wrong, .wrong, .wrong, .wrong, .wrong, .exhausted, .exhausted]),
        ] as [(String, [EmailCode.Decision])])
    func fiveCodesAreEvaluated(typed: String, decisions: [EmailCode.Decision]) {
        var code = EmailCode(digest: Self.right)
        let made = typed.map { code.evaluate($0 == "r" ? Self.right : Self.wrong) }
        #expect(made == decisions)
    }

    @Test(arguments: [[], [0], Array(right.dropLast())] as [[UInt8]])
    func shorterDigestIsWrong(digest: [UInt8]) {
        var code = EmailCode(digest: Self.right)
        #expect(code.evaluate(digest) == .wrong)
    }

    /// Of the link that has the same purpose: the digits live for a shorter time.
    @Test(arguments: Identity.EmailCodePurpose.allCases) func codeExpiresAfterTenMinutes(
        purpose: Identity.EmailCodePurpose
    ) throws {
        let code = try ActionCodeTests.code(purpose.actionPurpose)
        let digits = ActionCode(
            code.purpose, in: code.realm, accountID: code.accountID, email: code.email, digits: .decoy,
            at: code.createdAt)
        let end = code.createdAt + .seconds(600)
        try digits.validate(at: Moment(milliseconds: end.milliseconds - 1))
        #expect(throws: ServiceError(.verificationSessionExpired)) { try digits.validate(at: end) }
        try code.validate(at: end)
        #expect(Identity.EmailCodePurpose(code.purpose) == purpose)
    }

    @Test func onlyTwoPurposesHaveDigits() {
        let found = ActionCode.Purpose.allCases.compactMap(Identity.EmailCodePurpose.init)
        #expect(Set(found) == Set(Identity.EmailCodePurpose.allCases) && found.count == 2)
    }
}
