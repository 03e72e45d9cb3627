import Contracts
import Crypto
import SQL
import Vocabulary

/// Networks from which an account has signed in, and devices with which: known clients without a device token (security
/// rule RL3).
enum KnownClient {
    /// Networks and devices of one account; the least recently used one is removed.
    static let maximumPerAccount = 32
    /// Time without a sign-in from the network, or with the device.
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
        if let device = device(of: client, of: id, in: realm, at: now) {
            return .init(client: .device, ownDigest: digest(Array("device/".utf8) + device))
        }
        guard let network = client.ipAddress.flatMap(ClientNetwork.init) else { return .unknown }
        let key: SQLRecord<KnownClientTable> = SQLRecord(realm) + [.clientDigest: digest(of: network)]
        let oldest = now - KnownClient.lifetime
        // Both are queried in any case, so that the time does not depend on the result of the first.
        let hasUsers = try !transaction.rows(KnownClientTable.ofAnyAccount, key, oldest).isEmpty
        let isOwn = try !transaction.rows(KnownClientTable.ofAccount, key + [.accountID: id], oldest).isEmpty
        guard hasUsers else { return .unknown }
        return .init(
            client: .network(isKnown: isOwn),
            ownDigest: digest(Array("network/\(network.bytes.count)/".utf8) + network.bytes + email.folded.utf8))
    }

    /// Records that an account has signed in from the network of a client, and with its device.
    func record(_ client: ClientContext, of id: AccountID, in realm: Realm, at now: Moment) async throws {
        let digests = digests(of: client)
        let known: [Moment?] = try await read { transaction in
            try digests.map { digest in
                try transaction.firstRow(
                    KnownClientTable.lastSeen, SQLRecord(id, in: realm) + [.clientDigest: digest])?.get(.lastSeenAt)
            }
        }
        let isRecent = known.allSatisfy { lastSeenAt in
            lastSeenAt.map { $0 + KnownClient.precision > now } ?? false
        }
        if isRecent { return }
        try await write { [self] transaction in try record(digests, of: id, in: realm, at: now, transaction) }
    }

    /// Whether an account has not signed in from the network of a client, nor with its device. If so, both are known from
    /// now on.
    func recordIfNew(
        _ client: ClientContext, of id: AccountID, in realm: Realm, at now: Moment,
        _ transaction: borrowing SQLTransaction
    ) throws -> Bool {
        guard client.ipAddress.flatMap(ClientNetwork.init) != nil,
            device(of: client, of: id, in: realm, at: now) == nil
        else { return false }
        let digests = digests(of: client)
        for digest in digests {
            let key = SQLRecord<KnownClientTable>(id, in: realm) + [.clientDigest: digest]
            guard try transaction.rows(KnownClientTable.ofAccount, key, now - KnownClient.lifetime).isEmpty else {
                return false
            }
        }
        try record(digests, of: id, in: realm, at: now, transaction)
        return true
    }

    private func record(
        _ digests: [[UInt8]], of id: AccountID, in realm: Realm, at now: Moment,
        _ transaction: borrowing SQLTransaction
    ) throws {
        let account = SQLRecord<KnownClientTable>(id, in: realm)
        for digest in digests {
            try transaction.execute(
                KnownClientTable.replacement, account + [.clientDigest: digest, .lastSeenAt: now])
        }
        try transaction.execute(KnownClientTable.trimming, account, KnownClient.maximumPerAccount)
    }

    /// The device of a token that the client presents for an account.
    private func device(
        of client: ClientContext, of id: AccountID, in realm: Realm, at now: Moment
    ) -> [UInt8]? {
        (client.deviceTokens ?? []).prefix(8).compactMap { token in
            DeviceToken(token.reveal(), of: id, in: realm, at: now.timestamp, key: deviceKey)?.device
        }.first
    }

    /// The network of a client, and its device by its whole user agent.
    func digests(of client: ClientContext) -> [[UInt8]] {
        [
            client.ipAddress.flatMap(ClientNetwork.init).map { digest(of: $0) },
            client.userAgent.nilIfEmpty.map { digest(Array("user agent/\($0)".utf8)) },
        ].compactMap { $0 }
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
