import Bus
import Contracts
import Vocabulary

/// Generates and counts recovery codes, and completes a pending sign-in with one of them.
struct RecoveryCodeHandler: IdentityComponent {
    let context: IdentityContext

    func generate(
        _ request: Identity.GenerateRecoveryCodes, _ call: BusCall
    ) async throws -> Identity.GenerateRecoveryCodes.Reply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let principal = session.principal
        try principal.requireRecentSignIn(at: now())
        guard !session.stored.account.secondFactors.isEmpty else { throw ServiceError(.factorNotFound) }
        guard session.authentication.hasTwoFactors else { throw ServiceError(.secondFactorRequired) }
        var codes: Set<RecoveryCode> = []
        while codes.count < Identity.GenerateRecoveryCodes.count {
            codes.insert(RecoveryCode(randomBytes: randomBytes))
        }
        try await store.replaceRecoveryCodes(
            codes.map { digest(of: $0, principal.accountID, in: principal.realm) }, of: principal.accountID,
            in: principal.realm,
            audit: AuditEntry(
                .recoveryCodesGenerated, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID, at: now())
        ) { current in
            try current.requireActive(tokenIssuedAt: principal.issuedAt)
            guard !current.account.secondFactors.isEmpty else { throw ServiceError(.factorNotFound) }
        }
        return .init(codes: codes.map { Secret($0.text) })
    }

    func count(
        _ request: Identity.CountRecoveryCodes, _ call: BusCall
    ) async throws -> Identity.CountRecoveryCodes.Reply {
        let principal = try await authenticator.authenticate(request.idToken, in: request.realm, call).principal
        return .init(
            remaining: try await store.remainingRecoveryCodes(of: principal.accountID, in: principal.realm) ?? 0)
    }

    func signIn(
        _ request: Identity.SignInWithRecoveryCode, _ call: BusCall
    ) async throws -> Identity.SignInWithRecoveryCode.Reply {
        let resolved = try await pendingSignIns.resolve(
            request.pendingCredential, in: Realm(project: request.project, tenant: request.tenant), call)
        let pending = resolved.pending
        let emailContext = notices.context(resolved.project, locale: request.locale, call)
        guard let text = request.code?.reveal().nilIfEmpty else { throw ServiceError(.missingCode) }
        let now = now()
        let (session, token) = sessions.open(
            for: pending.accountID, in: pending.realm,
            authentication: pending.authenticationContext(with: .recoveryCode, at: now), client: request.client, at: now
        )
        let context = BlockingFunctionContext(project: resolved.project, client: request.client)
        let (opened, remaining) = try await blockingFunctions.run(context, call) { responses in
            try await store.signIn(
                PreparedRecoveryCodeSignIn(
                    credential: resolved.credential,
                    // A malformed code counts like a wrong one.
                    codeDigest: RecoveryCode(text).map { digest(of: $0, pending.accountID, in: pending.realm) },
                    session: session, refreshToken: token, responses: responses,
                    notice: SignInNotice(self.context, resolved.project, request.client, call),
                    mails: { before, after in
                        notices.recoveryCodeUse(of: after, emailContext)
                            + notices.providerLinks(from: before, to: after, emailContext)
                    },
                    audit: AuditEntry(
                        .recoveryCodeUsed, .anonymous, pending.realm, request.client, call, about: pending.accountID,
                        at: now)))
        }
        wakeEmailLoop()
        return .init(
            account: opened.account, tokens: try await sessions.tokens(for: opened, request.client),
            remaining: remaining)
    }

    private func digest(of code: RecoveryCode, _ accountID: AccountID, in realm: Realm) -> [UInt8] {
        store.digest(code.digestInput(of: accountID, in: realm))
    }
}
