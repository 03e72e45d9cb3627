import Contracts
import Vocabulary

/// Why a password is too weak to be set, apart from the project's own policy.
enum WeakPassword: Equatable, Sendable {
    case shorterThan(Int)
    /// See `GuessablePassword`.
    case blocklisted
}

/// One demand of a project's password policy that a password does not meet.
enum UnmetPasswordRequirement: Equatable, Sendable {
    case atLeast(Int)
    case atMost(Int)
    case lowercase, uppercase, numeric, nonAlphanumeric
}

/// What may become a password (security rules, section 1). No rule of composition unless the project sets one.
struct PasswordRules: Equatable, Sendable {
    /// In code points: 6 in dev mode, which is what client libraries expect; 8 where a second factor is mandatory; 15
    /// where the password stands alone (NIST SP 800-63B-4 §3.1.1.2).
    var minimumLength: Int
    /// Off in dev mode: test suites sign up with `password`.
    var refusesGuessable: Bool
    /// The project's policy, when it is enforced. Its lengths replace `minimumLength`.
    var policy: Policy?

    struct Policy: Equatable, Sendable {
        var lengths: ClosedRange<Int>
        var demandsLowercase: Bool
        var demandsUppercase: Bool
        var demandsNumeric: Bool
        var demandsNonAlphanumeric: Bool
    }

    /// Checks a password that is about to be set.
    /// - Parameters:
    ///   - names: what the password must not be: the account's e-mail address and its local part, the project.
    ///   - isCommon: whether a text in lower case is widely used.
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
        if password.length < policy.lengths.lowerBound { missing.append(.atLeast(policy.lengths.lowerBound)) }
        if password.length > policy.lengths.upperBound { missing.append(.atMost(policy.lengths.upperBound)) }
        if policy.demandsLowercase, !password.contains(where: \.isLowercase) { missing.append(.lowercase) }
        if policy.demandsUppercase, !password.contains(where: \.isUppercase) { missing.append(.uppercase) }
        if policy.demandsNumeric, !password.contains(where: { $0.numericType == .decimal }) { missing.append(.numeric) }
        if policy.demandsNonAlphanumeric, !password.contains(where: { !$0.isAlphabetic && $0.numericType == nil }) {
            missing.append(.nonAlphanumeric)
        }
        guard missing.isEmpty else { throw .passwordPolicyViolated(missing) }
    }
}
