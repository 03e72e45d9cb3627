import Bus
package import Contracts
import Crypto
package import Vocabulary

/// Verifies the requesting app before an SMS is sent (REST 2.7, 2.15, 7.1).
///
/// **Pairs.** A push brings a secret to the requesting device. The pair is valid for one presentation within a minute
/// (security rule SM9), by the same app. A wrong secret redeems it too. Client libraries present the pair again with
/// their next message, receive `invalidAppCredential`, and repeat once with a new one (REST 2.15). A stolen pair is
/// therefore worthless.
///
/// **Tokens** of the challenge page, for clients without pushes: valid once within five minutes, for one app.
package struct AppVerifier: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: AppVerificationStore
        /// The configuration of a realm.
        package var configuration: @Sendable (Realm, TraceContext) async throws -> ProjectConfiguration
        /// Sends a push to the notifier.
        package var push: @Sendable (Notifier.SendPush, TraceContext) async throws -> Void
        /// Receives the failure behind a refusal, for the log.
        package var report: @Sendable (any Error) -> Void
        package var settings: AppVerificationSettings
        package var isDev: Bool
    }

    /// How long a pair is valid.
    static let pairLifetime = Duration.seconds(60)
    /// How long a token of the challenge page is valid.
    static let tokenLifetime = Duration.seconds(5 * 60)
    /// How long an app waits for its push before it opens the page.
    static let pushTimeoutSeconds = 5
    /// The maximum of pushes to one device in an hour.
    static let pushesPerDevice = 20
    /// Distinguishes the tokens of this service from those of reCAPTCHA.
    static let tokenPrefix = "lkc."

    private let dependencies: Dependencies
    private let recaptcha: RecaptchaVerifier?

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
        recaptcha = dependencies.settings.recaptcha.map(RecaptchaVerifier.init)
    }

    // MARK: Verification

    /// Verifies and redeems the app credential of a request. In dev mode it is not checked, because test modes of
    /// client libraries send invalid ones.
    /// - Throws: `ServiceError`: those of `AppCredential.proof`, `invalidAppCredential`, `captchaCheckFailed`,
    ///   `appVerificationUnavailable`.
    package func verify(
        _ credential: MFASMS.AppCredential, in realm: Realm, _ configuration: ProjectConfiguration,
        _ client: ClientContext
    ) async throws {
        if dependencies.isDev { return }
        let now = dependencies.now()
        switch try credential.proof(requiredBy: configuration) {
        case .devicePair(let receipt, let secret, let bundleID):
            let isValid = try await dependencies.store.redeemPair(
                receipt: receipt, secret: secret, bundleID: bundleID, in: realm.project, at: now)
            // The app may have been removed from the list since.
            guard isValid, let bundleID, configuration.registersIOSApp(bundleID, isDev: false) else {
                throw ServiceError(.invalidAppCredential)
            }
        case .webToken(let token, let bundleID) where token.hasPrefix(Self.tokenPrefix):
            let isValid = try await dependencies.store.redeemToken(
                token, bundleID: bundleID, in: realm.project, at: now)
            guard isValid else { throw ServiceError(.captchaCheckFailed) }
        case .webToken(let token, _), .enterpriseToken(let token):
            try await verifyRecaptcha(token, configuration, client)
        }
    }

    /// Verifies a token with reCAPTCHA. That includes a token of Enterprise, if the secret is the "legacy secret key"
    /// of its key. Otherwise only Google Cloud could verify it.
    private func verifyRecaptcha(
        _ token: String, _ configuration: ProjectConfiguration, _ client: ClientContext
    ) async throws {
        guard let recaptcha else { throw ServiceError(.captchaCheckFailed) }
        do {
            try await recaptcha.verify(token, configuration, address: client.ipAddress)
        } catch let problem as RecaptchaVerifier.VerificationFailure {
            dependencies.report(problem)
            throw ServiceError(.unavailable)
        }
    }

    // MARK: Devices

    /// Sends a secret to a device. The pair is stored before the push is sent, because the device may reply at once.
    func startPushVerification(
        _ request: MFASMS.StartPushVerification, _ call: BusCall
    ) async throws -> MFASMS.StartPushVerification.Reply {
        let configuration = try await dependencies.configuration(Realm(project: request.project), call.trace)
        let device = try PushDevice(
            token: request.deviceToken?.reveal(), bundleID: request.bundleID, in: configuration,
            isDev: dependencies.isDev)
        let pair = DevicePair(
            receipt: Base64URL.encode(dependencies.randomBytes(18)),
            secret: Base64URL.encode(dependencies.randomBytes(32)), device: device,
            deviceDigest: digest("device", Array(device.token.utf8), in: request.project))
        let refusal = try await dependencies.store.insert(
            pair, from: network(of: request.client, in: request.project),
            maximumChecks: dependencies.settings.checksPerAddress, in: request.project, at: dependencies.now())
        if let refusal { throw refusal }
        do {
            try await dependencies.push(
                Notifier.SendPush(
                    project: request.project, deviceToken: Secret(device.token), isSandbox: request.isSandbox,
                    bundleID: device.bundleID, receipt: pair.receipt, secret: Secret(pair.secret)), call.trace)
        } catch {
            // Clients open the page then. The stored pair expires.
            dependencies.report(error)
            throw ServiceError(.invalidAppCredential)
        }
        return .init(receipt: pair.receipt, timeoutSeconds: Self.pushTimeoutSeconds)
    }

    // MARK: Pages

    /// Stores nothing: a challenge costs one hash until it is solved.
    func startWebChallenge(_ request: MFASMS.StartWebChallenge) async throws -> MFASMS.StartWebChallenge.Reply {
        let now = dependencies.now()
        var finished = 0
        if let network = network(of: request.client, in: request.project) {
            finished = try await dependencies.store.count(network.digest, in: request.project, at: now)
        }
        let bits = ProofOfWorkChallenge.bits(
            base: dependencies.settings.challengeBits, afterFinishing: finished)
        let challenge = ProofOfWorkChallenge(
            bits: bits, for: request.project, at: now, key: dependencies.store.digestKey,
            random: dependencies.randomBytes)
        return .init(challenge: Secret(challenge.text), difficultyBits: bits)
    }

    func finishWebChallenge(
        _ request: MFASMS.FinishWebChallenge, _ call: BusCall
    ) async throws -> MFASMS.FinishWebChallenge.Reply {
        let configuration = try await dependencies.configuration(Realm(project: request.project), call.trace)
        if let bundleID = request.bundleID {
            guard configuration.registersIOSApp(bundleID, isDev: dependencies.isDev) else {
                throw ServiceError(.appNotVerified)
            }
        }
        let now = dependencies.now()
        var challenge: ProofOfWorkChallenge?
        if let token = request.recaptchaToken?.reveal() {
            try await verifyRecaptcha(token, configuration, request.client)
        } else if recaptcha != nil {
            // An operator with reCAPTCHA keys does not accept proof of work.
            throw ServiceError(.captchaCheckFailed)
        } else {
            challenge = try solvedChallenge(request, at: now)
        }
        return try await issueToken(request, for: challenge, at: now)
    }

    private func solvedChallenge(
        _ request: MFASMS.FinishWebChallenge, at now: Moment
    ) throws(ServiceError) -> ProofOfWorkChallenge {
        guard let text = request.challenge?.reveal(), let answer = request.answer,
            let challenge = ProofOfWorkChallenge(text, for: request.project, key: dependencies.store.digestKey),
            !challenge.isExpired(at: now), challenge.isSolved(by: answer)
        else { throw ServiceError(.captchaCheckFailed) }
        return challenge
    }

    /// - Parameter challenge: the solved one; nil for a token of reCAPTCHA, which is valid once there.
    private func issueToken(
        _ request: MFASMS.FinishWebChallenge, for challenge: ProofOfWorkChallenge?, at now: Moment
    ) async throws -> MFASMS.FinishWebChallenge.Reply {
        let token = Self.tokenPrefix + Base64URL.encode(dependencies.randomBytes(32))
        let refusal = try await dependencies.store.insertToken(
            token, bundleID: request.bundleID, for: challenge,
            from: network(of: request.client, in: request.project), dependencies.settings, in: request.project,
            at: now)
        if let refusal { throw refusal }
        return .init(token: Secret(token))
    }

    // MARK: Counts

    static let window = Duration.seconds(3600)

    static func windowStart(at now: Moment) -> Moment {
        now.windowStart(of: window)
    }

    /// Nil when the address is unknown or has no limit.
    private func network(of client: ClientContext, in project: ProjectID) -> CountedNetwork? {
        guard dependencies.settings.checksPerAddress != nil else { return nil }
        return client.ipAddress.map { address in
            let network = ClientNetwork(address)
            // The gateway sends only valid addresses. A malformed one is counted too, by its text.
            return CountedNetwork(
                digest: digest("network", network?.bytes ?? Array(address.utf8), in: project),
                siteDigest: network?.site.map { digest("site", $0.bytes, in: project) })
        }
    }

    private func digest(_ kind: String, _ bytes: [UInt8], in project: ProjectID) -> [UInt8] {
        HMAC.sha256(
            key: dependencies.store.digestKey,
            message: Array("app check \(kind)\0\(project.rawValue)\0".utf8) + bytes)
    }
}
