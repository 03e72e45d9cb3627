import Blocking
package import Contracts
package import Crypto
import DatabaseService
import JOSE
package import ServiceRuntime
import Synchronization
package import Vocabulary

/// The signing keys in the memory of this process: loaded from the store, and renewed on schedule.
package final class SigningKeyRing: Sendable {
    /// The keys of one purpose.
    private struct LoadedKeys: Sendable {
        var keys: [SigningKey] = []
        /// The exact first segment of a token → the key that it names.
        var verification: [String: PublicKey] = [:]
    }

    private let store: IdentityStore
    private let now: @Sendable () -> Moment
    private let log: Log?
    private let newPrivateKey: @Sendable () async throws -> PrivateKey
    private let rings = Mutex<[Identity.ListSigningKeys.Purpose: LoadedKeys]>([:])
    /// Digests of tokens whose signature was verified, because a client sends the same token for an hour. Cleared with
    /// every change of keys. The state of the account is never cached.
    private let verifiedTokens = Mutex<[[UInt8]: IDTokenClaims]>([:])
    private static let verifiedTokensLimit = 10_000
    /// The IDs of the stored keys. Anybody can present tokens that name an unknown key: one read at a time serves all.
    private let storedIDs: BatchedCalls<Void, [Identity.ListSigningKeys.Purpose: [SigningKeyID]]>

    /// Authenticates the tokens of sessions that may only enroll a second factor. It is never published.
    var enrollmentTokenKey: [UInt8] { store.enrollmentTokenKey }

    /// - Parameter newPrivateKey: makes a key that no other one equals.
    package init(
        store: IdentityStore, now: @escaping @Sendable () -> Moment, log: Log? = nil,
        newPrivateKey: @escaping @Sendable () async throws -> PrivateKey = SigningKeyRing.makePrivateKey
    ) {
        self.store = store
        self.now = now
        self.log = log
        self.newPrivateKey = newPrivateKey
        storedIDs = BatchedCalls { requests in
            let stored = try await store.signingKeyIDs()
            return requests.map { stored }
        }
    }

    /// Loads the keys of a purpose.
    package func load(_ purpose: Identity.ListSigningKeys.Purpose) async throws {
        cache(try await store.signingKeys(purpose), for: purpose)
    }

    /// Loads the changes of other processes. Cheap if there are none.
    package func refresh() async throws {
        let stored = try await storedIDs.reply(to: ())
        for purpose in Identity.ListSigningKeys.Purpose.allCases {
            let known = rings.withLock { $0[purpose]?.keys.map(\.id) ?? [] }
            if stored[purpose] ?? [] != known { try await load(purpose) }
        }
    }

    /// Loads the keys of a purpose, and creates one when the schedule requires it, which takes at least 0.1 s.
    /// - Parameter prepared: a key for this, which is being made already.
    /// - Returns: whether a key was created.
    package func rotateIfDue(
        _ purpose: Identity.ListSigningKeys.Purpose, traceID: String, prepared: Task<PrivateKey, any Error>? = nil
    ) async throws -> Bool {
        var keys = try await store.signingKeys(purpose)
        let due = SigningKeySchedule(purpose: purpose).dueActivation(keys.map(\.activatesAt), at: now().timestamp)
        reportDates(of: keys, isDue: due != nil)
        if let due {
            let privateKey = if let prepared { try await prepared.value } else { try await newPrivateKey() }
            let key = try Self.signingKey(privateKey, activatesAt: due)
            try await store.addSigningKey(
                key, for: purpose, at: now(),
                audit: AuditEntry(
                    at: now(), realm: Realm(project: ProjectID("")), action: .signingKeyCreated, actor: .system,
                    traceID: traceID))
            keys = try await store.signingKeys(purpose)
        }
        cache(keys, for: purpose)
        return due != nil
    }

    /// Logs keys whose dates do not match the present clock: the operator has to correct one of the clocks.
    private func reportDates(of keys: [SigningKey], isDue: Bool) {
        let now = now().timestamp
        guard let first = keys.first, let last = keys.last else { return }
        if first.activatesAt > now {
            log?.warn(
                .signingKeyUsedEarly,
                [
                    "key": .public(first.id.rawValue),
                    "earlyInSeconds": .public(first.activatesAt.seconds - now.seconds),
                    "cause": "the clock is behind, or was ahead when the key was made",
                ])
        }
        if isDue, SigningKeySchedule.isMisdated(last.activatesAt, at: now) {
            log?.warn(
                .signingKeyMisdated,
                [
                    "key": .public(last.id.rawValue), "aheadInSeconds": .public(last.activatesAt.seconds - now.seconds),
                    "effect": "another key is made now",
                ])
        }
    }

    private func cache(_ keys: [SigningKey], for purpose: Identity.ListSigningKeys.Purpose) {
        let published = SigningKeySchedule(purpose: purpose)
            .publishedIndices(keys.map(\.activatesAt), at: now().timestamp)
        let ring = LoadedKeys(
            keys: keys,
            verification: Dictionary(
                uniqueKeysWithValues: keys[published].map { key in
                    (JWT.header(algorithm: .rs256, keyID: key.id.rawValue), key.privateKey.publicKey)
                }))
        rings.withLock { $0[purpose] = ring }
        verifiedTokens.withLock { $0.removeAll() }
    }

    /// Whether a key of this purpose can sign now.
    func hasActive(_ purpose: Identity.ListSigningKeys.Purpose, at now: Timestamp) -> Bool {
        let activations = rings.withLock { $0[purpose]?.keys.map(\.activatesAt) ?? [] }
        return SigningKeySchedule(purpose: purpose).activeIndex(activations, at: now) != nil
    }

    /// The key that signs now.
    /// - Throws: `ServiceError.overloaded` while none has been loaded yet.
    func active(_ purpose: Identity.ListSigningKeys.Purpose, at now: Timestamp) throws(ServiceError) -> SigningKey {
        let keys = rings.withLock { $0[purpose]?.keys ?? [] }
        guard let index = SigningKeySchedule(purpose: purpose).activeIndex(keys.map(\.activatesAt), at: now) else {
            throw .overloaded
        }
        return keys[index]
    }

    /// The keys that clients may cache now.
    func published(_ purpose: Identity.ListSigningKeys.Purpose, at now: Timestamp) -> [Identity.PublishedKey] {
        let keys = rings.withLock { $0[purpose]?.keys ?? [] }
        let indices = SigningKeySchedule(purpose: purpose).publishedIndices(keys.map(\.activatesAt), at: now)
        return keys[indices].map(\.published)
    }

    /// The published key that a token's first segment names. For an unknown one the keys are loaded again: another process
    /// may have signed with a key that it made since, after a revocation.
    /// - Throws: errors of the database.
    func verificationKey(header: String, _ purpose: Identity.ListSigningKeys.Purpose) async throws -> PublicKey? {
        if let key = loadedKey(header, purpose) { return key }
        try await refresh()
        return loadedKey(header, purpose)
    }

    private func loadedKey(_ header: String, _ purpose: Identity.ListSigningKeys.Purpose) -> PublicKey? {
        rings.withLock { $0[purpose]?.verification[header] }
    }

    /// The claims of a token that was verified before.
    func verified(_ digest: [UInt8]) -> IDTokenClaims? {
        verifiedTokens.withLock { $0[digest] }
    }

    func cache(_ claims: IDTokenClaims, _ digest: [UInt8]) {
        verifiedTokens.withLock { tokens in
            if tokens.count >= Self.verifiedTokensLimit { tokens.removeAll(keepingCapacity: true) }
            tokens[digest] = claims
        }
    }

    private static let keyBits = 2048

    /// Takes at least 0.1 s, on a thread of its own: requests of the event loop do not wait for it.
    @Sendable package static func makePrivateKey() async throws -> PrivateKey {
        let pool = BlockingPool(label: "new-key", threads: 1, maximumWaiting: 0)
        defer { pool.shutDown() }
        return try await pool.run { try PrivateKey.generateRSA(bits: keyBits) }
    }

    func makeKey(activatesAt: Timestamp) async throws -> SigningKey {
        try Self.signingKey(await newPrivateKey(), activatesAt: activatesAt)
    }

    static func signingKey(_ privateKey: PrivateKey, activatesAt: Timestamp) throws -> SigningKey {
        guard let components = privateKey.publicKey.rsaComponents else { preconditionFailure("not an RSA key") }
        let id = SHA2.sha256(components.modulus).prefix(20).hexadecimal
        let year: Int64 = 365 * 24 * 60 * 60
        let certificate = try privateKey.selfSignedCertificate(
            commonName: "securetoken.system.gserviceaccount.com", notBefore: (activatesAt - 24 * 60 * 60).seconds,
            notAfter: (activatesAt + year).seconds)
        return SigningKey(
            published: .init(
                id: SigningKeyID(id), certificatePEM: certificate, modulus: Base64URL.encode(components.modulus),
                exponent: Base64URL.encode(components.exponent)),
            privateKey: privateKey, activatesAt: activatesAt)
    }
}
