import Bus
import Contracts
import ServiceRuntime
import Vocabulary

/// E-mails that inform the owner of an account about a change.
///
/// Each is stored in the transaction of its change (`EmailsOfChange`) and given to the notifier by `EmailOutbox`.
/// These functions only make values: a transaction that runs again calls them again.
struct AccountNotices: IdentityComponent {
    let context: IdentityContext

    /// The common values of all notices of one request.
    struct Context: Sendable {
        var project: Project
        /// The locale that the client requested.
        var locale: String?
        var trace: TraceContext
        var now: Moment
    }

    func context(_ project: Project, locale: String?, _ call: BusCall) -> Context {
        Context(project: project, locale: locale, trace: call.trace, now: now())
    }

    /// To the former address after a change or removal, with a link that reverts the change. A former address that was
    /// never verified gets no link, because another user may read it.
    func emailChange(from before: Account, to after: Account, _ context: Context) throws -> [NewEmail] {
        guard let previous = before.email, previous != after.email else { return [] }
        var issued: IssuedCode?
        if before.emailVerified {
            issued = try codes.issue(
                ActionCode(
                    .recoverEmail, in: after.realm, accountID: after.id, email: previous, newEmail: after.email,
                    at: context.now), .none, locale: context.locale, context.project)
        }
        let purpose: Notifier.EmailPurpose = after.email == nil ? .emailRemoved : .emailChanged
        return [notice(purpose, to: previous, before, newEmail: after.email, issued, context)]
    }

    func passwordChange(of account: Account, to email: EmailAddress, _ context: Context) -> NewEmail {
        notice(.passwordChanged, to: email, account, nil, context)
    }

    /// With a link that removes the new factor.
    func secondFactorAddition(of factor: SecondFactor, _ account: Account, _ context: Context) throws -> [NewEmail] {
        guard let email = account.email else { return [] }
        let issued = try codes.issue(
            ActionCode(
                .revertSecondFactorAddition, in: account.realm, accountID: account.id, email: email,
                factorID: factor.id, at: context.now), .none, locale: context.locale, context.project)
        return [notice(.secondFactorAdded, to: email, account, secondFactor: factor.hint, issued, context)]
    }

    func secondFactorRemoval(of factor: SecondFactor, _ account: Account, _ context: Context) -> [NewEmail] {
        guard let email = account.email else { return [] }
        return [notice(.secondFactorRemoved, to: email, account, secondFactor: factor.hint, nil, context)]
    }

    /// With a link that removes the new passkey, also to an unverified address: its reader can claim the account anyway,
    /// by a password reset.
    func passkeyAddition(of passkey: AccountPasskey, _ account: Account, _ context: Context) throws -> [NewEmail] {
        guard let email = account.email else { return [] }
        let issued = try codes.issue(
            ActionCode(
                .revertPasskeyAddition, in: account.realm, accountID: account.id, email: email,
                credentialID: passkey.credentialID, at: context.now), .none, locale: context.locale, context.project)
        return [
            notice(
                .passkeyAdded, to: email, account, passkey: account.name(of: passkey, shownTo: email), issued, context)
        ]
    }

    func passkeyRemoval(of passkey: AccountPasskey, _ account: Account, _ context: Context) -> [NewEmail] {
        guard let email = account.email else { return [] }
        return [
            notice(
                .passkeyRemoved, to: email, account, passkey: account.name(of: passkey, shownTo: email), nil, context)
        ]
    }

    /// About identities that a sign-in has added to the account of a verified address, to that address.
    func providerLinks(from before: Account, to after: Account, _ context: Context) -> [NewEmail] {
        guard let email = after.email, after.emailVerified, before.email == email else { return [] }
        return after.links(addedTo: before).map {
            notice(.providerLinked, to: email, after, provider: $0.providerID, nil, context)
        }
    }

    /// About an identity with the address of the account that was not let in, because the account has another one of the
    /// provider.
    func providerRefusal(of identity: ProviderIdentity, _ account: Account, _ context: Context) -> [NewEmail] {
        guard let email = account.email, account.emailVerified else { return [] }
        return [notice(.providerRefused, to: email, account, provider: identity.providerID, nil, context)]
    }

    func recoveryCodeUse(of account: Account, _ context: Context) -> [NewEmail] {
        guard let email = account.email else { return [] }
        return [notice(.recoveryCodeUsed, to: email, account, nil, context)]
    }

    /// About a sign-in with a new device from a new network. The link of an account with a password resets it, and thereby
    /// ends the sessions that were opened with it.
    func signIn(_ session: Session, _ account: Account, _ context: Context) throws -> [NewEmail] {
        guard let email = account.email else { return [] }
        var issued: IssuedCode?
        if account.hasPassword, context.project.configuration.allowsPasswordSignIn {
            issued = try codes.issue(
                ActionCode(
                    .passwordReset, in: account.realm, accountID: account.id, email: email, at: context.now), .none,
                locale: context.locale, context.project)
        }
        let signIn = Notifier.SendEmail.SignInDescription(
            time: session.createdAt.minuteText, device: session.device,
            network: session.clientAddress.flatMap(ClientNetwork.init)?.shownText)
        return [notice(.newSignIn, to: email, account, signIn: signIn, issued, context)]
    }

    /// About an account that its owner has deleted, and that is deleted later.
    /// - Parameter page: where a sign-in restores it.
    func scheduledDeletion(
        of account: Account, at dueAt: Moment, restoredAt page: String, _ context: Context
    ) -> [NewEmail] {
        guard let email = account.email else { return [] }
        return [
            notice(.deletionScheduled, to: email, account, deletionTime: dueAt.minuteText, link: page, nil, context)
        ]
    }

    private func notice(
        _ purpose: Notifier.EmailPurpose, to recipient: EmailAddress, _ account: Account,
        newEmail: EmailAddress? = nil, secondFactor: String? = nil, passkey: String? = nil, provider: String? = nil,
        signIn: Notifier.SendEmail.SignInDescription? = nil, deletionTime: String? = nil, link: String? = nil,
        _ issued: IssuedCode?, _ context: Context
    ) -> NewEmail {
        var template: Notifier.EmailTemplate?
        do throws(EmailTemplateError) {
            template = try context.project.configuration.emailTemplate(for: purpose, locale: context.locale)
        } catch {
            // The notice must be sent, so the standard text replaces the project's.
            self.context.reportTemplate(error, context.trace)
        }
        var email = context.project.email(
            purpose, to: recipient, in: account.realm, newEmail: newEmail, secondFactor: secondFactor,
            passkey: passkey, provider: provider, link: issued?.link ?? link, locale: context.locale,
            template: template,
            pages: self.context.actionPage)
        email.displayName = account.displayName(shownTo: recipient)
        email.signIn = signIn
        email.deletionTime = deletionTime
        return NewEmail(
            mail: PendingEmail(
                id: PendingEmail.newID(), email, code: issued?.new.code, trace: context.trace, at: context.now),
            code: issued?.new, unprovenAccount: account.proves(recipient) ? nil : account.id)
    }
}

extension Moment {
    /// `2026-11-22 08:15 UTC`: understood in every language.
    fileprivate var minuteText: String {
        let text = text
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
