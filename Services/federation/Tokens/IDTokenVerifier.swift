import Contracts
import JOSE
import Vocabulary

/// Verifies ID tokens with the cached keys of their providers.
struct IDTokenVerifier: FederationComponent {
    let context: FederationContext

    /// - Throws: the `ServiceError` of an `IDTokenError`, `providerUnavailable` without keys.
    func verify(_ token: String, _ rules: IDTokenRules) async throws -> VerifiedIDToken {
        do {
            return try await verifyWithKeys(token, rules)
        } catch let error as IDTokenError {
            throw error.serviceError
        }
    }

    private func verifyWithKeys(_ token: String, _ rules: IDTokenRules) async throws -> VerifiedIDToken {
        // A malformed token causes no request to the provider.
        do throws(JWTError) {
            _ = try UnverifiedJWT(token)
        } catch {
            throw IDTokenError.invalid(error)
        }
        do {
            return try await keySets.verify(withKeysAt: rules.source.keySetURL) { keys in
                try rules.verify(token, with: keys, at: now().timestamp)
            }
        } catch JWTError.unknownKey {
            throw IDTokenError.invalid(.unknownKey)
        }
    }
}
