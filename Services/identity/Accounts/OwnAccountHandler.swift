import Bus
import Contracts
import Vocabulary

/// Shows, changes and deletes the account of an ID token.
struct OwnAccountHandler: IdentityComponent {
    let context: IdentityContext

    func lookUp(
        _ request: Identity.LookUpOwnAccount, _ call: BusCall
    ) async throws -> Identity.LookUpOwnAccount.Reply {
        let session = try await authenticator.authenticate(
            request.idToken, in: request.realm, call, allowing: .restoration)
        return .init(account: session.stored.account)
    }

    func update(
        _ request: Identity.UpdateOwnAccount, _ call: BusCall
    ) async throws -> Identity.UpdateOwnAccount.Reply {
        let opened = try await store.reply(toChange: call, at: now()) { try await apply(request, call) }
        return .init(account: opened.account, tokens: try await sessions.tokens(for: opened, request.client))
    }

    private func apply(_ request: Identity.UpdateOwnAccount, _ call: BusCall) async throws -> OpenedSession {
        let session = try await authenticator.authenticateToContinue(request.idToken, in: request.realm, call)
        guard request.accountID == nil || request.accountID == session.principal.accountID else {
            throw ServiceError(.accountMismatch)
        }
        let project = session.project
        let action: AuditEntry.Action =
            request.changes.password != nil
            ? .passwordChanged : request.changes.email != nil ? .emailChanged : .accountUpdated
        return try await make(
            OwnerChange(
                changes: request.changes, principal: session.principal, presented: session.authentication,
                policy: .init(project), now: now()),
            by: session, project, action, locale: request.locale, request.client, call)
    }

    /// Adds an e-mail address and a password to the account of an ID token.
    func linkPassword(
        _ request: Identity.SignUp, to idToken: Secret<String>, _ call: BusCall
    ) async throws -> OpenedSession {
        try await store.reply(toChange: call, at: now()) { try await addPassword(request, to: idToken, call) }
    }

    private func addPassword(
        _ request: Identity.SignUp, to idToken: Secret<String>, _ call: BusCall
    ) async throws -> OpenedSession {
        let session = try await authenticator.authenticateToContinue(idToken, in: request.realm, call)
        let project = session.project
        guard project.configuration.allowsPasswordSignIn else { throw ServiceError(.operationNotAllowed) }
        let (email, password) = try request.requiredCredentials()
        let changes = Identity.OwnAccountChanges(
            email: email.rawValue, password: Secret(password), displayName: request.displayName?.nilIfEmpty,
            photoURL: request.photoURL?.nilIfEmpty)
        return try await make(
            OwnerChange(
                changes: changes, principal: session.principal, presented: session.authentication,
                policy: .init(project),
                now: now(), isLinking: true),
            by: session, project, .passwordLinked, locale: request.locale, request.client, call)
    }

    /// Checks the change, hashes the password, checks again inside the transaction, and continues with a session that
    /// was opened after the change.
    private func make(
        _ ownerChange: OwnerChange, by session: AuthenticatedSession, _ project: Project, _ action: AuditEntry.Action,
        locale: String?, _ client: ClientContext, _ call: BusCall
    ) async throws -> OpenedSession {
        let before = session.stored.account
        try ownerChange.check(session.stored)
        var passwordRecord: String?
        if let text = ownerChange.changes.password?.reveal() {
            let email = ownerChange.changes.email.flatMap(EmailAddress.init) ?? before.email
            passwordRecord = try await newPasswords.record(of: text, for: email, project, by: call.deadline)
        }
        let (next, token) = sessions.open(
            for: before.id, in: before.realm, authentication: session.authentication, client: client,
            at: ownerChange.now)
        let context = notices.context(project, locale: locale, call)
        return try await blockingFunctions.run(.init(project: project, client: client, isExempt: true), call) {
            [passwordRecord] responses in
            try await updater.change(
                before.id, in: before.realm,
                audit: AuditEntry(action, .account(before.id), before.realm, client, call, about: before.id, at: now()),
                idempotency: store.idempotentCall(for: call, at: now()),
                session: { (_: StoredAccount, opened: OpenedSession) in
                    var next = next
                    next.authentication = opened.authentication
                    return next
                },
                mails: { before, after in try mails(of: ownerChange, from: before, to: after, context) }
            ) { stored in
                let before = stored
                try ownerChange.apply(to: &stored, passwordRecord: passwordRecord)
                var authentication = try ownerChange.authenticationContext(after: stored, before: before)
                // A link signs in with the added method.
                if ownerChange.isLinking { try responses.apply(.beforeSignIn, to: &stored, &authentication) }
                return OpenedSession(
                    account: stored.account, authentication: authentication, refreshToken: token.text)
            }
        }
    }

    private func mails(
        of ownerChange: OwnerChange, from before: StoredAccount, to after: StoredAccount,
        _ context: AccountNotices.Context
    ) throws -> [NewEmail] {
        var mails = try notices.emailChange(from: before.account, to: after.account, context)
        if !ownerChange.isLinking, ownerChange.changes.password != nil, let email = before.account.email {
            mails.append(notices.passwordChange(of: after.account, to: email, context))
        }
        let removed = before.account.passkeys.filter { passkey in
            !after.account.passkeys.contains { $0.credentialID == passkey.credentialID }
        }
        // To the address before the change.
        for passkey in removed { mails += notices.passkeyRemoval(of: passkey, before.account, context) }
        return mails
    }

    func delete(_ request: Identity.DeleteOwnAccount, _ call: BusCall) async throws -> EmptyReply {
        try await store.reply(to: call, at: now()) { try await checkAndDelete(request, call) }
    }

    private func checkAndDelete(_ request: Identity.DeleteOwnAccount, _ call: BusCall) async throws -> EmptyReply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let (principal, stored, project) = (session.principal, session.stored, session.project)
        guard request.accountID == nil || request.accountID == principal.accountID else {
            throw ServiceError(.accountMismatch)
        }
        guard project.configuration.allowsSelfDeletion else { throw ServiceError(.adminOnlyOperation) }
        let now = now()
        try await store.delete(
            stored.account.id, in: principal.realm, at: now,
            audit: AuditEntry(
                .accountDeleted, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID, at: now),
            idempotency: store.idempotentCall(for: call, at: now)
        ) { current in
            try current.requireActive(tokenIssuedAt: principal.issuedAt)
            try current.requireRecentSignIn(of: principal, at: now)
            try session.policy.requireRequestedFactor(in: session.authentication, of: current.account)
        }
        publish(.sessionsRevoked(principal.realm, principal.accountID))
        return EmptyReply()
    }
}

extension OwnerChange.Policy {
    init(_ project: Project) {
        self.init(
            allowsPasswords: project.configuration.allowsPasswordSignIn,
            wantsNewEmailVerified: project.configuration.preventsEmailEnumeration,
            sessions: SessionPolicy(project.configuration))
    }
}
