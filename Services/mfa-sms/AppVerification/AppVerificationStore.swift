import Contracts
import Crypto
import SQL
import Vocabulary

/// The credentials and counts of app verification. One method is one transaction.
package struct AppVerificationStore: Sendable {
    let database: any SQLDatabase
    /// Authenticates challenges, and hides devices and addresses in counts. All processes on one database have the
    /// same.
    let digestKey: [UInt8]

    /// Counts a push to a device, and stores the pair that it carries.
    /// - Parameters:
    ///   - network: the client network; nil when it is not counted.
    ///   - maximumChecks: for the network; nil for no limit.
    /// - Returns: why no push may be sent.
    func insert(
        _ pair: DevicePair, from network: CountedNetwork?, maximumChecks: Int?, in project: ProjectID, at now: Moment
    ) async throws -> ServiceError? {
        try await database.write { transaction in
            let pushes = try transaction.countAppVerification(pair.deviceDigest, in: project, at: now)
            let checks = try network.map { try transaction.countAppVerification($0, in: project, at: now) }
            guard pushes <= AppVerifier.pushesPerDevice, checks?.isWithin(maximumChecks) ?? true else {
                return Self.limitExceeded(at: now)
            }
            try transaction.execute(
                DevicePairTable.insertion,
                [
                    .receiptHash: Self.hash(pair.receipt), .project: project, .tenant: "",
                    .bundleID: pair.device.bundleID, .deviceDigest: pair.deviceDigest,
                    .secretHash: Self.hash(pair.secret), .expiresAt: now + AppVerifier.pairLifetime,
                ])
            return nil
        }
    }

    private static func limitExceeded(at now: Moment) -> ServiceError {
        .limited(by: .appVerificationsPerNetwork, until: AppVerifier.windowStart(at: now) + AppVerifier.window)
    }

    /// Redeems a pair. A wrong secret redeems it too: a client may guess once.
    func redeemPair(
        receipt: String, secret: String, bundleID: String?, in project: ProjectID, at now: Moment
    ) async throws -> Bool {
        try await database.write { transaction in
            guard
                let row = try transaction.firstRow(
                    DevicePairTable.redemption, [.receiptHash: Self.hash(receipt), .project: project])
            else { return false }
            let registered: String = try row.get(.bundleID)
            let expiresAt: Moment = try row.get(.expiresAt)
            let isRight = constantTimeEquals(try row.get(.secretHash), Self.hash(secret))
            return isRight && registered == bundleID
                && expiresAt.endsWindow(ofAtMost: AppVerifier.pairLifetime, at: now)
        }
    }

    /// Redeems a token.
    func redeemToken(_ token: String, bundleID: String?, in project: ProjectID, at now: Moment) async throws -> Bool {
        try await database.write { transaction in
            guard
                let row = try transaction.firstRow(
                    WebTokenTable.redemption, [.tokenHash: Self.hash(token), .project: project])
            else { return false }
            let bound: String? = try row.getIfPresent(.bundleID)
            let expiresAt: Moment = try row.get(.expiresAt)
            return (bound == nil || bound == bundleID)
                && expiresAt.endsWindow(ofAtMost: AppVerifier.tokenLifetime, at: now)
        }
    }

    /// The number of challenges that a network finished in this hour.
    func count(_ network: [UInt8], in project: ProjectID, at now: Moment) async throws -> Int {
        try await database.read { transaction in
            try transaction.firstRow(
                AppVerificationCountTable.byKey,
                [
                    .project: project, .tenant: "", .scopeDigest: network,
                    .windowStart: AppVerifier.windowStart(at: now),
                ])?
                .get(.count) ?? 0
        }
    }

    /// Counts a finished challenge, and stores the token for it.
    /// - Parameters:
    ///   - challenge: the solved one; nil for a challenge of reCAPTCHA, which is valid once there.
    ///   - network: as in `insert`.
    /// - Returns: why there is no token.
    func insertToken(
        _ token: String, bundleID: String?, for challenge: ProofOfWorkChallenge?, from network: CountedNetwork?,
        _ settings: AppVerificationSettings, in project: ProjectID, at now: Moment
    ) async throws -> ServiceError? {
        try await database.write { transaction in
            if let challenge {
                try transaction.execute(
                    SolvedChallengeTable.insertion,
                    [
                        .challengeHash: Self.hash(challenge.text), .project: project, .tenant: "",
                        .expiresAt: Moment(challenge.expiresAt) + .milliseconds(999),
                    ])
                // It was solved before.
                guard transaction.changes == 1 else { return ServiceError(.captchaCheckFailed) }
            }
            if let network {
                let checks = try transaction.countAppVerification(network, in: project, at: now)
                guard checks.isWithin(settings.checksPerAddress) else { return Self.limitExceeded(at: now) }
                // The challenge was issued before the difficulty rose. One bit less is accepted, because clients of one
                // network may finish at the same time.
                let wanted = ProofOfWorkChallenge.bits(
                    base: settings.challengeBits, afterFinishing: checks.ofNetwork.subtractingSaturated(1))
                if let challenge, challenge.bits.addingSaturated(1) < wanted {
                    return ServiceError(.captchaCheckFailed)
                }
            }
            try transaction.execute(
                WebTokenTable.insertion,
                [
                    .tokenHash: Self.hash(token), .project: project, .tenant: "", .bundleID: bundleID,
                    .expiresAt: now + AppVerifier.tokenLifetime,
                ])
            return nil
        }
    }

    private static func hash(_ text: String) -> [UInt8] { SHA2.sha256(Array(text.utf8)) }
}

/// What a push brings to a device.
struct DevicePair: Sendable {
    var receipt: String
    var secret: String
    var device: PushDevice
    var deviceDigest: [UInt8]
}

/// A client network as it is counted (security rule RL1).
struct CountedNetwork: Sendable {
    var digest: [UInt8]
    /// The digest of the /48 around an IPv6 network; nil for others.
    var siteDigest: [UInt8]?
}

/// The app verifications of a client network in this hour.
private struct NetworkChecks {
    var ofNetwork: Int
    var ofSite: Int

    /// - Parameter limit: for a network; nil for no limit.
    func isWithin(_ limit: Int?) -> Bool {
        guard let limit else { return true }
        return ofNetwork <= limit && ofSite <= limit.multipliedSaturated(by: ClientNetwork.siteFactor)
    }
}

extension SQLTransaction {
    fileprivate func countAppVerification(
        _ network: CountedNetwork, in project: ProjectID, at now: Moment
    ) throws -> NetworkChecks {
        NetworkChecks(
            ofNetwork: try countAppVerification(network.digest, in: project, at: now),
            ofSite: try network.siteDigest.map { try countAppVerification($0, in: project, at: now) } ?? 0)
    }

    /// Counts one more of this hour.
    /// - Returns: the count, this one included.
    fileprivate func countAppVerification(_ scope: [UInt8], in project: ProjectID, at now: Moment) throws -> Int {
        try firstRow(
            AppVerificationCountTable.increment,
            [
                .project: project, .tenant: "", .scopeDigest: scope, .windowStart: AppVerifier.windowStart(at: now),
                .count: 1,
            ])?
            .get(.count) ?? 0
    }
}
