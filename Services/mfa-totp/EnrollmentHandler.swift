import Bus
import Contracts
import Crypto
import JSON
import QRCode
import Vocabulary

/// Enrolls TOTP factors: generates a secret, verifies its first code, and lets identity list the factor.
struct EnrollmentHandler: TOTPComponent {
    let dependencies: TOTPService.Dependencies

    func start(
        _ request: MFATOTP.StartEnrollment, _ call: BusCall
    ) async throws -> MFATOTP.StartEnrollment.Reply {
        let check = try await peers.send(
            Identity.CheckEnrollment(realm: request.realm, idToken: request.idToken, factor: .totp, stage: .start),
            call.options(at: now())
        )
        let startedAt = now()
        let enrollment = TOTPEnrollment(
            owner: TOTPAccountKey(realm: check.principal.realm, accountID: check.principal.accountID),
            factorID: FactorID(RandomUUID.text(of: randomBytes(16))), createdAt: startedAt)
        let session = TOTPSession(secret: randomBytes(TOTPSession.secretBytes))
        let secret = randomBytes(TOTPEnrollment.secretBytes)
        try await store.insert(enrollment, session, secret: secret)
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
            expiresAt: startedAt + TOTPEnrollment.lifetime, keyURI: Secret(uri.text), qrCode: qrCode.map { Secret($0) })
    }

    func finish(
        _ request: MFATOTP.FinishEnrollment, _ call: BusCall
    ) async throws -> MFATOTP.FinishEnrollment.Reply {
        // `enrollFactor` checks the list of factors, after the code (REST 3.2).
        let check = try await peers.send(
            Identity.CheckEnrollment(realm: request.realm, idToken: request.idToken, factor: .totp, stage: .finish),
            call.options(at: now()))
        guard let text = request.sessionInfo else { throw ServiceError(.missingVerificationSession) }
        let owner = TOTPAccountKey(realm: check.principal.realm, accountID: check.principal.accountID)
        guard let session = TOTPSession(text.reveal()),
            let enrollment = try await store.enrollment(session, of: owner)
        else { throw ServiceError(.invalidVerificationSession) }
        // The repetition of a request may come from another address.
        var normalizedRequest = request
        normalizedRequest.client = .init()
        let digest = store.digest(ofRequest: Array(try WireJSON.encodeSorted(normalizedRequest)))
        try enrollment.checkOpen(of: digest, at: now())
        guard let name = request.displayName, !name.isEmpty else { throw ServiceError(.missingFactorName) }
        guard let code = request.code else { throw ServiceError(.missingCode) }
        let result = try await store.verify(
            .init(
                code: TOTPCode(code.reveal()), request: digest, windowSteps: try check.verification.totpWindowSteps()),
            of: enrollment,
            at: now())
        switch result {
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
        // Without the client: of equal requests from several addresses, one opens a session.
        let key = store.operationKey(enrollment, digest)
        let reply: Identity.EnrollFactor.Reply
        do {
            reply = try await peers.send(
                Identity.EnrollFactor(
                    realm: request.realm, idToken: request.idToken, factorID: enrollment.factorID, kind: .totp,
                    displayName: name, locale: request.locale, client: request.client),
                call.options(at: now(), idempotencyKey: key))
        } catch {
            // `try?`: the lease ends by itself, and the factor stays verified.
            try? await store.release(enrollment, verifiedBy: digest, at: now())
            throw error
        }
        try await store.markFinished(enrollment)
        return reply
    }

    /// The application is the issuer, as in e-mails, and the e-mail address names the account.
    private static func keyURI(for check: Identity.CheckEnrollment.Reply, secret: [UInt8]) throws -> OTPAuthURI {
        let issuer = OTPAuthURI.sanitizedLabel(check.applicationName)
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
