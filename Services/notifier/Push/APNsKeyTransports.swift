import Contracts
import Crypto
import Synchronization
import Vocabulary

/// The transports of the keys of projects, each with its own provider token and connections: Apple refuses a token on a
/// connection that began with another key, and a new token soon after the previous one.
final class APNsKeyTransports: Sendable {
    /// A process keeps the tokens and connections of this many keys.
    static let maximumKeys = 64

    private struct State {
        var entries: [APNsKeyID: (transport: APNsTransport, project: ProjectID, lastUse: UInt64)] = [:]
        var uses: UInt64 = 0

        /// The key that was not used for the longest time, of the project with the most keys: a project that uses many
        /// takes no token from another one, which Apple would refuse a new one soon after the last.
        var oldest: APNsKeyID? {
            let counts = Dictionary(grouping: entries.values, by: \.project).mapValues(\.count)
            let most = counts.values.max()
            return entries.filter { counts[$0.value.project] == most }.min { $0.value.lastUse < $1.value.lastUse }?.key
        }
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
                state.entries[key.id] = (entry.transport, key.project, state.uses)
                return entry.transport
            }
            let transport = makeTransport(
                APNsSigningKey(
                    try PrivateKey(pkcs8DER: stored.privateKey.reveal()), keyID: key.keyID, teamID: key.teamID),
                key.bundleID)
            if state.entries.count >= Self.maximumKeys, let oldest = state.oldest { state.entries[oldest] = nil }
            state.entries[key.id] = (transport, key.project, state.uses)
            return transport
        }
    }
}
