import Bus
import Contracts
import Vocabulary

/// Schedules the deletion of an account by its owner, restores the account, and deletes what is due.
struct AccountDeletionHandler: IdentityComponent {
    let context: IdentityContext

    private static let secondsPerDay = 24 * 60 * 60
    private static let accountsPerRead = 100

    func schedule(
        _ request: Identity.ScheduleOwnDeletion, _ call: BusCall
    ) async throws -> Identity.ScheduleOwnDeletion.Reply {
        try await store.reply(toChange: call, at: now()) { try await checkAndSchedule(request, call) }
    }

    private func checkAndSchedule(
        _ request: Identity.ScheduleOwnDeletion, _ call: BusCall
    ) async throws -> Identity.ScheduleOwnDeletion.Reply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let (principal, project) = (session.principal, session.project)
        guard project.configuration.allowsSelfDeletion else { throw ServiceError(.adminOnlyOperation) }
        let days = project.configuration.deletionGraceDays
        guard days > 0 else { throw ServiceError(.operationNotAllowed) }
        let now = now()
        let dueAt = try await store.latestTime(at: now) + .seconds(days * Self.secondsPerDay)
        let noticeContext = notices.context(project, locale: request.locale, call)
        return try await updater.change(
            principal.accountID, in: principal.realm,
            audit: AuditEntry(
                .deletionScheduled, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID, at: now),
            idempotency: store.idempotentCall(for: call, at: now),
            mails: { _, after in
                notices.scheduledDeletion(
                    of: after.account, at: dueAt, restoredAt: request.restorationURL, noticeContext)
            }
        ) { stored in
            try stored.requireActive(tokenIssuedAt: principal.issuedAt)
            try stored.requireRecentSignIn(of: principal, at: now)
            try session.policy.requireRequestedFactor(in: session.authentication, of: stored.account)
            stored.scheduleDeletion(at: dueAt, now: now)
            return Identity.ScheduleOwnDeletion.Reply(dueAt: dueAt)
        }
    }

    func restore(
        _ request: Identity.RestoreOwnAccount, _ call: BusCall
    ) async throws -> Identity.RestoreOwnAccount.Reply {
        let opened = try await store.reply(toChange: call, at: now()) { try await open(request, call) }
        return .init(account: opened.account, tokens: try await sessions.tokens(for: opened, request.client))
    }

    private func open(_ request: Identity.RestoreOwnAccount, _ call: BusCall) async throws -> OpenedSession {
        let session = try await authenticator.authenticateToContinue(
            request.idToken, in: request.realm, call, allowing: .restoration)
        let principal = session.principal
        let now = now()
        let (next, token) = sessions.open(
            for: principal.accountID, in: principal.realm, authentication: session.authentication,
            client: request.client, at: now)
        return try await updater.change(
            principal.accountID, in: principal.realm,
            audit: AuditEntry(
                .accountRestored, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID, at: now),
            idempotency: store.idempotentCall(for: call, at: now),
            session: { (_: StoredAccount, opened: OpenedSession) in
                var next = next
                next.authentication = opened.authentication
                return next
            }
        ) { stored in
            // An operator may have cancelled the deletion since.
            try stored.requireActive(tokenIssuedAt: principal.issuedAt, in: .restoration)
            stored.cancelDeletion(at: now)
            let authentication = try session.policy.authenticationContext(
                for: .init(
                    operation: .restoration, stored: stored, authentication: next.authentication,
                    presented: session.authentication))
            return OpenedSession(
                account: stored.account, authentication: authentication, refreshToken: token.text)
        }
    }

    /// Deletes the accounts whose time has come, as an administrator deletes them.
    /// - Parameter now: trusted.
    func deleteDue(at now: Moment, traceID: String) async throws {
        var isLast = false
        while !isLast {
            let due = try await store.dueDeletions(at: now, limit: Self.accountsPerRead)
            var deletions = 0
            for account in due {
                if try await delete(account, at: now, traceID: traceID) { deletions += 1 }
            }
            // Rows of a deleted tenant remain for a moment.
            isLast = due.count < Self.accountsPerRead || deletions == 0
        }
    }

    /// - Returns: false for an account that was restored or deleted since.
    private func delete(_ due: DueDeletion, at now: Moment, traceID: String) async throws -> Bool {
        do {
            try await store.delete(
                due.accountID, in: due.realm, at: now,
                audit: AuditEntry(
                    at: now, realm: due.realm, action: .accountDeleted, actor: .system, accountID: due.accountID,
                    traceID: traceID), idempotency: nil
            ) { current in
                try current.requireDueDeletion(at: now)
            }
        } catch let error as ServiceError where error.code == .accountNotFound {
            return false
        }
        publish(.sessionsRevoked(due.realm, due.accountID))
        return true
    }
}
