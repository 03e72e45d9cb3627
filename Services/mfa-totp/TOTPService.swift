package import Bus
package import Contracts
import Crypto
import JSON
import OTPAuth
import QRCode
package import Vocabulary

/// TOTP codes as second factor. This file dispatches each operation to its handler.
///
/// Identity decides on the permissions and the factors of an account; this service verifies the codes.
package struct TOTPService: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: TOTPStore
        package var identity: IdentityClient
        package var gauges: TOTPMetrics

        package init(
            now: @escaping @Sendable () -> Moment, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8],
            store: TOTPStore, identity: IdentityClient, gauges: TOTPMetrics
        ) {
            self.now = now
            self.randomBytes = randomBytes
            self.store = store
            self.identity = identity
            self.gauges = gauges
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

    /// The wire form of `error`; nil for an unexpected error.
    package func wireError(_ error: any Error) -> WireError? {
        (error as? TOTPError).map { WireError($0, now: dependencies.now()) }
    }

    // MARK: - Enrollment

    private func startEnrollment(
        _ request: MFATOTP.StartEnrollment, _ call: BusCall
    ) async throws -> MFATOTP.StartEnrollment.Reply {
        let check = try await dependencies.identity.checkEnrollment(
            .init(realm: request.realm, idToken: request.idToken, method: .totp, stage: .start), call.trace.child(),
            remainingTime(call))
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
            finishUntil: now + TOTPEnrollment.lifetime, keyURI: Secret(uri.text), qrCode: qrCode.map { Secret($0) })
    }

    private func finishEnrollment(
        _ request: MFATOTP.FinishEnrollment, _ call: BusCall
    ) async throws -> MFATOTP.FinishEnrollment.Reply {
        // `enrollFactor` checks the list of factors, after the code is verified (REST 3.2).
        let check = try await dependencies.identity.checkEnrollment(
            .init(realm: request.realm, idToken: request.idToken, method: .totp, stage: .finish), call.trace.child(),
            remainingTime(call))
        guard let text = request.sessionInfo else { throw TOTPError.missingSession }
        let owner = TOTPAccountKey(realm: check.principal.realm, accountID: check.principal.accountID)
        guard let session = TOTPSession(text.reveal()),
            let enrollment = try await dependencies.store.enrollment(session, of: owner)
        else { throw TOTPError.unknownSession }
        // The client context may differ between a request and its repetition.
        var said = request
        said.client = .init()
        let digest = dependencies.store.digest(ofRequest: Array(try WireJSON.encodeSorted(said)))
        try enrollment.checkOpen(of: digest, at: dependencies.now())
        guard let name = request.displayName, !name.isEmpty else { throw TOTPError.missingName }
        guard let code = request.code else { throw TOTPError.missingCode }
        let verdict = try await dependencies.store.verify(
            .init(code: TOTPCode(code.reveal()), request: digest, windowSteps: check.totpWindowSteps), of: enrollment,
            at: dependencies.now())
        switch verdict {
        case .verified, .resumed: break
        case .refused(let error): throw error
        }
        return try await list(enrollment, name, request, digest, call)
    }

    /// Adds a verified factor to identity's list. A repeated request gets the recorded reply.
    private func list(
        _ enrollment: TOTPEnrollment, _ name: String, _ request: MFATOTP.FinishEnrollment, _ digest: [UInt8],
        _ call: BusCall
    ) async throws -> MFATOTP.FinishEnrollment.Reply {
        // The key covers the client context: with another context identity would reject the same key.
        let key = dependencies.store.operationKey(enrollment, digest, Array(try WireJSON.encodeSorted(request.client)))
        let reply: Identity.EnrollFactor.Reply
        do {
            reply = try await dependencies.identity.enrollFactor(
                .init(
                    realm: request.realm, idToken: request.idToken, factorID: enrollment.factorID, method: .totp,
                    displayName: name, locale: request.locale, client: request.client), call.trace.child(),
                remainingTime(call), key)
        } catch {
            // `try?`: the lease expires by itself. The verification is kept.
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
        let pending = try await dependencies.identity.resolvePendingSignIn(
            .init(project: request.project, tenant: request.tenant, credential: request.credential), call.trace.child(),
            remainingTime(call))
        guard let id = request.factorID else { throw TOTPError.missingFactorID }
        guard pending.factors.contains(where: { $0.id == id && $0.kind == .totp }) else {
            throw TOTPError.unknownFactor
        }
        let now = dependencies.now()
        guard now < pending.startedAt + TOTPFactor.challengeLifetime else { throw TOTPError.challengeTimedOut }
        guard let code = request.code else { throw TOTPError.missingCode }
        let key = TOTPFactorKey(owner: TOTPAccountKey(realm: pending.realm, accountID: pending.accountID), id: id)
        guard
            let (verdict, clockSkew) = try await dependencies.store.verify(
                TOTPCode(code.reveal()), of: key, window: pending.totpWindowSteps, at: now)
        else { throw TOTPError.unknownFactor }
        dependencies.gauges.count(verdict, of: id, clockSkew: clockSkew, trace: call.trace)
        switch verdict {
        case .refused(let error): throw error
        // From here on the step is used, whatever the result of the sign-in: a code must not work twice.
        case .accepted: break
        }
        return try await dependencies.identity.completeSignIn(
            .init(
                project: request.project, tenant: request.tenant, credential: request.credential, factorID: id,
                client: request.client),
            call.trace.child(), remainingTime(call))
    }

    // MARK: - Details

    /// The time until the deadline of the call.
    private func remainingTime(_ call: BusCall) -> Duration {
        .milliseconds(max(0, call.deadline.milliseconds(since: dependencies.now())))
    }

    /// The project is the issuer, as in e-mails, and the address is the account name.
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
