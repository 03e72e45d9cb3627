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
    /// Classifies a client that attempts the password of an address. Costs the same with and without an account.
    func origin(
        of client: ClientContext, trying email: EmailAddress, in realm: Realm, at now: Moment
    ) async throws -> AttemptOrigin {
        let network = client.ipAddress.flatMap(ClientNetwork.init)
        return try await read { [self] transaction in
            let id = try transaction.account(email: email, in: realm)?.account.id ?? AccountID("")
            let devices = (client.deviceTokens ?? []).prefix(8).compactMap { token in
                DeviceToken(token.reveal(), of: id, in: realm, at: now.timestamp, key: deviceKey)?.device
            }
            if let device = devices.first {
                return .init(client: .device, ownDigest: digest(Array("device/".utf8) + device))
            }
            guard let network else { return .unknown }
            let key: [SQLValue] = [
                .text(realm.project.rawValue), .text(realm.tenantColumn), .blob(digest(of: network)),
            ]
            let oldest = SQLValue.integer((now + (.zero - KnownNetwork.lifetime)).milliseconds)
            let hasUsers = try transaction.rows(
                """
                SELECT account_id FROM known_networks
                WHERE project = $1 AND tenant = $2 AND network_digest = $3 AND last_seen_at > $4 LIMIT 1
                """, parameters: key + [oldest])
            let own = try transaction.rows(
                """
                SELECT account_id FROM known_networks
                WHERE project = $1 AND tenant = $2 AND network_digest = $3 AND last_seen_at > $4 AND account_id = $5
                """, parameters: key + [oldest, .text(id.rawValue)])
            guard !hasUsers.isEmpty else { return .unknown }
            return .init(
                client: .network(isKnown: !own.isEmpty),
                ownDigest: digest(Array("network/\(network.bytes.count)/".utf8) + network.bytes + email.folded.utf8))
        }
    }

    /// Records that an account has signed in from a network.
    func remember(_ network: ClientNetwork, of id: AccountID, in realm: Realm, at now: Moment) async throws {
        let account: [SQLValue] = [
            .text(realm.project.rawValue), .text(realm.tenantColumn), .text(id.rawValue),
        ]
        let networkDigest = SQLValue.blob(digest(of: network))
        let isRecent = try await read { transaction in
            let row = try transaction.rows(
                """
                SELECT last_seen_at FROM known_networks
                WHERE project = $1 AND tenant = $2 AND account_id = $3 AND network_digest = $4
                """, parameters: account + [networkDigest]
            ).first
            return try row.map { Moment(milliseconds: try $0.get("last_seen_at")) + KnownNetwork.precision > now }
                ?? false
        }
        if isRecent { return }
        try await write { transaction in
            // The account may be gone by now.
            try transaction.execute(
                """
                INSERT INTO known_networks (project, tenant, account_id, network_digest, last_seen_at)
                SELECT project, tenant, account_id, $4, $5 FROM accounts
                WHERE project = $1 AND tenant = $2 AND account_id = $3
                ON CONFLICT (project, tenant, account_id, network_digest) DO UPDATE SET
                    last_seen_at = excluded.last_seen_at
                """, parameters: account + [networkDigest, .integer(now.milliseconds)])
            try transaction.execute(
                """
                DELETE FROM known_networks
                WHERE project = $1 AND tenant = $2 AND account_id = $3 AND network_digest NOT IN (
                    SELECT network_digest FROM known_networks
                    WHERE project = $1 AND tenant = $2 AND account_id = $3
                    ORDER BY last_seen_at DESC, network_digest LIMIT $4)
                """, parameters: account + [.integer(Int64(KnownNetwork.maximumPerAccount))])
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
