import Bus
import Contracts
import Vocabulary

/// Codes for whoever has lost a second factor.
extension IdentityService {
    func generateRecoveryCodes(
        _ request: Identity.GenerateRecoveryCodes, _ call: BusCall
    ) async throws -> Identity.GenerateRecoveryCodes.Reply {
        let session = try await session(behind: request.idToken, in: request.realm, call)
        let principal = session.principal
        try requireRecentSignIn(principal)
        guard !session.stored.account.secondFactors.isEmpty else { throw IdentityError.factorNotFound }
        guard session.authentication.secondFactor != nil else { throw IdentityError.secondFactorRequired }
        var codes: Set<RecoveryCode> = []
        while codes.count < Identity.GenerateRecoveryCodes.count {
            codes.insert(RecoveryCode(randomBytes: dependencies.randomBytes))
        }
        try await dependencies.store.replaceRecoveryCodes(
            codes.map { digest(of: $0, principal.accountID, in: principal.realm) }, of: principal.accountID,
            in: principal.realm,
            audit: auditEntry(
                .recoveryCodesGenerated, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID)
        ) { current in
            try current.requireActive(tokenIssuedAt: principal.issuedAt)
            guard !current.account.secondFactors.isEmpty else { throw IdentityError.factorNotFound }
        }
        return .init(codes: codes.map { Secret($0.text) })
    }

    func countRecoveryCodes(
        _ request: Identity.CountRecoveryCodes, _ call: BusCall
    ) async throws -> Identity.CountRecoveryCodes.Reply {
        let principal = try await session(behind: request.idToken, in: request.realm, call).principal
        return .init(
            left: try await dependencies.store.recoveryCodesLeft(of: principal.accountID, in: principal.realm) ?? 0)
    }

    func signInWithRecoveryCode(
        _ request: Identity.SignInWithRecoveryCode, _ call: BusCall
    ) async throws -> Identity.SignInWithRecoveryCode.Reply {
        let (credential, pending, _, project) = try await pendingSignIn(
            request.credential, in: Realm(project: request.project, tenant: request.tenant), call)
        let context = notices(project, locale: request.locale, call)
        guard let text = request.code?.reveal().nilIfEmpty else { throw IdentityError.missingCode }
        let now = dependencies.now()
        let (session, token) = open(
            for: pending.accountID, in: pending.realm,
            authentication: pending.authenticationContext(with: .recoveryCode, at: now), at: now)
        let (opened, left) = try await dependencies.store.signIn(
            RecoveryCodeSignInAttempt(
                credential: credential,
                // What is no code counts like a wrong one.
                codeDigest: RecoveryCode(text).map { digest(of: $0, pending.accountID, in: pending.realm) },
                session: session, refreshToken: token,
                mails: { recoveryCodeNotice(of: $0, context) },
                audit: auditEntry(
                    .recoveryCodeUsed, .anonymous, pending.realm, request.client, call, about: pending.accountID)))
        dependencies.wakeMailDispatcher()
        return .init(account: opened.account, tokens: try await tokens(for: opened, request.client), left: left)
    }

    private func digest(of code: RecoveryCode, _ accountID: AccountID, in realm: Realm) -> [UInt8] {
        dependencies.store.digest(code.digestInput(of: accountID, in: realm))
    }
}
