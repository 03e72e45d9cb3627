import Bus
import Contracts
import Vocabulary

/// Sends action codes by e-mail. In dev mode it lists them for test tools.
struct ActionCodeSendingHandler: IdentityComponent {
    let context: IdentityContext

    func send(
        _ request: Identity.SendActionCode, _ call: BusCall
    ) async throws -> Identity.SendActionCode.Reply {
        let sender = try await project(of: request.realm, for: request, call)
        let settings = try request.settings.checked(by: sender.configuration, isDev: isDev)
        try request.purpose.requireAllowed(by: sender.configuration)
        let recipient = try await recipient(of: request, call)
        let project = try await project(of: recipient.realm, for: request, call)
        let code = ActionCode(
            request.purpose, in: recipient.realm, accountID: recipient.accountID, email: recipient.email,
            newEmail: recipient.newEmail, at: now())
        let issued = try codes.issue(code, settings, locale: request.locale, project)
        let returnsLink = request.returnsLink && request.isByAdministrator
        let hidesAccounts =
            recipient.accountID == nil && !request.isByAdministrator && project.configuration.preventsEmailEnumeration
        let email =
            returnsLink
            ? nil
            : try issued.email(
                to: recipient.newEmail ?? recipient.email, request.locale, project, pages: context.actionPage)
        let account = try await issue(
            issued.new, to: recipient, email, isByAdministrator: request.isByAdministrator,
            hidesAccounts: hidesAccounts, request.client, call)
        let isUnknown = account == nil && request.purpose != .emailSignIn
        guard !isUnknown || hidesAccounts else {
            throw request.purpose == .passwordReset ? ServiceError(.emailNotFound) : ServiceError(.accountNotFound)
        }
        guard !returnsLink else {
            return .init(
                email: recipient.email, code: Secret(issued.text.text), link: issued.link.map { Secret($0) })
        }
        return .init(email: recipient.email)
    }

    /// Stores a code with its e-mail.
    /// - Parameter email: nil when none is sent.
    /// - Returns: the account that the code is for, if there is one.
    func issue(
        _ new: NewActionCode, to recipient: EmailRecipient, _ email: Notifier.SendEmail?,
        isByAdministrator: Bool = false, hidesAccounts: Bool, _ client: ClientContext, _ call: BusCall
    ) async throws -> Account? {
        let actor: AuditEntry.Actor =
            isByAdministrator ? .administrator : recipient.accountID.map { .account($0) } ?? .anonymous
        let (emailID, now) = (PendingEmail.newID(), now())
        let account = try await store.issue(
            new,
            from: isByAdministrator
                ? nil : EmailSender(network: countedNetwork(of: client), perProject: context.emailsPerProject),
            hidesAccounts: hidesAccounts,
            audit: AuditEntry(.actionCodeIssued, actor, recipient.realm, client, call, about: nil, at: now)
        ) { account, isDecoy in
            guard var email else { return nil }
            // To the address on record. The address of the request is used only if no account has it.
            email.recipient = recipient.newEmail ?? account?.email ?? recipient.email
            email.displayName = account?.displayName(shownTo: email.recipient)
            if new.code.purpose == .verifyAndChangeEmail { email.account = account.flatMap(AccountDescription.init) }
            return PendingEmail(id: emailID, email, code: new.code, isDecoy: isDecoy, trace: call.trace, at: now)
        }
        if email != nil { wakeEmailLoop() }
        return account
    }

    private func project(
        of realm: Realm, for request: Identity.SendActionCode, _ call: BusCall
    ) async throws -> Project {
        request.isByAdministrator
            ? try await projects.projectForAdministration(realm, traceID: call.trace.traceID)
            : try await projects.project(of: realm, traceID: call.trace.traceID)
    }

    struct EmailRecipient: Sendable {
        var realm: Realm
        /// From an ID token; nil if the request names an address.
        var accountID: AccountID?
        var email: EmailAddress
        var newEmail: EmailAddress?
    }

    func recipient(of request: Identity.SendActionCode, _ call: BusCall) async throws -> EmailRecipient {
        var newEmail: EmailAddress?
        if request.purpose == .verifyAndChangeEmail {
            guard let text = request.newEmail?.nilIfEmpty else { throw ServiceError(.missingNewEmail) }
            guard let address = EmailAddress(text) else { throw ServiceError(.invalidNewEmail) }
            newEmail = address
        }
        let usesIDToken = request.purpose == .verifyEmail || request.purpose == .verifyAndChangeEmail
        guard usesIDToken, !request.isByAdministrator || request.idToken != nil else {
            guard let text = request.email?.nilIfEmpty else { throw ServiceError(.missingEmail) }
            return .init(realm: request.realm, email: try EmailAddress(checking: text), newEmail: newEmail)
        }
        // As production does: without a session, the ID token is invalid.
        if request.purpose == .verifyEmail, request.idToken == nil { throw ServiceError(.invalidIDToken) }
        // A factor can be enrolled only once the address is verified.
        let session = try await authenticator.authenticate(
            request.idToken, in: request.realm, call,
            allowing: request.purpose == .verifyEmail ? .enrollment : .full)
        let (principal, stored) = (session.principal, session.stored)
        if newEmail != nil { try principal.requireRecentSignIn(at: now()) }
        guard let email = stored.account.email else { throw ServiceError(.missingEmail) }
        return .init(realm: principal.realm, accountID: principal.accountID, email: email, newEmail: newEmail)
    }

    func list(
        _ request: Identity.ListActionCodes, _ call: BusCall
    ) async throws -> Identity.ListActionCodes.Reply {
        guard isDev else { throw ServiceError(.operationNotAllowed) }
        _ = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        let codes = try await store.readableActionCodes(
            ActionCodeTable.withLinks, in: request.realm, at: now(), limit: Identity.ListActionCodes.maximumCount)
        return .init(
            codes: codes.compactMap { code, link in
                ActionLink.code(in: link).map {
                    .init(
                        purpose: code.purpose, email: code.email, newEmail: code.newEmail, code: Secret($0),
                        link: Secret(link))
                }
            })
    }
}

extension IdentityComponent {
    /// The network by which e-mails and wrong codes are counted; nil if it is unknown, and for loopback in dev mode, where
    /// limits by network are off.
    func countedNetwork(of client: ClientContext) -> ClientNetwork? {
        client.ipAddress.flatMap(ClientNetwork.init).flatMap { isDev && $0 == .loopback ? nil : $0 }
    }
}

private typealias AccountDescription = Notifier.SendEmail.AccountDescription

extension Notifier.SendEmail.AccountDescription {
    /// - Returns: nil for an account without an address.
    fileprivate init?(_ account: Account) {
        guard let email = account.email else { return nil }
        self.init(
            email: email, hasPassword: account.hasPassword, hasEmailLink: account.emailLinkSignIn,
            hasPhoneNumber: account.phoneNumber != nil, hasPasskeys: !account.passkeys.isEmpty,
            providers: account.providers.map(\.providerID))
    }
}

extension IssuedCode {
    /// - Throws: `invalidEmailTemplate` when the project's own text is invalid.
    fileprivate func email(
        to recipient: EmailAddress, _ locale: String?, _ project: Project, pages: WebURL
    ) throws(ServiceError) -> Notifier.SendEmail {
        let purpose = new.code.purpose.emailPurpose
        do throws(EmailTemplateError) {
            return project.email(
                purpose, to: recipient, in: new.code.realm, newEmail: new.code.newEmail, link: link, locale: locale,
                template: try project.configuration.emailTemplate(for: purpose, locale: locale), pages: pages)
        } catch {
            throw ServiceError(.invalidEmailTemplate, error.description)
        }
    }
}

extension ActionCode.Purpose {
    /// Checks that callers may request links of this purpose.
    fileprivate func requireAllowed(by configuration: ProjectConfiguration) throws(ServiceError) {
        switch self {
        case .passwordReset:
            guard configuration.allowsPasswordSignIn else { throw ServiceError(.operationNotAllowed) }
        case .emailSignIn:
            guard configuration.allowsEmailLinkSignIn else { throw ServiceError(.operationNotAllowed) }
        case .verifyEmail, .verifyAndChangeEmail: break
        case .recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition:
            throw ServiceError(.invalidRequest, "no client can request a code of \(mode)")
        }
    }

    fileprivate var emailPurpose: Notifier.EmailPurpose {
        switch self {
        case .passwordReset: .resetPassword
        case .emailSignIn: .emailSignIn
        case .verifyEmail: .verifyEmail
        case .verifyAndChangeEmail: .verifyAndChangeEmail
        case .recoverEmail: .emailChanged
        case .revertSecondFactorAddition: .secondFactorAdded
        case .revertPasskeyAddition: .passkeyAdded
        }
    }
}
