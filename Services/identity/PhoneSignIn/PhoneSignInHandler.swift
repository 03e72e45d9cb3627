import Bus
import Contracts
import Vocabulary

/// Signs in with a phone number, or links the number to the account of an ID token. mfa-sms sends and verifies the
/// code; identity decides which account has the number.
struct PhoneSignInHandler: IdentityComponent {
    let context: IdentityContext

    func check(_ request: Identity.CheckPhoneSignIn, _ call: BusCall) async throws -> EmptyReply {
        _ = try await phoneProject(request.realm, call)
        if let idToken = request.idToken {
            let session = try await authenticator.authenticateToContinue(idToken, in: request.realm, call)
            try PhoneSignIn.checkAddition(
                of: request.phoneNumber, to: session.stored, session.principal, at: now())
            try session.policy.requireRequestedFactor(in: session.authentication, of: session.stored.account)
        } else if request.concealsAccount != true {
            try await store.account(phoneNumber: request.phoneNumber, in: request.realm)?
                .account.requirePhoneAllowedAsFirstFactor()
        }
        return EmptyReply()
    }

    func signIn(
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
        guard let text = request.phoneNumber?.nilIfEmpty else { throw ServiceError(.missingPhoneNumber) }
        // The reply with the proof had the number in this form.
        guard let number = PhoneNumber(text),
            let proof = request.temporaryProof.flatMap({ TemporaryProof($0.reveal()) })
        else { throw ServiceError(.invalidTemporaryProof) }
        return try await signIn(
            VerifiedPhoneNumber(
                realm: request.realm, number: number, proof: proof, intent: request.intent, idToken: request.idToken,
                client: request.client), project, call)
    }

    /// A phone is a first factor only for a project's own users, not for those of its tenants (REST 1.8).
    private func phoneProject(_ realm: Realm, _ call: BusCall) async throws -> Project {
        guard realm.tenant == nil else { throw ServiceError(.unsupportedTenantOperation) }
        let project = try await projects.project(of: realm, traceID: call.trace.traceID)
        guard project.configuration.allowsPhoneSignIn else { throw ServiceError(.operationNotAllowed) }
        return project
    }

    private func signIn(
        _ verified: VerifiedPhoneNumber, _ project: Project, _ call: BusCall
    ) async throws -> Identity.PhoneSignInReply {
        let changed = try await store.reply(to: call, at: now()) { try await decide(verified, project, call) }
        switch changed.reply {
        case .conflict(let conflict): return .init(conflict: conflict)
        case .pending(let account, let factors):
            return .init(pending: .init(account: account, secondFactor: factors))
        case .opened(let opened, let isNewAccount):
            if changed.revokesSessions { publish(.sessionsRevoked(opened.account.realm, opened.account.id)) }
            return .init(
                session: .init(
                    account: opened.account, tokens: try await sessions.tokens(for: opened, verified.client),
                    isNewAccount: isNewAccount))
        }
    }

    private func decide(
        _ verified: VerifiedPhoneNumber, _ project: Project, _ call: BusCall
    ) async throws -> ChangeResult<PhoneSignInResult> {
        let now = now()
        var authentication = AuthenticationContext(authenticatedAt: now.timestamp, signInProvider: "phone")
        let current = try await session(of: verified, call)
        if let current, verified.intent.isForLinking {
            // A session that used a second factor, or has claims of its own, keeps them.
            authentication.secondFactor = current.authentication.secondFactor
            authentication.claims = current.authentication.claims
        }
        let newAccount = StoredAccount(id: AccountID(randomBytes: randomBytes), in: verified.realm, at: now)
        let signIn = sessions.prepareSignIn(
            of: newAccount.account.id, in: verified.realm, authentication: authentication,
            SignInNotice(context, project, verified.client, call), at: now)
        var prepared = PreparedPhoneSignIn(
            realm: verified.realm,
            rules: PhoneSignIn(
                number: verified.number, intent: verified.intent, principal: current?.principal,
                usesTemporaryProof: verified.proof != nil, allowsSelfSignUp: project.configuration.allowsSelfSignUp,
                now: now),
            proof: verified.proof, newAccount: newAccount,
            firstFactor: PreparedFirstFactor(
                policy: SessionPolicy(project.configuration), presented: current?.authentication, signIn: signIn),
            newProof: TemporaryProof(secret: randomBytes(TemporaryProof.secretBytes)))
        return try await blockingFunctions.run(.init(project: project, client: verified.client), call) { responses in
            prepared.firstFactor.signIn.responses = responses
            return try await store.signIn(
                byPhone: prepared,
                audit: AuditEntry(.signIn, .anonymous, verified.realm, verified.client, call, about: nil, at: now),
                idempotency: store.idempotentCall(for: call, at: now))
        }
    }

    /// The session of the request's ID token. A request that links a number must have one.
    private func session(of verified: VerifiedPhoneNumber, _ call: BusCall) async throws -> AuthenticatedSession? {
        let idToken = verified.idToken.flatMap { $0.reveal().isEmpty ? nil : $0 }
        guard idToken != nil || verified.intent.needsIDToken else { return nil }
        let session = try await authenticator.authenticateToContinue(idToken, in: verified.realm, call)
        guard session.principal.realm.tenant == nil else { throw ServiceError(.unsupportedTenantOperation) }
        return session
    }
}

/// A verified number, and the requested operation.
private struct VerifiedPhoneNumber: Sendable {
    var realm: Realm
    var number: PhoneNumber
    /// nil: mfa-sms has just verified a code.
    var proof: TemporaryProof?
    var intent: Identity.PhoneIntent
    var idToken: Secret<String>?
    var client: ClientContext
}

extension Identity.PhoneIntent {
    fileprivate var needsIDToken: Bool {
        switch self {
        case .update, .link: true
        case .signUpOrIn, .reauthenticate: false
        }
    }

    /// With an ID token, the number becomes the number of its account.
    fileprivate var isForLinking: Bool {
        switch self {
        case .signUpOrIn, .update, .link: true
        case .reauthenticate: false
        }
    }
}
