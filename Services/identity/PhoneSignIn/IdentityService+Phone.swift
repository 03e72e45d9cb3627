import Bus
import Contracts
import Vocabulary

/// A number that somebody has proved, with what they want of it.
private struct VerifiedPhoneNumber: Sendable {
    var realm: Realm
    var number: PhoneNumber
    /// nil: mfa-sms has just checked a code.
    var proof: TemporaryProof?
    var intent: Identity.PhoneIntent
    var idToken: Secret<String>?
    var client: ClientContext
}

/// The telephone as first factor. mfa-sms sends codes and checks them; identity knows whose number it is.
extension IdentityService {
    func checkPhoneSignIn(_ request: Identity.CheckPhoneSignIn, _ call: BusCall) async throws -> EmptyReply {
        _ = try await phoneProject(request.realm, call)
        try await dependencies.store.account(phoneNumber: request.phoneNumber, in: request.realm)?
            .account.requirePhoneAllowedAsFirstFactor()
        return EmptyReply()
    }

    func signInWithPhone(
        _ request: Identity.SignInWithPhone, _ call: BusCall
    ) async throws -> Identity.SignInWithPhone.Reply {
        let project = try await phoneProject(request.realm, call)
        return try await signIn(
            VerifiedPhoneNumber(
                realm: request.realm, number: request.phoneNumber, intent: request.intent,
                idToken: request.idToken, client: request.client), project, call)
    }

    func signInWithTemporaryProof(
        _ request: Identity.SignInWithTemporaryProof, _ call: BusCall
    ) async throws -> Identity.SignInWithTemporaryProof.Reply {
        let project = try await phoneProject(request.realm, call)
        guard let text = request.phoneNumber?.nilIfEmpty else { throw IdentityError.missingPhoneNumber }
        // We gave the number with the proof, in this form.
        guard let number = PhoneNumber(text),
            let proof = request.temporaryProof.flatMap({ TemporaryProof($0.reveal()) })
        else { throw IdentityError.invalidTemporaryProof }
        return try await signIn(
            VerifiedPhoneNumber(
                realm: request.realm, number: number, proof: proof, intent: request.intent, idToken: request.idToken,
                client: request.client), project, call)
    }

    /// A telephone is a first factor of the project's own users alone (REST 1.8).
    private func phoneProject(_ realm: Realm, _ call: BusCall) async throws -> Project {
        guard realm.tenant == nil else { throw IdentityError.unsupportedTenantOperation }
        let project = try await dependencies.projects.project(of: realm, traceID: call.trace.traceID)
        guard project.configuration.allowsPhoneSignIn else { throw IdentityError.operationNotAllowed }
        return project
    }

    private func signIn(
        _ proved: VerifiedPhoneNumber, _ project: Project, _ call: BusCall
    ) async throws -> Identity.PhoneSignInReply {
        let done =
            if let recorded = try await dependencies.store.recordedReply(
                ChangeResult<PhoneSignInResult>.self, idempotentCall(for: call))
            {
                recorded
            } else {
                try await decide(proved, project, call)
            }
        switch done.reply {
        case .conflict(let conflict): return .init(conflict: conflict)
        case .pending(let account, let factors):
            return .init(pending: .init(account: account, secondFactor: factors))
        case .opened(let opened, let isNewAccount):
            if done.revokesSessions { publishSessionsRevoked(opened.account.id, in: opened.account.realm) }
            return .init(
                session: .init(
                    account: opened.account, tokens: try await tokens(for: opened, proved.client),
                    isNewAccount: isNewAccount))
        }
    }

    private func decide(
        _ proved: VerifiedPhoneNumber, _ project: Project, _ call: BusCall
    ) async throws -> ChangeResult<PhoneSignInResult> {
        let now = dependencies.now()
        var authentication = AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: "phone")
        let current = try await session(of: proved, call)
        if let current, proved.intent.isForLinking {
            // A session that used a second factor, or has claims of its own, keeps them.
            authentication.secondFactor = current.authentication.secondFactor
            authentication.claims = current.authentication.claims
        }
        let blank = emptyAccount(id: newAccountID(), in: proved.realm)
        let firstFactor = PreparedSignIn(
            for: blank.account.id, in: proved.realm, authentication: authentication, at: now,
            randomBytes: dependencies.randomBytes)
        return try await dependencies.store.signIn(
            byPhone: PhoneSignInAttempt(
                realm: proved.realm,
                rules: PhoneSignIn(
                    number: proved.number, intent: proved.intent, principal: current?.principal,
                    usesTemporaryProof: proved.proof != nil, allowsSelfSignUp: project.configuration.allowsSelfSignUp,
                    now: now),
                policy: SessionPolicy(project.configuration), presented: current?.authentication, proof: proved.proof,
                blank: blank, firstFactor: firstFactor,
                newProof: TemporaryProof(secret: dependencies.randomBytes(TemporaryProof.secretBytes))),
            audit: auditEntry(.signIn, .anonymous, proved.realm, proved.client, call, about: nil),
            once: idempotentCall(for: call))
    }

    /// Who sends the number, if an ID token says so. Whoever wants to link one has to say it.
    private func session(of proved: VerifiedPhoneNumber, _ call: BusCall) async throws -> AuthenticatedSession? {
        let idToken = proved.idToken.flatMap { $0.reveal().isEmpty ? nil : $0 }
        guard idToken != nil || proved.intent.needsIDToken else { return nil }
        let session = try await continuedSession(behind: idToken, in: proved.realm, call)
        guard session.principal.realm.tenant == nil else { throw IdentityError.unsupportedTenantOperation }
        return session
    }
}

extension Identity.PhoneIntent {
    fileprivate var needsIDToken: Bool {
        switch self {
        case .update, .link: true
        case .signUpOrIn, .reauthenticate: false
        }
    }

    /// With an ID token the number becomes its account's.
    fileprivate var isForLinking: Bool {
        switch self {
        case .signUpOrIn, .update, .link: true
        case .reauthenticate: false
        }
    }
}
