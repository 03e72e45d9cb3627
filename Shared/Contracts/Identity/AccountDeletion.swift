package import Vocabulary

extension Identity {
    /// Schedules the deletion of the account of an ID token, after the days that the project sets. Every session ends. Until
    /// then a sign-in on the hosted pages can only restore the account, and others get `accountDisabled`.
    ///
    /// Errors: `operationNotAllowed` where the project has no days of grace, `adminOnlyOperation`, `recentSignInRequired`,
    /// `secondFactorRequired`.
    package struct ScheduleOwnDeletion: BusRequest {
        package static let operation = Identity.Operation.scheduleOwnDeletion
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var idToken: Secret<String>?
        /// The page on which the account can be restored: absolute, for the e-mail to its owner.
        package var restorationURL: String
        /// The language of the e-mail: BCP 47, as the client sent it.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, restorationURL: String, locale: String? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.restorationURL = restorationURL
            self.locale = locale
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// When the account is deleted.
            package var dueAt: Moment

            package init(dueAt: Moment) {
                self.dueAt = dueAt
            }
        }
    }

    /// Restores the account of an ID token that permits nothing else, and opens the session that the sign-in would have
    /// opened. Errors: `sessionExpired` for an account that is not to be deleted any more.
    package struct RestoreOwnAccount: BusRequest {
        package static let operation = Identity.Operation.restoreOwnAccount
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var idToken: Secret<String>?
        package var client: ClientContext

        package init(realm: Realm, idToken: Secret<String>?, client: ClientContext = .init()) {
            self.realm = realm
            self.idToken = idToken
            self.client = client
        }

        package typealias Reply = SessionReply
    }
}
