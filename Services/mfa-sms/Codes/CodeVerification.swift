import Bus
import Contracts
import Crypto
import JSON
import PhoneNumbers
import ServiceRuntime
import Vocabulary

/// The operations that end with a code.
///
/// The transaction that verifies a code also redeems it, before identity acts on it. If identity does not reply, the
/// same request may come again while the code would be valid. Identity gets it under the same idempotency key, so it
/// takes effect once.
struct CodeVerification: SMSComponent {
    let dependencies: SMSService.Dependencies

    func finishPhoneSignIn(_ request: MFASMS.FinishPhoneSignIn, _ call: BusCall) async throws
        -> Identity.PhoneSignInReply
    {
        var normalizedRequest = request
        normalizedRequest.client = .init()
        let attempt = try attempt(request.sessionInfo, request.code, in: normalizedRequest)
        let session = try await verifyCode(
            attempt, .init(realm: request.realm, purpose: .signIn), request.client, call)
        return try await completeVerifiedSession(
            session, request.client, call, timeout: SMSService.signInTimeout
        ) { options in
            try await peers.send(
                Identity.SignInWithPhone(
                    realm: request.realm, phoneNumber: session.number.number, intent: request.intent,
                    idToken: request.idToken, client: request.client), options)
        }
    }

    func finishEnrollment(
        _ request: MFASMS.FinishEnrollment, _ call: BusCall
    ) async throws -> MFASMS.FinishEnrollment.Reply {
        var normalizedRequest = request
        normalizedRequest.client = .init()
        let attempt = try attempt(request.sessionInfo, request.code, in: normalizedRequest)
        let known = try await store.session(attempt.sessionID, of: request.realm.project)
        guard let known, known.purpose == .enrollment, let factorID = known.factorID else {
            throw ServiceError(.invalidVerificationSession)
        }
        let number = known.number.number
        // A verified request was already allowed, and the enrollment itself may have ended the session of the token.
        if !known.isVerified(by: attempt.request) {
            let checked = try await peers.send(
                Identity.CheckEnrollment(
                    realm: request.realm, idToken: request.idToken, factor: .phone(number),
                    stage: .finish), call.options(at: now(), timeout: SMSService.identityTimeout))
            guard checked.principal.accountID == known.accountID, checked.principal.realm == known.realm else {
                throw ServiceError(.invalidVerificationSession)
            }
        }
        let binding = VerificationSession.Binding(
            realm: known.realm, purpose: .enrollment, accountID: known.accountID)
        let session = try await verifyCode(attempt, binding, request.client, call)
        let enrolled = try await completeVerifiedSession(
            session, request.client, call, timeout: SMSService.identityTimeout
        ) { options in
            try await peers.send(
                Identity.EnrollFactor(
                    realm: request.realm, idToken: request.idToken, factorID: factorID, kind: .phone(number),
                    displayName: request.displayName, locale: request.locale,
                    client: request.client), options)
        }
        return .init(account: enrolled.account, tokens: enrolled.tokens, phoneNumber: number)
    }

    func finishSignIn(_ request: MFASMS.FinishSignIn, _ call: BusCall) async throws -> MFASMS.FinishSignIn.Reply {
        var normalizedRequest = request
        normalizedRequest.client = .init()
        let (attempt, known, binding) = try await findSecondFactorSession(request, normalizedRequest, call)
        let session = try await verifyCode(attempt, binding, request.client, call)
        guard let factorID = known.factorID else { throw ServiceError(.invalidVerificationSession) }
        let completed = try await completeVerifiedSession(
            session, request.client, call, timeout: SMSService.signInTimeout
        ) { options in
            try await peers.send(
                Identity.CompleteSignIn(
                    project: request.project, tenant: request.tenant, pendingCredential: request.pendingCredential,
                    factorID: factorID,
                    client: request.client), options)
        }
        return .init(account: completed.account, tokens: completed.tokens, phoneNumber: session.number.number)
    }

    /// Finds the verification session of a request for the second sign-in step, after the pending credential was
    /// checked.
    private func findSecondFactorSession(
        _ request: MFASMS.FinishSignIn, _ normalizedRequest: MFASMS.FinishSignIn, _ call: BusCall
    ) async throws -> (VerificationSession.Attempt, VerificationSession, VerificationSession.Binding) {
        func known(_ attempt: VerificationSession.Attempt) async throws -> VerificationSession? {
            let session = try await store.session(attempt.sessionID, of: request.project)
            return session?.purpose == .secondFactor ? session : nil
        }
        func binding(_ session: VerificationSession) -> VerificationSession.Binding {
            .init(realm: session.realm, purpose: .secondFactor, accountID: session.accountID)
        }
        // Missing fields are reported after errors of the credential.
        if request.sessionInfo != nil, request.code != nil {
            let attempt = try attempt(request.sessionInfo, request.code, in: normalizedRequest)
            // A verified request had a valid credential, which may be redeemed by now.
            if let session = try await known(attempt), session.isVerified(by: attempt.request) {
                return (attempt, session, binding(session))
            }
        }
        let pending = try await peers.send(
            Identity.ResolvePendingSignIn(
                project: request.project, tenant: request.tenant, pendingCredential: request.pendingCredential,
                method: .phone),
            call.options(at: now(), timeout: SMSService.identityTimeout)
        )
        let attempt = try attempt(request.sessionInfo, request.code, in: normalizedRequest)
        guard let session = try await known(attempt), session.accountID == pending.accountID,
            session.realm == pending.realm
        else { throw ServiceError(.invalidVerificationSession) }
        // The factor may have another number by now.
        let isListed = pending.factors.contains { factor in
            guard factor.id == session.factorID, case .phone(let phone) = factor.kind else { return false }
            return ParsedPhoneNumber.parsed(phone.rawValue)?.number == session.number.number
        }
        guard isListed else { throw ServiceError(.factorNotFound) }
        return (attempt, session, binding(session))
    }

    /// - Parameter normalizedRequest: the request without the client context.
    private func attempt(
        _ sessionInfo: Secret<String>?, _ code: Secret<String>?, in normalizedRequest: some Encodable
    ) throws -> VerificationSession.Attempt {
        guard let sessionInfo = sessionInfo?.reveal(), !sessionInfo.isEmpty else {
            throw ServiceError(.missingVerificationSession)
        }
        guard let code = code?.reveal(), !code.isEmpty else { throw ServiceError(.missingCode) }
        let digests = store.digests
        let id = digests.session(sessionInfo)
        return .init(
            sessionID: id, codeDigest: digests.code(code, of: id),
            request: digests.request(Array(try WireJSON.encodeSorted(normalizedRequest))))
    }

    /// Verifies the code. The returned session is leased to this request: call `completeVerifiedSession` with it.
    private func verifyCode(
        _ attempt: VerificationSession.Attempt, _ binding: VerificationSession.Binding, _ client: ClientContext,
        _ call: BusCall
    ) async throws -> VerificationSession {
        let (result, decision) = try await store.verify(attempt, binding, at: now())
        switch decision {
        case .verified: metrics.count(.verified, binding.purpose)
        case .invalidCode: metrics.count(.invalid, binding.purpose)
        case .expired: metrics.count(.expired, binding.purpose)
        case .resumed, .alreadyUsed, nil: break
        }
        switch result {
        case .accepted(let session):
            if decision == .verified, !session.isTest { sendingMetrics.countVerified() }
            log.info(decision == .resumed ? .smsVerificationResumed : .smsCodeVerified, session, call)
            return session
        case .refused(let error):
            if error.code == .tooManyAttempts { metrics.count(.locked, binding.purpose) }
            await recordRefusal(error, decision, binding, client, call)
            throw error
        }
    }

    /// The audit log has refused sign-ins. A code of an enrollment is no sign-in, and neither is one without a session.
    private func recordRefusal(
        _ error: ServiceError, _ decision: VerificationSession.Decision?, _ binding: VerificationSession.Binding,
        _ client: ClientContext, _ call: BusCall
    ) async {
        let isLimited = error.limit != nil
        guard isLimited || decision == .invalidCode else { return }
        switch binding.purpose {
        case .enrollment: return
        case .signIn, .secondFactor: break
        }
        // `try?`: the code is refused in any case.
        _ = try? await peers.send(
            Identity.RecordRefusedSignIn(
                realm: binding.realm, accountID: binding.accountID, reason: isLimited ? .limited : .invalid,
                client: client),
            call.options(at: now(), timeout: Identity.RecordRefusedSignIn.timeout))
    }

    /// Lets identity act on a verified session. A final reply of identity ends the session; without one it stays for
    /// the same request.
    private func completeVerifiedSession<Result>(
        _ session: VerificationSession, _ client: ClientContext, _ call: BusCall, timeout: Duration,
        _ act: (CallOptions) async throws -> Result
    ) async throws -> Result {
        // The key covers the client context: with another context identity would reject the same key.
        let key = store.digests.operationKey(session.id, Array(try WireJSON.encodeSorted(client)))
        do {
            let result = try await act(
                call.options(at: now(), timeout: timeout, idempotencyKey: key))
            await endOrReleaseSession(session, isOver: true, call)
            return result
        } catch {
            await endOrReleaseSession(session, isOver: (error as? ServiceError)?.isRefusal ?? false, call)
            throw error
        }
    }

    private func endOrReleaseSession(_ session: VerificationSession, isOver: Bool, _ call: BusCall) async {
        do {
            if isOver {
                try await store.deleteSession(session)
            } else {
                try await store.release(session, at: now())
            }
        } catch {
            // The session stays bound to its request until it expires; other requests cannot use it.
            log.error(.smsSessionUpdateFailed, ["error": .kind(of: error)], trace: call.trace)
        }
    }
}
