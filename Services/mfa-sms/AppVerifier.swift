import Bus
package import Contracts
import Crypto
package import SQL
package import Vocabulary

/// App verification before an SMS causes cost (REST 2.7, 2.15, 7.1).
///
/// **Pairs.** A push delivers a secret to the requesting device. The pair can be redeemed once within a minute
/// (security rule SM9), by the same application; a wrong secret also redeems it. Client libraries cache the pair and
/// send it again with their next request. They then receive `invalidAppCredential`, drop the pair, and repeat once with
/// a new one (REST 2.15). Single use therefore costs them one more request, and a stolen used pair is worthless.
///
/// **Tokens** of the hosted page, for clients without push notifications: valid once within five minutes, for one
/// application.
package struct AppVerifier: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        /// With the tables of `AppVerificationMigrations`.
        package var database: any SQLDatabase
        /// Signs challenges and hashes addresses in counts: the same in all processes of one database.
        package var digestKey: [UInt8]
        /// The configuration in effect for a realm.
        package var configuration: @Sendable (Realm, TraceContext) async throws -> ProjectConfiguration
        /// Passes a push to the notifier.
        package var push: @Sendable (Notifier.SendPush, TraceContext) async throws -> Void
        /// Called for the log with the cause of an error.
        package var report: @Sendable (any Error) -> Void
        package var settings: AppVerificationSettings
        package var isDev: Bool

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            database: any SQLDatabase, digestKey: [UInt8],
            configuration: @escaping @Sendable (Realm, TraceContext) async throws -> ProjectConfiguration,
            push: @escaping @Sendable (Notifier.SendPush, TraceContext) async throws -> Void,
            report: @escaping @Sendable (any Error) -> Void, settings: AppVerificationSettings, isDev: Bool
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.database = database
            self.digestKey = digestKey
            self.configuration = configuration
            self.push = push
            self.report = report
            self.settings = settings
            self.isDev = isDev
        }
    }

    /// The lifetime of a pair.
    static let pairLifetime = Duration.seconds(60)
    /// The lifetime of a token of the hosted page.
    static let tokenLifetime = Duration.seconds(5 * 60)
    /// How long an application waits for its push before it opens the page.
    static let pushTimeoutSeconds = 5
    /// Maximum pushes to one device per hour: a user requests few codes.
    static let pushesPerDevice = 20
    /// Distinguishes Latchkey's tokens from reCAPTCHA tokens.
    static let tokenPrefix = "lkc."

    private let dependencies: Dependencies
    private let recaptcha: RecaptchaVerifier?

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        recaptcha = dependencies.settings.recaptcha.map(RecaptchaVerifier.init)
    }

    // MARK: Verification

    /// Verifies and redeems the app credential of a request. In dev mode none is required, and a given one is ignored:
    /// test modes of client libraries send fabricated ones.
    /// - Throws: `SMSError`: those of `AppCredential.proof`, `invalidAppCredential`, `captchaCheckFailed`,
    ///   `appVerificationUnavailable`.
    package func verify(
        _ credential: MFASMS.AppCredential, in realm: Realm, _ configuration: ProjectConfiguration,
        _ client: ClientContext
    ) async throws {
        if dependencies.isDev { return }
        let now = dependencies.now()
        switch try credential.proof(demandedBy: configuration) {
        case .devicePair(let receipt, let secret, let bundleID):
            let isGood = try await dependencies.database.write { transaction in
                try transaction.redeemPair(
                    receipt: receipt, secret: secret, bundleID: bundleID, in: realm.project, at: now)
            }
            // The application may have been removed from the configuration since.
            guard isGood, let bundleID, configuration.registersIOSApp(bundleID, isDev: false) else {
                throw SMSError.invalidAppCredential
            }
        case .webToken(let token, let bundleID) where token.hasPrefix(Self.tokenPrefix):
            let isGood = try await dependencies.database.write { transaction in
                try transaction.redeemToken(token, bundleID: bundleID, in: realm.project, at: now)
            }
            guard isGood else { throw SMSError.captchaCheckFailed }
        case .webToken(let token, _), .enterpriseToken(let token):
            try await verifyRecaptcha(token, configuration, client)
        }
    }

    /// Verifies a token with reCAPTCHA. This includes Enterprise tokens, if the secret is the "legacy secret key" of
    /// their key. Otherwise only the Google Cloud API could verify them, which is not supported.
    private func verifyRecaptcha(
        _ token: String, _ configuration: ProjectConfiguration, _ client: ClientContext
    ) async throws {
        guard let recaptcha else { throw SMSError.captchaCheckFailed }
        do {
            try await recaptcha.judge(token, configuration, address: client.ipAddress)
        } catch let problem as RecaptchaVerifier.VerificationFailure {
            dependencies.report(problem)
            throw SMSError.appVerificationUnavailable
        }
    }

    // MARK: Devices

    /// Sends a secret to a device. The pair is stored before the push is sent, because the push may arrive at once.
    func startPushVerification(
        _ request: MFASMS.StartPushVerification, _ call: BusCall
    ) async throws -> MFASMS.StartPushVerification.Reply {
        let configuration = try await dependencies.configuration(Realm(project: request.project), call.trace)
        let device = try PushDevice(
            token: request.deviceToken?.reveal(), bundleID: request.bundleID, in: configuration,
            isDev: dependencies.isDev)
        let receipt = Base64URL.encode(dependencies.randomBytes(18))
        let secret = Base64URL.encode(dependencies.randomBytes(32))
        let now = dependencies.now()
        let deviceScope = digest("device", device.token, in: request.project)
        let network = network(of: request.client, in: request.project)
        let limit = dependencies.settings.checksPerAddress
        let refusal: SMSError? = try await dependencies.database.write { transaction in
            let pushes = try transaction.countAppVerification(deviceScope, in: request.project, at: now)
            let checks = try network.map { try transaction.countAppVerification($0, in: request.project, at: now) } ?? 0
            guard pushes <= Self.pushesPerDevice, checks <= limit ?? .max else {
                return .sendLimitExceeded(until: Self.windowStart(at: now) + Self.window)
            }
            try transaction.insertPair(
                receipt: receipt, secret: secret, of: device, deviceDigest: deviceScope, in: request.project,
                until: now + Self.pairLifetime)
            return nil
        }
        if let refusal { throw refusal }
        do {
            try await dependencies.push(
                Notifier.SendPush(
                    project: request.project, deviceToken: Secret(device.token), isSandbox: request.isSandbox,
                    bundleID: device.bundleID, receipt: receipt, secret: Secret(secret)), call.trace)
        } catch {
            // Clients then open the page. The stored pair expires unused.
            dependencies.report(error)
            throw SMSError.invalidAppCredential
        }
        return .init(receipt: receipt, timeoutSeconds: Self.pushTimeoutSeconds)
    }

    // MARK: Pages

    /// Writes nothing: a request for a challenge costs only a hash.
    func startWebChallenge(_ request: MFASMS.StartWebChallenge) async throws -> MFASMS.StartWebChallenge.Reply {
        let now = dependencies.now()
        var finished = 0
        if let network = network(of: request.client, in: request.project) {
            finished = try await dependencies.database.read { transaction in
                try transaction.appVerificationCount(network, in: request.project, at: now)
            }
        }
        let bits = ProofOfWorkChallenge.bits(
            base: dependencies.settings.challengeBits, afterFinishing: finished)
        let challenge = ProofOfWorkChallenge(
            bits: bits, for: request.project, at: now, key: dependencies.digestKey, random: dependencies.randomBytes)
        return .init(challenge: Secret(challenge.text), difficultyBits: bits)
    }

    func finishWebChallenge(
        _ request: MFASMS.FinishWebChallenge, _ call: BusCall
    ) async throws -> MFASMS.FinishWebChallenge.Reply {
        let configuration = try await dependencies.configuration(Realm(project: request.project), call.trace)
        if let bundleID = request.bundleID {
            guard configuration.registersIOSApp(bundleID, isDev: dependencies.isDev) else {
                throw SMSError.appNotVerified
            }
        }
        let now = dependencies.now()
        var challenge: ProofOfWorkChallenge?
        if let token = request.recaptchaToken?.reveal() {
            try await verifyRecaptcha(token, configuration, request.client)
        } else if recaptcha != nil {
            // With reCAPTCHA keys configured, proof of work alone is not accepted.
            throw SMSError.captchaCheckFailed
        } else {
            challenge = try solvedChallenge(request, at: now)
        }
        return try await issueToken(request, for: challenge, at: now)
    }

    private func solvedChallenge(
        _ request: MFASMS.FinishWebChallenge, at now: Moment
    ) throws(SMSError) -> ProofOfWorkChallenge {
        guard let text = request.challenge?.reveal(), let answer = request.answer,
            let challenge = ProofOfWorkChallenge(text, for: request.project, key: dependencies.digestKey),
            !challenge.isExpired(at: now), challenge.isSolved(by: answer)
        else { throw .captchaCheckFailed }
        return challenge
    }

    /// - Parameter challenge: the solved challenge; nil for a reCAPTCHA token, which reCAPTCHA accepts only once.
    private func issueToken(
        _ request: MFASMS.FinishWebChallenge, for challenge: ProofOfWorkChallenge?, at now: Moment
    ) async throws -> MFASMS.FinishWebChallenge.Reply {
        let token = Self.tokenPrefix + Base64URL.encode(dependencies.randomBytes(32))
        let network = network(of: request.client, in: request.project)
        let settings = dependencies.settings
        let refusal: SMSError? = try await dependencies.database.write { transaction in
            if let challenge {
                guard try transaction.insertSolvedChallenge(challenge, in: request.project) else {
                    return .captchaCheckFailed
                }
            }
            if let network {
                let count = try transaction.countAppVerification(network, in: request.project, at: now)
                guard count <= settings.checksPerAddress ?? .max else {
                    return .sendLimitExceeded(until: Self.windowStart(at: now) + Self.window)
                }
                // Rejects challenges stored from before the difficulty grew. One bit of difference is allowed for
                // concurrent visitors.
                let wanted = ProofOfWorkChallenge.bits(
                    base: settings.challengeBits, afterFinishing: count.subtractingSaturated(1))
                if let challenge, challenge.bits.addingSaturated(1) < wanted { return .captchaCheckFailed }
            }
            try transaction.insertToken(
                token, bundleID: request.bundleID, in: request.project, until: now + Self.tokenLifetime)
            return nil
        }
        if let refusal { throw refusal }
        return .init(token: Secret(token))
    }

    // MARK: Maintenance

    /// Deletes expired rows, one batch at a time.
    /// - Returns: whether more expired rows remain.
    package func sweep(at now: Moment, batch: Int = 500) async throws -> Bool {
        try await dependencies.database.write { try $0.sweepAppVerification(at: now, batch: batch) }
    }

    // MARK: Counts

    static let window = Duration.seconds(3600)

    static func windowStart(at now: Moment) -> Moment {
        now.windowStart(of: window)
    }

    /// Nil if nothing is counted: the address is unknown, or there is no limit.
    private func network(of client: ClientContext, in project: ProjectID) -> [UInt8]? {
        guard dependencies.settings.checksPerAddress != nil else { return nil }
        return client.ipAddress.map { digest("network", AppCheckNetwork($0).text, in: project) }
    }

    private func digest(_ kind: String, _ text: String, in project: ProjectID) -> [UInt8] {
        HMAC.sha256(
            key: dependencies.digestKey, message: Array("app check \(kind)\0\(project.rawValue)\0\(text)".utf8))
    }
}
