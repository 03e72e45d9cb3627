import Contracts
import Vocabulary

/// Why a password is too weak, apart from the project's own policy.
enum WeakPassword: Equatable, Sendable {
    case shorterThan(Int)
    /// See `GuessablePassword`.
    case blocklisted
}

/// The rules for new passwords (security rules, section 1). There is no composition rule unless the project sets one.
struct PasswordRules: Equatable, Sendable {
    /// In code points: 6 in dev mode, which client libraries expect; 8 where a second factor is mandatory; 15 where the
    /// password is the only factor (NIST SP 800-63B-4 §3.1.1.2).
    var minimumLength: Int
    /// Off in dev mode: test suites sign up with `password`.
    var refusesGuessable: Bool
    /// The enforced policy of the project. Its lengths replace `minimumLength`.
    var policy: Policy?

    struct Policy: Equatable, Sendable {
        var lengths: ClosedRange<Int>
        var demandsLowercase: Bool
        var demandsUppercase: Bool
        var demandsNumeric: Bool
        var demandsNonAlphanumeric: Bool
    }

    /// Checks a new password.
    /// - Parameters:
    ///   - names: forbidden texts: the account's e-mail address and its local part, the project.
    ///   - isCommon: whether a lower-case text is widely used.
    func check(
        _ password: Password, names: [String], isCommon: @escaping (String) -> Bool
    ) throws(ServiceError) {
        if let policy {
            try check(password, policy)
        } else if password.length < minimumLength {
            throw .weakPassword(.shorterThan(minimumLength))
        }
        guard refusesGuessable else { return }
        if GuessablePassword(names: names, isCommon: isCommon).matches(password.folded) {
            throw .weakPassword(.blocklisted)
        }
    }

    /// Whether a password that was set before the policy still meets it.
    func checkPolicy(_ password: Password) throws(ServiceError) {
        if let policy { try check(password, policy) }
    }

    private func check(_ password: Password, _ policy: Policy) throws(ServiceError) {
        var missing: [UnmetPasswordRequirement] = []
        if password.length < policy.lengths.lowerBound {
            missing.append(.atLeast(characters: policy.lengths.lowerBound))
        }
        if password.length > policy.lengths.upperBound {
            missing.append(.atMost(characters: policy.lengths.upperBound))
        }
        if policy.demandsLowercase, !password.contains(where: \.isLowercase) { missing.append(.lowercase) }
        if policy.demandsUppercase, !password.contains(where: \.isUppercase) { missing.append(.uppercase) }
        if policy.demandsNumeric, !password.contains(where: { $0.numericType == .decimal }) { missing.append(.numeric) }
        if policy.demandsNonAlphanumeric, !password.contains(where: { !$0.isAlphabetic && $0.numericType == nil }) {
            missing.append(.nonAlphanumeric)
        }
        guard missing.isEmpty else { throw .passwordPolicyViolated(missing) }
    }
}
