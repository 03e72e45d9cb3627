import Contracts
import Crypto
import SQL
import Vocabulary

/// Networks from which an account has signed in: known clients without a device token (security rule RL3).
enum KnownNetwork {
    /// Networks of one account; the least recently used one is removed.
    static let maximumPerAccount = 16
    /// Time without a sign-in from the network.
    static let lifetime = Duration.seconds(90 * 24 * 60 * 60)
    /// How old the time of the last sign-in may get before it is updated.
    static let precision = Duration.seconds(24 * 60 * 60)
}

/// The kind of client that makes an attempt, and its budget.
struct AttemptOrigin: Hashable, Sendable {
    var client: AttemptClient
    /// The digest for counting this client's attempts at this address; nil for an unknown client.
    var ownDigest: [UInt8]?

    static let unknown = AttemptOrigin(client: .unknown, ownDigest: nil)
}

extension IdentityStore {
    /// What an attempt at the password of an address depends on besides the account: the kind of the client, and the time
    /// of the slowest imported hash of the realm in milliseconds. Costs the same with and without an account.
    func conditions(
        of client: ClientContext, trying email: EmailAddress, in realm: Realm, at now: Moment
    ) async throws -> (origin: AttemptOrigin, slowestOldHash: Int64?) {
        try await read { [self] transaction in
            (
                try origin(of: client, trying: email, in: realm, at: now, transaction),
                try transaction.slowestOldHash(in: realm)
            )
        }
    }

    func origin(
        of client: ClientContext, trying email: EmailAddress, in realm: Realm, at now: Moment,
        _ transaction: borrowing SQLTransaction
    ) throws -> AttemptOrigin {
        let id = try transaction.account(email: email, in: realm)?.account.id ?? AccountID("")
        let devices = (client.deviceTokens ?? []).prefix(8).compactMap { token in
            DeviceToken(token.reveal(), of: id, in: realm, at: now.timestamp, key: deviceKey)?.device
        }
        if let device = devices.first {
            return .init(client: .device, ownDigest: digest(Array("device/".utf8) + device))
        }
        guard let network = client.ipAddress.flatMap(ClientNetwork.init) else { return .unknown }
        let key: SQLRecord<KnownNetworkTable> = SQLRecord(realm) + [.networkDigest: digest(of: network)]
        let oldest = now - KnownNetwork.lifetime
        // Both are queried in any case, so that the time does not depend on the result of the first.
        let hasUsers = try !transaction.rows(KnownNetworkTable.ofAnyAccount, key, oldest).isEmpty
        let isOwn = try !transaction.rows(KnownNetworkTable.ofAccount, key + [.accountID: id], oldest).isEmpty
        guard hasUsers else { return .unknown }
        return .init(
            client: .network(isKnown: isOwn),
            ownDigest: digest(Array("network/\(network.bytes.count)/".utf8) + network.bytes + email.folded.utf8))
    }

    /// Records that an account has signed in from a network.
    func recordNetwork(_ network: ClientNetwork, of id: AccountID, in realm: Realm, at now: Moment) async throws {
        let account = SQLRecord<KnownNetworkTable>(id, in: realm)
        let key = account + [.networkDigest: digest(of: network)]
        let lastSeenAt: Moment? = try await read { try $0.firstRow(KnownNetworkTable.lastSeen, key)?.get(.lastSeenAt) }
        if let lastSeenAt, lastSeenAt + KnownNetwork.precision > now { return }
        try await write { transaction in
            try transaction.execute(KnownNetworkTable.replacement, key + [.lastSeenAt: now])
            try transaction.execute(KnownNetworkTable.trimming, account, KnownNetwork.maximumPerAccount)
        }
    }

    /// A keyed hash: a copy of the database does not reveal the network.
    func digest(of network: ClientNetwork) -> [UInt8] {
        digest(Array("network/".utf8) + network.bytes)
    }

    /// A token for the holder of a session of `account`; nil when the account has no password.
    func deviceToken(for account: Account, refreshToken: String, at now: Moment) -> DeviceToken? {
        guard account.email != nil, let session = RefreshToken(refreshToken)?.sessionID else { return nil }
        return DeviceToken(of: account.id, in: account.realm, session: session, at: now.timestamp, key: deviceKey)
    }
}
