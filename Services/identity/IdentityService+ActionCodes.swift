import Bus
import Contracts
import Vocabulary

// MARK: Sending

extension IdentityService {
    func sendActionCode(
        _ request: Identity.SendActionCode, _ call: BusCall
    ) async throws -> Identity.SendActionCode.Reply {
        let sender = try await project(of: request.realm, for: request, call)
        let settings = try request.settings.checked(by: sender.configuration, isDev: dependencies.isDev)
        let addressee = try await addressee(of: request, sender)
        let project = try await project(of: addressee.realm, for: request, call)
        let code = ActionCode(
            request.purpose, in: addressee.realm, accountID: addressee.accountID, email: addressee.email,
            newEmail: addressee.newEmail, at: dependencies.now())
        let issued = try issue(code, settings, locale: request.locale, project)
        let actor: AuditEntry.Actor =
            request.isByAdministrator ? .administrator : addressee.accountID.map { .account($0) } ?? .stranger
        let account = try await dependencies.store.issue(
            issued.new, isCounted: !request.isByAdministrator,
            audit: entry(.actionCodeIssued, actor, addressee.realm, request.client, call, about: nil))
        let isUnknown = account == nil && request.purpose != .emailSignIn
        let hidesUnknown =
            request.purpose == .passwordReset && !request.isByAdministrator
            && project.configuration.hidesRegisteredEmails
        guard !isUnknown || hidesUnknown else {
            throw request.purpose == .passwordReset ? IdentityError.emailNotFound : .accountNotFound
        }
        if request.returnsLink && request.isByAdministrator {
            return .init(
                email: addressee.email, code: Secret(issued.new.text.text), link: Secret(issued.link))
        }
        let email = try issued.email(to: addressee.newEmail ?? addressee.email, account, request.locale, project)
        if !hidesUnknown {
            try await dependencies.notify(email)
        } else if !isUnknown {
            // Nobody waits for the notifier: an answer that came later than that to an unknown address would tell.
            handOver(email, call.trace)
        }
        return .init(email: addressee.email)
    }

    private func project(
        of realm: Realm, for request: Identity.SendActionCode, _ call: BusCall
    ) async throws -> Project {
        request.isByAdministrator
            ? try await dependencies.projects.administered(realm, traceID: call.trace.traceID)
            : try await dependencies.projects.project(of: realm, traceID: call.trace.traceID)
    }

    private struct Addressee {
        var realm: Realm
        /// From an ID token; nil for whoever named an address.
        var accountID: AccountID?
        var email: EmailAddress
        var newEmail: EmailAddress?
    }

    private func addressee(of request: Identity.SendActionCode, _ project: Project) async throws -> Addressee {
        var newEmail: EmailAddress?
        switch request.purpose {
        case .passwordReset:
            guard project.configuration.allowsPasswordSignIn else { throw IdentityError.operationNotAllowed }
        case .emailSignIn:
            guard project.configuration.allowsEmailLinkSignIn else { throw IdentityError.operationNotAllowed }
        case .verifyEmail: break
        case .verifyAndChangeEmail:
            guard let text = request.newEmail?.nilIfEmpty else { throw IdentityError.missingNewEmail }
            guard let address = EmailAddress(text) else { throw IdentityError.invalidNewEmail }
            newEmail = address
        case .recoverEmail, .revertSecondFactorAddition:
            throw WireError(.invalidRequest, "nobody can ask for a code of \(request.purpose.mode)")
        }
        let provesThemselves = request.purpose == .verifyEmail || request.purpose == .verifyAndChangeEmail
        guard provesThemselves, !request.isByAdministrator || request.idToken != nil else {
            guard let text = request.email?.nilIfEmpty else { throw IdentityError.missingEmail }
            return .init(realm: request.realm, email: try EmailAddress(checking: text), newEmail: newEmail)
        }
        let (principal, stored) = try await authenticate(request.idToken, in: request.realm)
        if newEmail != nil { try demandRecentSignIn(principal) }
        guard let email = stored.account.email else { throw IdentityError.missingEmail }
        return .init(realm: principal.realm, accountID: principal.accountID, email: email, newEmail: newEmail)
    }

    func listActionCodes(
        _ request: Identity.ListActionCodes, _ call: BusCall
    ) async throws -> Identity.ListActionCodes.Reply {
        guard dependencies.isDev else { throw IdentityError.operationNotAllowed }
        _ = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        let codes = try await dependencies.store.readableActionCodes(
            in: request.realm, at: dependencies.now(), limit: Identity.ListActionCodes.maximumCount)
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

// MARK: - Making and telling

extension IdentityService {
    /// A code with the link around it.
    struct IssuedCode {
        var new: NewActionCode
        var link: String
    }

    /// Draws a code and builds its link. Nothing is stored yet.
    func issue(
        _ code: ActionCode, _ settings: CheckedActionSettings, locale: String?, _ project: Project
    ) throws -> IssuedCode {
        let text = ActionCode.Text(bytes: dependencies.randomBytes(ActionCode.Text.byteCount))
        let configuration = project.configuration
        guard let page = configuration.actionPage(of: project.id, installed: dependencies.actionPage) else {
            throw IdentityError.invalidConfiguration("notification.sendEmail.callbackUri must be an absolute URL")
        }
        let link = ActionLink(
            page: page, purpose: code.purpose, apiKey: project.apiKey,
            language: locale?.nilIfEmpty ?? configuration.notification?.defaultLocale?.nilIfEmpty ?? "en",
            tenant: code.realm.tenant, settings: settings
        ).text(with: text)
        return IssuedCode(
            new: .init(
                text: text, code: code, owner: code.accountID, readableLink: dependencies.isDev ? link : nil),
            link: link)
    }

    /// Tells whoever reads the former address of an account that it changed, with a link that takes the change back. A
    /// former address that nobody had proved to own gets the notice alone: its reader may be anybody.
    func announceEmailChange(
        from before: Account, to after: Account, locale: String?, _ project: Project, _ call: BusCall
    ) async throws {
        guard let previous = before.email, previous.folded != after.email?.folded else { return }
        var link: String?
        if before.emailVerified {
            let issued = try issue(
                ActionCode(
                    .recoverEmail, in: after.realm, accountID: after.id, email: previous, newEmail: after.email,
                    at: dependencies.now()), .none, locale: locale, project)
            try await dependencies.store.add(issued.new)
            link = issued.link
        }
        handOver(
            try project.email(
                .emailChanged, to: previous, after, newEmail: after.email, link: link, locale: locale), call.trace)
    }

    func announcePasswordChange(
        of account: Account, to email: EmailAddress, locale: String?, _ project: Project, _ call: BusCall
    ) throws {
        handOver(try project.email(.passwordChanged, to: email, account, locale: locale), call.trace)
    }

    /// Tells the owner of an account of a new second factor, with a link that takes it away again.
    /// - Parameter hint: names the factor, fit to be read by others.
    func announceSecondFactor(
        _ factorID: FactorID, hint: String, of account: Account, locale: String?, _ project: Project, _ call: BusCall
    ) async throws {
        guard let email = account.email else { return }
        let issued = try issue(
            ActionCode(
                .revertSecondFactorAddition, in: account.realm, accountID: account.id, email: email,
                factorID: factorID, at: dependencies.now()), .none, locale: locale, project)
        try await dependencies.store.add(issued.new)
        handOver(
            try project.email(
                .secondFactorAdded, to: email, account, secondFactor: hint, link: issued.link, locale: locale),
            call.trace)
    }

    /// Tells the owner of what stands, whatever becomes of the notice: a failure is reported.
    func announce(
        _ account: Account, _ call: BusCall, _ notice: (Project) async throws -> Void
    ) async {
        do {
            try await notice(
                try await dependencies.projects.project(of: account.realm, traceID: call.trace.traceID))
        } catch {
            dependencies.report(error, call.trace)
        }
    }

    /// Hands an e-mail to the notifier without waiting for it. What it tells of has happened already, and a mail that
    /// cannot be handed over undoes nothing: it is reported.
    func handOver(_ email: Notifier.SendEmail, _ trace: TraceContext) {
        Task { [dependencies] in
            do {
                try await dependencies.notify(email)
            } catch {
                dependencies.report(error, trace)
            }
        }
    }
}

extension IdentityService.IssuedCode {
    fileprivate func email(
        to recipient: EmailAddress, _ account: Account?, _ locale: String?, _ project: Project
    ) throws -> Notifier.SendEmail {
        try project.email(
            new.code.purpose.emailPurpose, to: recipient, realm: new.code.realm, displayName: account?.displayName,
            newEmail: new.code.newEmail, link: link, locale: locale)
    }
}

extension Project {
    /// An e-mail to the owner of an account, in this project's words.
    /// - Throws: `invalidEmailTemplate` when the project's own text is none.
    func email(
        _ purpose: Notifier.EmailPurpose, to recipient: EmailAddress, _ account: Account,
        newEmail: EmailAddress? = nil, secondFactor: String? = nil, link: String? = nil, locale: String?
    ) throws -> Notifier.SendEmail {
        try email(
            purpose, to: recipient, realm: account.realm, displayName: account.displayName, newEmail: newEmail,
            secondFactor: secondFactor, link: link, locale: locale)
    }

    fileprivate func email(
        _ purpose: Notifier.EmailPurpose, to recipient: EmailAddress, realm: Realm, displayName: String?,
        newEmail: EmailAddress? = nil, secondFactor: String? = nil, link: String?, locale: String?
    ) throws -> Notifier.SendEmail {
        let template: Notifier.EmailTemplate?
        do throws(EmailTemplateFault) {
            template = try configuration.emailTemplate(for: purpose)
        } catch {
            throw WireError(.invalidEmailTemplate, error.description)
        }
        return Notifier.SendEmail(
            realm: realm, recipient: recipient, purpose: purpose, locale: locale,
            defaultLocale: configuration.notification?.defaultLocale, appName: id.rawValue, link: link,
            displayName: displayName, newEmail: newEmail, secondFactor: secondFactor, template: template)
    }
}

extension ActionCode.Purpose {
    fileprivate var emailPurpose: Notifier.EmailPurpose {
        switch self {
        case .passwordReset: .resetPassword
        case .emailSignIn: .emailSignIn
        case .verifyEmail: .verifyEmail
        case .verifyAndChangeEmail: .verifyAndChangeEmail
        case .recoverEmail: .emailChanged
        case .revertSecondFactorAddition: .secondFactorAdded
        }
    }
}
