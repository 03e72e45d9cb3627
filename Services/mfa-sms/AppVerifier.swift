import Bus
package import Contracts
import Crypto
package import SQL
package import Vocabulary

/// The proof that a genuine application asks, before a message costs anything (REST 2.7, 2.15, 7.1).
///
/// **Pairs.** A push brings a secret to the device that asked. The pair is good for one presentation within a minute
/// (security rule SM9), by the same application, and a wrong secret uses it up too. Client libraries keep the pair
/// and present it again with their next message; they then hear `invalidAppCredential`, drop it, and repeat once with a
/// new one (REST 2.15). So a pair that is used once costs them one more request, and who has stolen it nothing.
///
/// **Tokens** of our page, for clients without pushes: good once within five minutes, for one application.
package struct AppVerifier: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        /// With the tables of `AppVerificationMigrations`.
        package var database: any SQLDatabase
        /// Signs challenges and hides addresses in counts: the same in all processes on one database.
        package var digestKey: [UInt8]
        /// What holds in a realm.
        package var configuration: @Sendable (Realm, TraceContext) async throws -> ProjectConfiguration
        /// Hands a push to the notifier.
        package var push: @Sendable (Notifier.SendPush, TraceContext) async throws -> Void
        /// Called with what went wrong behind a refusal: for the log.
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

    /// How long a pair is good for.
    static let pairLifetime = Duration.seconds(60)
    /// How long a token of our page is good for.
    static let tokenLifetime = Duration.seconds(5 * 60)
    /// How long an application waits for its push before it opens the page.
    static let pushTimeoutSeconds = 5
    /// Pushes to one device in an hour: a person asks for few codes.
    static let pushesPerDevice = 20
    /// Tells our tokens from those of others.
    static let tokenPrefix = "lkc."

    private let dependencies: Dependencies
    private let recaptcha: RecaptchaVerifier?

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        recaptcha = dependencies.settings.recaptcha.map(RecaptchaVerifier.init)
    }

    // MARK: Demanding

    /// Judges the proof that comes with a request for a message, and uses it up. In dev mode none is asked for, and
    /// what is given is not looked at: test modes of client libraries send made-up ones.
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
            // An application may have been taken off the list since.
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

    /// Asks reCAPTCHA. A token of Enterprise is judged there too, if the secret is the "legacy secret key" of its key;
    /// otherwise only Google Cloud could, and nobody asks it.
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

    /// Sends a secret to a device. The pair is stored before the push leaves: it may arrive at once.
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
            // Clients open the page then. What was stored ends unused.
            dependencies.report(error)
            throw SMSError.invalidAppCredential
        }
        return .init(receipt: receipt, timeoutSeconds: Self.pushTimeoutSeconds)
    }

    // MARK: Pages

    /// Writes nothing: who only asks for challenges costs us nothing but a hash.
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
            // Who has set keys wants more than work.
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

    /// - Parameter challenge: what was solved; nil for a token that was judged elsewhere, where it is good once.
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
                // A stock of challenges from before the work grew. One bit is forgiven: people come at the same time.
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

    // MARK: Upkeep

    /// Removes what is past its time, a batch at a time.
    /// - Returns: whether more is waiting.
    package func sweep(at now: Moment, batch: Int = 500) async throws -> Bool {
        try await dependencies.database.write { try $0.sweepAppVerification(at: now, batch: batch) }
    }

    // MARK: Counting

    static let window = Duration.seconds(3600)

    static func windowStart(at now: Moment) -> Moment {
        now.windowStart(of: window)
    }

    /// Nil where nothing is counted: the address is not known, or there is no limit.
    private func network(of client: ClientContext, in project: ProjectID) -> [UInt8]? {
        guard dependencies.settings.checksPerAddress != nil else { return nil }
        return client.ipAddress.map { digest("network", AppCheckNetwork($0).text, in: project) }
    }

    private func digest(_ kind: String, _ text: String, in project: ProjectID) -> [UInt8] {
        HMAC.sha256(
            key: dependencies.digestKey, message: Array("app check \(kind)\0\(project.rawValue)\0\(text)".utf8))
    }
}
