// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import SQL
    import TestSupport
    import Vocabulary

    @testable import MFATOTPService

    /// What was promised to the clients about their accounts. It knows only their requests and replies, and their times.
    ///
    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class AccountJudge: @unchecked Sendable {
        typealias Instant = ContinuousClock.Instant

        /// What is known of the account of an address in its realm.
        final class Account {
            /// In reports.
            let name: String
            /// Nil: there is no account. Each password is written once.
            var password = AccountHistory<String?>(nil)
            var isDisabled = AccountHistory(false)
            /// Whether the owner has verified the address.
            var isProven = AccountHistory(false)
            /// The secret of the TOTP factor.
            var factor = AccountHistory<String?>(nil)
            /// The phones that may be factors besides.
            var phones: [Phone]
            /// Those that its authenticators may create.
            var passkeys: [Passkey]
            /// Whether each of `Identity.all` is linked to it.
            var isLinked = AccountJudge.Identity.all.map { _ in AccountHistory(false) }
            /// What ends all sessions besides the password, numbered.
            var revocations = AccountHistory(0)

            init(_ name: String, phones: [String], passkeys: [CredentialID]) {
                self.name = name
                self.passkeys = passkeys.map(Passkey.init)
                self.phones = phones.map { Phone(number: $0) }
            }
        }

        struct Phone {
            let number: String
            /// Whether it is a factor of the account.
            var isFactor = AccountHistory(false)
        }

        enum Factor {
            case totp(secret: String)
            case phone(number: String)
        }

        /// What a client knows of a session.
        ///
        /// `@unchecked Sendable`: the scheduler runs everything on one thread.
        final class Session: @unchecked Sendable {
            /// When its first factor was presented.
            let began: Instant
            /// When the client got its tokens.
            let ended: Instant
            let password: String?
            var refreshToken: String
            var idToken: String
            var idTokenEnded: Instant
            /// When its refresh token was first replaced.
            var firstRefreshBegan: Instant?

            init(began: Instant, ended: Instant, password: String?, refreshToken: String, idToken: String) {
                self.began = began
                self.ended = ended
                self.password = password
                self.refreshToken = refreshToken
                self.idToken = idToken
                idTokenEnded = ended
            }
        }

        /// A first factor that waits for the second one.
        struct Pending {
            var credential: String
            /// The id of the TOTP factor, if the account has one.
            var totpID: String?
            var phones: [PhoneFactor] = []
            /// Nil: it began with an identity of a provider.
            var password: String?
            var began: Instant
            var ended: Instant
        }

        /// A phone by which a sign-in may be completed.
        struct PhoneFactor {
            var id: String
            var number: String
        }

        /// The times of one request and its reply.
        struct Span {
            var began: Instant
            var ended: Instant
        }

        /// After this time a request without a reply has no effect any more: its deadline, transactions of a slow database, and
        /// processes that stand still in between.
        static let longestEffect = Duration.seconds(60)
        /// How far clocks of processes differ, with whole seconds of `validSince`.
        static let clockTolerance = Duration.seconds(20)

        let world: World
        let identity: SimulatedDisk
        let passkeys: SimulatedDisk
        private var usedCodes: Set<String> = []
        private var usedCredentials: Set<String> = []
        private var usedSteps: Set<String> = []
        var smsCodes: [String: SMSCode] = [:]
        /// What an accepted challenge of a passkey has opened.
        var challenges: [[UInt8]: String] = [:]
        /// The addresses of imported accounts; nil: there is no account.
        var imports: [ImportedAccount: AccountHistory<String?>] = [:]
        var revokedKeys: Set<SigningKeyID> = []

        init(_ world: World, identity: SimulatedDisk, passkeys: SimulatedDisk) {
            self.world = world
            self.identity = identity
            self.passkeys = passkeys
        }

        // MARK: Passwords

        /// - Parameter id: of the new account.
        func signUpIsAccepted(_ account: Account, _ id: String, _ span: Span) {
            if !account.password.mayBe(nil, from: span.began, to: span.ended) {
                world.report("\(account.name) has two accounts")
            }
            // Another client may have signed in before this reply, so that the administrator could delete the account.
            if !account.password.mayHaveChanged(from: span.began, to: span.ended, { $0 == nil }) {
                requireRow(account, id)
            }
        }

        private func requireRow(_ account: Account, _ id: String) {
            do {
                if try identity.rows("SELECT 1 FROM accounts WHERE account_id = $1", .text(id)).isEmpty {
                    world.report("the account of \(account.name) was acknowledged, and is not stored")
                }
            } catch {
                world.report("the accounts cannot be read: \(error)")
            }
        }

        func signUpIsRefused(_ account: Account, _ message: String, _ span: Span) {
            if message == "EMAIL_EXISTS", account.password.mustBe(nil, from: span.began, to: span.ended) {
                world.report("\(account.name) has no account, and cannot sign up")
            }
        }

        func passwordIsAccepted(_ account: Account, _ password: String, _ span: Span) {
            if !account.password.mayBe(password, from: span.began, to: span.ended) {
                world.report("\(account.name) is accepted with a password that was replaced")
            }
            requireEnabled(account, span)
        }

        func passwordIsRefused(_ account: Account, _ password: String, _ message: String, _ span: Span) {
            if message == "INVALID_LOGIN_CREDENTIALS",
                account.password.mustBe(password, from: span.began, to: span.ended)
            {
                world.report("\(account.name) is refused with the password that was acknowledged")
            }
            requireDisabled(account, message, span)
        }

        func codeIsAccepted(_ account: Account, _ code: String, _ span: Span) {
            if !usedCodes.insert(code).inserted { world.report("a code of \(account.name) is accepted twice") }
            requireEnabled(account, span)
        }

        func requireEnabled(_ account: Account, _ span: Span) {
            if !account.isDisabled.mayBe(false, from: span.began, to: span.ended) {
                world.report("\(account.name) is accepted while it is disabled")
            }
        }

        func requireDisabled(_ account: Account, _ message: String, _ span: Span) {
            if message == "USER_DISABLED", !account.isDisabled.mayBe(true, from: span.began, to: span.ended) {
                world.report("\(account.name) is refused as disabled, and nobody has disabled it")
            }
        }

        // MARK: Second factors

        /// A password alone has opened a session.
        func sessionIsOpened(_ account: Account, _ span: Span) {
            if !account.mayBeWithoutFactors(span) {
                world.report("\(account.name) gets tokens without its second factor")
            }
        }

        func secondFactorIsDemanded(_ account: Account, _ pending: Pending, _ span: Span) {
            if pending.totpID == nil, pending.phones.isEmpty {
                world.report("\(account.name) is asked for a second factor, and none is named")
            }
            if pending.totpID != nil && account.factor.mustBe(nil, from: span.began, to: span.ended)
                || !pending.phones.allSatisfy({ account.mayHave(.phone(number: $0.number), span) })
            {
                world.report("\(account.name) is asked for a second factor that it does not have")
            }
        }

        func stepIsAccepted(_ account: Account, secret: String, step: Int64) {
            if !usedSteps.insert("\(secret) \(step)").inserted {
                world.report("a code of \(account.name) for the step \(step) is accepted twice")
            }
        }

        func secondFactorIsAccepted(_ account: Account, _ pending: Pending, _ factor: Factor, _ span: Span) {
            if !usedCredentials.insert(pending.credential).inserted {
                world.report("a pending sign-in of \(account.name) is completed twice")
            }
            if !account.mayHave(factor, span) {
                world.report("\(account.name) is accepted with a factor that was removed")
            }
            if isVoid(account, since: pending.ended, pending.password, at: span.began)
                || account.factor.hasAcknowledged(after: pending.ended, before: span.began, { $0 == nil })
            {
                world.report("\(account.name) completes a sign-in that began before it was revoked")
            }
            requireEnabled(account, span)
        }

        // MARK: Sessions

        /// All sessions were certainly revoked since, and before `instant`.
        private func isVoid(_ account: Account, since: Instant, _ password: String?, at instant: Instant) -> Bool {
            account.password.hasAcknowledged(after: since, before: instant)
                || password.map { account.password.isReplaced($0, before: instant) } ?? false
                || account.hasEnrolledPhone(after: since, before: instant)
                || account.revocations.hasAcknowledged(after: since + Self.clockTolerance, before: instant)
        }

        func refreshIsAccepted(_ account: Account, _ session: Session, _ span: Span) {
            if isVoid(account, since: session.ended, session.password, at: span.began) {
                world.report("a session of \(account.name) is refreshed after it was revoked")
            }
            requireEnabled(account, span)
        }

        func refreshIsRefused(_ account: Account, _ session: Session, _ message: String, _ span: Span) {
            requireDisabled(account, message, span)
            guard ["TOKEN_EXPIRED", "INVALID_REFRESH_TOKEN", "USER_NOT_FOUND"].contains(message) else { return }
            // An earlier request that arrives late presents a token that was replaced since.
            if let first = session.firstRefreshBegan, first + Self.longestEffect > span.began { return }
            let since = session.began - Self.clockTolerance
            let mayBeRevoked =
                account.password.mayHaveChanged(from: since, to: span.ended) { $0 != session.password }
                || account.revocations.mayHaveChanged(from: since, to: span.ended)
                || account.factor.mayHaveChanged(from: since, to: span.ended)
                || account.phones.contains { $0.isFactor.mayHaveChanged(from: since, to: span.ended) }
            if !mayBeRevoked { world.report("a session of \(account.name) is lost: \(message)") }
        }

        func idTokenIsAccepted(_ account: Account, _ session: Session, _ span: Span) {
            let since = session.idTokenEnded + Self.clockTolerance
            if account.password.hasAcknowledged(after: since, before: span.began)
                || account.revocations.hasAcknowledged(after: since, before: span.began)
                || account.hasEnrolledPhone(after: since, before: span.began)
            {
                world.report("an ID token of \(account.name) is accepted after it was revoked")
            }
            requireEnabled(account, span)
        }

        // MARK: End

        func requireEnd() {
            requireOneAccountForEachIdentity()
            requireImports()
            for waiting in ["pending_mails", "deleted_accounts", "account_events", "audit_log WHERE link IS NULL"] {
                do {
                    let count = try identity.rows("SELECT 1 FROM \(waiting)").count
                    if count > 0 { world.report("\(count) rows of \(waiting) wait") }
                } catch {
                    world.report("\(waiting) cannot be read: \(error)")
                }
            }
        }
    }

#endif
