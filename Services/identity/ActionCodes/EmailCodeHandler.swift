import Bus
import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// Sends e-mail codes, and verifies addresses with them. In dev mode it lists them for test tools. `EmailSignInHandler`
/// signs in with them.
struct EmailCodeHandler: IdentityComponent {
    let context: IdentityContext

    func send(_ request: Identity.SendEmailCode, _ call: BusCall) async throws -> Identity.SendEmailCode.Reply {
        let sending = ActionCodeSendingHandler(context: context)
        let recipient = try await sending.recipient(
            of: Identity.SendActionCode(
                realm: request.realm, purpose: request.purpose.actionPurpose, email: request.email,
                idToken: request.idToken), call)
        let project = try await projects.project(of: recipient.realm, traceID: call.trace.traceID)
        guard project.configuration.allowsEmailCodes else { throw ServiceError(.operationNotAllowed) }
        let issued = try codes.issueDigits(
            request.purpose, in: recipient.realm, accountID: recipient.accountID, email: recipient.email, at: now())
        let email = project.email(
            request.purpose.emailPurpose, to: recipient.email, in: recipient.realm, code: issued.digits?.text,
            locale: request.locale, template: nil, pages: context.actionPage)
        let account = try await sending.issue(
            issued.new, to: recipient, email, hidesAccounts: recipient.accountID == nil, request.client, call)
        guard account != nil || recipient.accountID == nil else { throw ServiceError(.accountNotFound) }
        return .init(sessionInfo: Secret(issued.text.text))
    }

    func verify(
        _ request: Identity.VerifyEmailWithCode, _ call: BusCall
    ) async throws -> Identity.VerifyEmailWithCode.Reply {
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        guard project.configuration.allowsEmailCodes else { throw ServiceError(.operationNotAllowed) }
        let typed = try typedCode(request.code, in: request.sessionInfo, request.client)
        let now = now()
        let verified = try await store.verifyEmail(
            byCode: typed, in: request.realm, at: now,
            audit: AuditEntry(.emailVerified, .anonymous, request.realm, request.client, call, about: nil, at: now),
            idempotency: store.idempotentCall(for: call, at: now)
        ).get()
        if verified.revokesSessions { publish(.sessionsRevoked(request.realm, verified.reply.id)) }
        return .init(account: verified.reply)
    }

    func list(_ request: Identity.ListEmailCodes, _ call: BusCall) async throws -> Identity.ListEmailCodes.Reply {
        guard isDev else { throw ServiceError(.operationNotAllowed) }
        _ = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        let codes = try await store.readableActionCodes(
            ActionCodeTable.withDigits, in: request.realm, at: now(), limit: Identity.ListActionCodes.maximumCount)
        return .init(
            codes: try codes.compactMap { code, text in
                let readable = try WireJSON.decodeUnchecked(ReadableEmailCode.self, from: Data(text.utf8))
                return Identity.EmailCodePurpose(code.purpose).map {
                    .init(purpose: $0, email: code.email, code: readable.digits, sessionInfo: readable.sessionInfo)
                }
            })
    }
}

extension Identity.EmailCodePurpose {
    fileprivate var emailPurpose: Notifier.EmailPurpose {
        switch self {
        case .signIn: .emailSignInCode
        case .verifyEmail: .emailVerificationCode
        }
    }
}

extension IdentityComponent {
    /// The typed code of a request.
    /// - Throws: `missingVerificationSession`, `missingCode`, `invalidVerificationSession`.
    func typedCode(
        _ code: Secret<String>?, in sessionInfo: Secret<String>?, _ client: ClientContext
    ) throws(ServiceError) -> TypedEmailCode {
        guard let sessionInfo = sessionInfo?.reveal().nilIfEmpty else {
            throw ServiceError(.missingVerificationSession)
        }
        guard let code, !code.reveal().isEmpty else { throw ServiceError(.missingCode) }
        guard let text = ActionCode.Text(sessionInfo) else { throw ServiceError(.invalidVerificationSession) }
        let session = store.sessionHash(of: text)
        return TypedEmailCode(
            session: session, digest: store.digest(of: code, in: session), client: client,
            network: countedNetwork(of: client))
    }
}
