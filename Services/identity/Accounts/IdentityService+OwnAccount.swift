import Bus
import Contracts
import Vocabulary

/// What people do with their own account, by an ID token.
extension IdentityService {
    func lookUpOwnAccount(
        _ request: Identity.LookUpOwnAccount, _ call: BusCall
    ) async throws -> Identity.LookUpOwnAccount.Reply {
        let session = try await session(behind: request.idToken, in: request.realm, call, allowing: .enrollment)
        return .init(account: session.stored.account)
    }

    func updateOwnAccount(
        _ request: Identity.UpdateOwnAccount, _ call: BusCall
    ) async throws -> Identity.UpdateOwnAccount.Reply {
        let opened =
            if let recorded = try await dependencies.store.recordedReply(
                ChangeResult<OpenedSession>.self, idempotentCall(for: call))
            {
                recorded.reply
            } else {
                try await update(request, call)
            }
        return .init(account: opened.account, tokens: try await tokens(for: opened, request.client))
    }

    private func update(_ request: Identity.UpdateOwnAccount, _ call: BusCall) async throws -> OpenedSession {
        let session = try await continuedSession(behind: request.idToken, in: request.realm, call)
        guard request.accountID == nil || request.accountID == session.principal.accountID else {
            throw IdentityError.accountMismatch
        }
        let project = session.project
        let action: AuditEntry.Action =
            request.changes.password != nil
            ? .passwordChanged : request.changes.email != nil ? .emailChanged : .accountUpdated
        return try await make(
            OwnerChange(
                changes: request.changes, principal: session.principal, presented: session.authentication,
                policy: .init(project), now: dependencies.now()),
            by: session, project, action, locale: request.locale, request.client, call)
    }

    /// Gives the account behind an ID token an e-mail address and a password to sign in with.
    func linkPassword(
        _ request: Identity.SignUp, to idToken: Secret<String>, _ call: BusCall
    ) async throws -> OpenedSession {
        if let recorded = try await dependencies.store.recordedReply(
            ChangeResult<OpenedSession>.self, idempotentCall(for: call))
        {
            return recorded.reply
        }
        let session = try await continuedSession(behind: idToken, in: request.realm, call)
        let project = session.project
        guard project.configuration.allowsPasswordSignIn else { throw IdentityError.operationNotAllowed }
        let (email, password) = try credentials(request.email, request.password?.reveal())
        let changes = Identity.OwnAccountChanges(
            email: email.rawValue, password: Secret(password), displayName: request.displayName?.nilIfEmpty,
            photoURL: request.photoURL?.nilIfEmpty)
        return try await make(
            OwnerChange(
                changes: changes, principal: session.principal, presented: session.authentication,
                policy: .init(project),
                now: dependencies.now(), isLinking: true),
            by: session, project, .passwordLinked, locale: request.locale, request.client, call)
    }

    /// Checks, hashes, checks again inside the transaction, and goes on with a session that knows of the change.
    private func make(
        _ ownerChange: OwnerChange, by session: AuthenticatedSession, _ project: Project, _ action: AuditEntry.Action,
        locale: String?, _ client: ClientContext, _ call: BusCall
    ) async throws -> OpenedSession {
        let before = session.stored.account
        try ownerChange.check(session.stored)
        var passwordRecord: String?
        if let text = ownerChange.changes.password?.reveal() {
            let email = ownerChange.changes.email.flatMap(EmailAddress.init) ?? before.email
            passwordRecord = try await record(of: text, for: email, project, call)
        }
        let (next, token) = open(
            for: before.id, in: before.realm, authentication: session.authentication, at: ownerChange.now)
        let context = notices(project, locale: locale, call)
        return try await change(
            before.id, in: before.realm,
            audit: auditEntry(action, .account(before.id), before.realm, client, call, about: before.id),
            once: idempotentCall(for: call),
            session: { (_: StoredAccount, opened: OpenedSession) in
                var next = next
                next.authentication = opened.authentication
                return next
            },
            mails: { before, after in
                var mails = try emailChangeNotice(from: before.account, to: after.account, context)
                if !ownerChange.isLinking, ownerChange.changes.password != nil, let email = before.account.email {
                    mails.append(passwordChangeNotice(of: after.account, to: email, context))
                }
                return mails
            }
        ) { [passwordRecord] stored in
            let wasAnonymous = stored.account.isAnonymous
            try ownerChange.apply(to: &stored, passwordRecord: passwordRecord)
            return OpenedSession(
                account: stored.account,
                authentication: try ownerChange.authenticationContext(after: stored, wasAnonymous: wasAnonymous),
                refreshToken: token.text)
        }
    }

    func deleteOwnAccount(_ request: Identity.DeleteOwnAccount, _ call: BusCall) async throws -> EmptyReply {
        if let recorded = try await dependencies.store.recordedReply(EmptyReply.self, idempotentCall(for: call)) {
            return recorded
        }
        let session = try await session(behind: request.idToken, in: request.realm, call)
        let (principal, stored, project) = (session.principal, session.stored, session.project)
        guard request.accountID == nil || request.accountID == principal.accountID else {
            throw IdentityError.accountMismatch
        }
        guard project.configuration.allowsSelfDeletion else { throw IdentityError.adminOnlyOperation }
        let now = dependencies.now()
        try await dependencies.store.delete(
            stored.account.id, in: principal.realm, at: now,
            audit: auditEntry(
                .accountDeleted, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID),
            once: idempotentCall(for: call)
        ) { current in
            try current.requireActive(tokenIssuedAt: principal.issuedAt)
            if !current.account.isAnonymous { try principal.requireRecentSignIn(at: now) }
        }
        publishSessionsRevoked(principal.accountID, in: principal.realm)
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
