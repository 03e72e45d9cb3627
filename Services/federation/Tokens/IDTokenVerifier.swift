import Contracts
import JOSE
import Vocabulary

/// Verifies ID tokens with the cached keys of their providers.
struct IDTokenVerifier: Sendable {
    let keySets: RemoteDocumentCache<JWKSet>
    let now: @Sendable () -> Moment

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
        let url = rules.source.keySetURL
        let cached = try await keySets.document(at: url)
        do {
            return try rules.verify(token, with: cached.document, at: now().timestamp)
        } catch JWTError.unknownKey {
            guard let newer = await keySets.newerDocument(at: url, than: cached) else {
                throw IDTokenError.invalid(.unknownKey)
            }
            do {
                return try rules.verify(token, with: newer.document, at: now().timestamp)
            } catch JWTError.unknownKey {
                throw IDTokenError.invalid(.unknownKey)
            }
        }
    }
}
