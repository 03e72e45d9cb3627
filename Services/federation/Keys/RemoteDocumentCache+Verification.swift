import JOSE

extension RemoteDocumentCache<JWKSet> {
    /// Verifies a token with the keys at a URL, and once more with newer ones when they do not have its key.
    /// - Parameter verify: throws `JWTError.unknownKey` when the keys may be outdated.
    /// - Throws: what `verify` throws, `providerUnavailable` without keys.
    nonisolated func verify<Verified>(
        withKeysAt url: String, _ verify: (JWKSet) throws -> Verified
    ) async throws -> Verified {
        let cached = try await document(at: url)
        do {
            return try verify(cached.document)
        } catch JWTError.unknownKey {
            guard let newer = await newerDocument(at: url, than: cached) else { throw JWTError.unknownKey }
            return try verify(newer.document)
        }
    }
}
