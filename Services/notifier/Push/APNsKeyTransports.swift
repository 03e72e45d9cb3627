import Contracts
import Crypto
import Synchronization
import Vocabulary

/// The transports of the keys of projects, each with its own provider token and connections: Apple refuses a token on a
/// connection that began with another key, and a new token soon after the previous one.
final class APNsKeyTransports: Sendable {
    /// A process keeps the tokens and connections of the keys that it used last.
    static let maximumKeys = 64

    private struct State {
        var entries: [APNsKeyID: (transport: APNsTransport, lastUse: UInt64)] = [:]
        var uses: UInt64 = 0
    }

    private let state = Mutex(State())
    private let makeTransport: @Sendable (APNsSigningKey, _ topic: String) -> APNsTransport

    /// - Parameter makeTransport: with connections of its own.
    init(_ makeTransport: @escaping @Sendable (APNsSigningKey, _ topic: String) -> APNsTransport) {
        self.makeTransport = makeTransport
    }

    /// - Throws: `CryptoError`.
    func transport(of stored: StoredAPNsKey) throws -> APNsTransport {
        try state.withLock { state in
            state.uses += 1
            let key = stored.key
            if let entry = state.entries[key.id] {
                state.entries[key.id] = (entry.transport, state.uses)
                return entry.transport
            }
            let transport = makeTransport(
                APNsSigningKey(
                    try PrivateKey(pkcs8DER: stored.privateKey.reveal()), keyID: key.keyID, teamID: key.teamID),
                key.bundleID)
            if state.entries.count >= Self.maximumKeys,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.entries[oldest.key] = nil
            }
            state.entries[key.id] = (transport, state.uses)
            return transport
        }
    }
}
