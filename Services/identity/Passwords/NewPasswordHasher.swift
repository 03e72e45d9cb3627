import Contracts
import PasswordFilter
import Vocabulary

/// Checks a new password against the rules of the project, and hashes it.
struct NewPasswordHasher: IdentityComponent {
    let context: IdentityContext

    /// The record to store.
    /// - Parameters:
    ///   - email: a password that resembles the address is refused.
    ///   - deadline: after it nothing is hashed.
    /// - Throws: `passwordPolicyViolated`, `weakPassword`, `overloaded`.
    func record(
        of text: String, for email: EmailAddress?, _ project: Project, by deadline: Moment
    ) async throws -> String {
        guard let password = Password(text) else {
            throw ServiceError.passwordPolicyViolated([.atMost(characters: Password.maximumBytes)])
        }
        let names = [email?.rawValue, email.map { String($0.localPart) }, project.id.rawValue].compactMap { $0 }
        try project.configuration.passwordRules(isDev: isDev).check(
            password, names: names, isCommon: context.passwordFilter.contains)
        return try await hasher.record(of: password, by: deadline)
    }
}
