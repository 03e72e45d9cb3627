import Bus
import Contracts
import Vocabulary

/// Replaces a password for a client that gives the current one.
struct PasswordChangeHandler: IdentityComponent {
    let context: IdentityContext

    func change(_ request: Identity.ChangePassword, _ call: BusCall) async throws -> Identity.ChangePassword.Reply {
        try hasher.requireFreeSlot()
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        let attempt = try await verification.attempt(
            request.email, request.oldPassword, .passwordChanged, in: request.realm, request.client, project, call)
        guard let text = request.newPassword?.reveal().nilIfEmpty else { throw ServiceError(.missingPassword) }
        return try await verification.withSlot(for: attempt) {
            let reserved = try await verification.reserve(attempt)
            let verified = try await verification.verify(attempt, reserved, by: call.deadline)
            return try await verification.refundingOtherRefusals(verified) {
                let policy = SessionPolicy(project.configuration)
                try policy.requireNoRequestedFactor(of: verified.stored.account)
                let email = verified.stored.account.email
                let passwordRecord = try await newPasswords.record(of: text, for: email, project, by: call.deadline)
                let now = now()
                let reply = try await replace(
                    verified, by: passwordRecord, policy, at: now,
                    notices.context(project, locale: request.locale, call))
                try await store.refund(reserved, in: request.realm, at: now)
                return reply
            }
        }
    }

    private func replace(
        _ verified: VerifiedPassword, by passwordRecord: String, _ policy: SessionPolicy, at now: Moment,
        _ context: AccountNotices.Context
    ) async throws -> Identity.ChangePassword.Reply {
        let account = verified.stored.account
        return try await updater.change(
            account.id, in: account.realm, audit: verified.audit, idempotency: nil,
            mails: { _, after in
                let recipient = after.account.email ?? verified.attempt.email
                return [notices.passwordChange(of: after.account, to: recipient, context)]
            }
        ) { current in
            try verified.requireUnchanged(current)
            try policy.requireNoRequestedFactor(of: current.account)
            current.setPassword(passwordRecord, at: now)
            return Identity.ChangePassword.Reply(account: current.account)
        }
    }
}
