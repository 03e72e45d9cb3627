import Bus
import Contracts
import Vocabulary

/// Mails that tell the owner of an account what has happened to it.
///
/// Each is stored in the transaction of what it tells of (`MailsOfChange`), so that neither exists without the other, and
/// given to the notifier by `MailDispatcher`. Hence these functions only make values: the randomness in them is drawn
/// anew when a transaction runs again.
extension IdentityService {
    /// What notices of one request have in common.
    struct NoticeContext: Sendable {
        var project: Project
        /// As the client asked for it.
        var locale: String?
        var trace: TraceContext
        var now: Moment
    }

    func notices(_ project: Project, locale: String?, _ call: BusCall) -> NoticeContext {
        NoticeContext(project: project, locale: locale, trace: call.trace, now: dependencies.now())
    }

    /// Tells the reader of the former address of an account that it was changed or removed, with a link that takes that
    /// back. A former address that was never verified gets the notice alone: its reader may be anybody.
    func emailChangeNotice(
        from before: Account, to after: Account, _ context: NoticeContext
    ) throws -> [NewMail] {
        guard let previous = before.email, previous != after.email else { return [] }
        var issued: IssuedCode?
        if before.emailVerified {
            issued = try issue(
                ActionCode(
                    .recoverEmail, in: after.realm, accountID: after.id, email: previous, newEmail: after.email,
                    at: context.now), .none, locale: context.locale, context.project)
        }
        let purpose: Notifier.EmailPurpose = after.email == nil ? .emailRemoved : .emailChanged
        return [notice(purpose, to: previous, before, newEmail: after.email, issued, context)]
    }

    func passwordChangeNotice(of account: Account, to email: EmailAddress, _ context: NoticeContext) -> NewMail {
        notice(.passwordChanged, to: email, account, nil, context)
    }

    /// Tells the owner of an account of a new second factor, with a link that takes it away again.
    func secondFactorNotice(of factor: SecondFactor, _ account: Account, _ context: NoticeContext) throws -> [NewMail] {
        guard let email = account.email else { return [] }
        let issued = try issue(
            ActionCode(
                .revertSecondFactorAddition, in: account.realm, accountID: account.id, email: email,
                factorID: factor.id, at: context.now), .none, locale: context.locale, context.project)
        return [notice(.secondFactorAdded, to: email, account, secondFactor: factor.hint, issued, context)]
    }

    func secondFactorRemovalNotice(
        of factor: SecondFactor, _ account: Account, _ context: NoticeContext
    ) -> [NewMail] {
        guard let email = account.email else { return [] }
        return [notice(.secondFactorRemoved, to: email, account, secondFactor: factor.hint, nil, context)]
    }

    func recoveryCodeNotice(of account: Account, _ context: NoticeContext) -> [NewMail] {
        guard let email = account.email else { return [] }
        return [notice(.recoveryCodeUsed, to: email, account, nil, context)]
    }

    private func notice(
        _ purpose: Notifier.EmailPurpose, to recipient: EmailAddress, _ account: Account,
        newEmail: EmailAddress? = nil, secondFactor: String? = nil, _ issued: IssuedCode?, _ context: NoticeContext
    ) -> NewMail {
        var template: Notifier.EmailTemplate?
        do throws(EmailTemplateError) {
            template = try context.project.configuration.emailTemplate(for: purpose)
        } catch {
            // What happened is more important than the words for it: ours do.
            dependencies.reportTemplate(error, context.trace)
        }
        var email = context.project.email(
            purpose, to: recipient, in: account.realm, newEmail: newEmail, secondFactor: secondFactor,
            link: issued?.link, locale: context.locale, template: template)
        email.displayName = account.displayName(shownTo: recipient)
        return NewMail(
            mail: PendingMail(
                id: newMailID(), email, code: issued?.new.code, trace: context.trace, at: context.now),
            code: issued?.new)
    }
}
