import Bus
import Contracts
import SQL
import Vocabulary

/// The mail to the owner of an account about a sign-in with a new device from a new network. It is decided and stored in
/// the transaction that opens the session.
struct SignInNotice: IdentityComponent {
    let context: IdentityContext
    let client: ClientContext
    private let mail: AccountNotices.Context

    init(_ context: IdentityContext, _ project: Project, _ client: ClientContext, _ call: BusCall) {
        self.context = context
        self.client = client
        mail = AccountNotices(context: context).context(project, locale: client.locale, call)
    }

    /// Stores the notice about a session that was just opened, if there is one: once for each new client, and not for the
    /// first session of an account. The client is known afterwards.
    /// - Parameter before: the account before the sign-in.
    func enqueue(after session: Session, of before: Account, _ transaction: borrowing SQLTransaction) throws {
        guard mail.project.configuration.sendsSignInNotices, session.isNewSignIn, before.hasHadSession,
            before.email != nil,
            try store.recordIfNew(
                client, of: before.id, in: before.realm, at: session.createdAt, transaction),
            try store.reserveSignInNotice(
                to: before, within: context.emailsPerProject, at: session.createdAt, transaction)
        else { return }
        try store.enqueue(try notices.signIn(session, before, mail), transaction)
    }
}

extension Session {
    /// Its user has signed in: not the application with a custom token, nor somebody anonymous.
    fileprivate var isNewSignIn: Bool {
        let unnoticed = [AuthenticationContext.anonymousProvider, AuthenticationContext.customProvider]
        return authentication.signInID == nil && !unnoticed.contains(authentication.signInProvider)
    }
}

extension Account {
    /// An import does not set the time, so the first session after it is the first.
    fileprivate var hasHadSession: Bool { lastRefreshAt != nil }
}
