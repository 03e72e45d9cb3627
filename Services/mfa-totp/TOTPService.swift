package import Bus
package import Contracts
import Crypto
import JSON
import QRCode
package import Vocabulary

/// TOTP codes as second factor. The switch is the table of contents: one operation, one handler.
///
/// Identity decides what an account may do and which factors it has. This service verifies the codes.
package struct TOTPService: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: TOTPStore
        package var peers: PeerClient
        package var metrics: TOTPMetrics

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            store: TOTPStore, peers: PeerClient, metrics: TOTPMetrics
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.store = store
            self.peers = peers
            self.metrics = metrics
        }
    }

    let dependencies: Dependencies

    package init(_ dependencies: Dependencies) {
        self.dependencies = dependencies
    }

    package func handle(_ operation: MFATOTP.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .startEnrollment: try await call.reply(with: startEnrollment)
        case .finishEnrollment: try await call.reply(with: finishEnrollment)
        case .finishSignIn: try await call.reply(with: finishSignIn)
        }
    }

    /// The error on the wire; nil for an unexpected one.
    package func wireError(_ error: any Error) -> WireError? {
        (error as? ServiceError).map { WireError($0, now: dependencies.now()) }
    }

    // MARK: - Enrollment

    private func startEnrollment(
        _ request: MFATOTP.StartEnrollment, _ call: BusCall
    ) async throws -> MFATOTP.StartEnrollment.Reply {
        let check = try await dependencies.peers.checkEnrollment(
            .init(realm: request.realm, idToken: request.idToken, method: .totp, stage: .start), options(call))
        let now = dependencies.now()
        let enrollment = TOTPEnrollment(
            owner: TOTPAccountKey(realm: check.principal.realm, accountID: check.principal.accountID),
            factorID: FactorID(RandomUUID.text(of: dependencies.randomBytes(16))), createdAt: now)
        let session = TOTPSession(secret: dependencies.randomBytes(TOTPSession.secretBytes))
        let secret = dependencies.randomBytes(TOTPEnrollment.secretBytes)
        try await dependencies.store.insert(enrollment, session, secret: secret)
        let uri = try Self.keyURI(for: check, secret: secret)
        let qrCode = request.qrCode.flatMap { form in
            QRCode(uri.text).map { code in
                switch form {
                case .svg: code.svg
                case .text: code.terminalText
                }
            }
        }
        return .init(
            sharedSecretKey: Secret(uri.sharedSecretKey), digits: TOTPCode.digits, hashingAlgorithm: "SHA1",
            periodSeconds: TOTPCode.periodSeconds, sessionInfo: Secret(session.text),
            expiresAt: now + TOTPEnrollment.lifetime, keyURI: Secret(uri.text), qrCode: qrCode.map { Secret($0) })
    }

    private func finishEnrollment(
        _ request: MFATOTP.FinishEnrollment, _ call: BusCall
    ) async throws -> MFATOTP.FinishEnrollment.Reply {
        // `enrollFactor` checks the list of factors, after the code (REST 3.2).
        let check = try await dependencies.peers.checkEnrollment(
            .init(realm: request.realm, idToken: request.idToken, method: .totp, stage: .finish), options(call))
        guard let text = request.sessionInfo else { throw ServiceError(.missingVerificationSession) }
        let owner = TOTPAccountKey(realm: check.principal.realm, accountID: check.principal.accountID)
        guard let session = TOTPSession(text.reveal()),
            let enrollment = try await dependencies.store.enrollment(session, of: owner)
        else { throw ServiceError(.invalidVerificationSession) }
        // The repetition of a request may come from another address.
        var said = request
        said.client = .init()
        let digest = dependencies.store.digest(ofRequest: Array(try WireJSON.encodeSorted(said)))
        try enrollment.checkOpen(of: digest, at: dependencies.now())
        guard let name = request.displayName, !name.isEmpty else { throw ServiceError(.missingFactorName) }
        guard let code = request.code else { throw ServiceError(.missingCode) }
        let verdict = try await dependencies.store.verify(
            .init(
                code: TOTPCode(code.reveal()), request: digest, windowSteps: try Self.windowSteps(check.verification)),
            of: enrollment,
            at: dependencies.now())
        switch verdict {
        case .verified, .resumed: break
        case .refused(let error): throw error
        }
        return try await list(enrollment, name, request, digest, call)
    }

    /// Requests identity to list a verified factor. A repeated request gets the recorded reply.
    private func list(
        _ enrollment: TOTPEnrollment, _ name: String, _ request: MFATOTP.FinishEnrollment, _ digest: [UInt8],
        _ call: BusCall
    ) async throws -> MFATOTP.FinishEnrollment.Reply {
        // From another address it is another request, and identity would refuse the key.
        let key = dependencies.store.operationKey(enrollment, digest, Array(try WireJSON.encodeSorted(request.client)))
        let reply: Identity.EnrollFactor.Reply
        do {
            reply = try await dependencies.peers.enrollFactor(
                .init(
                    realm: request.realm, idToken: request.idToken, factorID: enrollment.factorID, method: .totp,
                    displayName: name, locale: request.locale, client: request.client),
                options(call, idempotencyKey: key))
        } catch {
            // `try?`: the lease ends by itself, and the factor stays verified.
            try? await dependencies.store.release(enrollment, provedBy: digest, at: dependencies.now())
            throw error
        }
        try await dependencies.store.markFinished(enrollment)
        return reply
    }

    // MARK: - Sign-in

    private func finishSignIn(
        _ request: MFATOTP.FinishSignIn, _ call: BusCall
    ) async throws -> MFATOTP.FinishSignIn.Reply {
        let pending = try await dependencies.peers.resolvePendingSignIn(
            .init(
                project: request.project, tenant: request.tenant, pendingCredential: request.pendingCredential,
                method: .totp),
            options(call))
        guard let id = request.factorID else { throw ServiceError(.missingFactorID) }
        guard pending.factors.contains(where: { $0.id == id && $0.kind == .totp }) else {
            throw ServiceError(.factorNotFound)
        }
        let now = dependencies.now()
        guard now < pending.startedAt + TOTPFactor.challengeLifetime else {
            throw ServiceError(.factorChallengeTimedOut)
        }
        guard let code = request.code else { throw ServiceError(.missingCode) }
        let key = TOTPFactorKey(owner: TOTPAccountKey(realm: pending.realm, accountID: pending.accountID), id: id)
        guard
            let (verdict, clockSkew) = try await dependencies.store.verify(
                TOTPCode(code.reveal()), of: key, window: try Self.windowSteps(pending.verification), at: now)
        else { throw ServiceError(.factorNotFound) }
        dependencies.metrics.count(verdict, of: id, clockSkew: clockSkew, trace: call.trace)
        switch verdict {
        case .refused(let error): throw error
        // From here on the step is used, even if the sign-in fails: a code is valid once.
        case .accepted: break
        }
        return try await dependencies.peers.completeSignIn(
            .init(
                project: request.project, tenant: request.tenant, pendingCredential: request.pendingCredential,
                factorID: id,
                client: request.client), options(call))
    }

    // MARK: - Details

    private func options(_ call: BusCall, idempotencyKey: String? = nil) -> CallOptions {
        call.options(at: dependencies.now(), idempotencyKey: idempotencyKey)
    }

    /// - Throws: `internal` if identity replied with the settings of another method.
    private static func windowSteps(_ settings: SecondFactor.VerificationSettings) throws -> Int {
        guard case .totp(let windowSteps) = settings else {
            throw WireError(.internal, "the reply breaks the contract")
        }
        return windowSteps
    }

    /// The project is the issuer, as in e-mails, and the e-mail address names the account.
    private static func keyURI(for check: Identity.CheckEnrollment.Reply, secret: [UInt8]) throws -> OTPAuthURI {
        let issuer = OTPAuthURI.sanitizedLabel(check.principal.realm.project.rawValue)
        let names = [check.account.email?.rawValue, check.principal.accountID.rawValue].compactMap(\.self)
            .map(OTPAuthURI.sanitizedLabel)
        return try OTPAuthURI(
            issuer: issuer.isEmpty ? nil : issuer, account: names.first { !$0.isEmpty } ?? "account", secret: secret)
    }
}

extension OTPAuthURI {
    /// As `sharedSecretKey` on the wire.
    fileprivate var sharedSecretKey: String { Base32.encode(secret) }
}
