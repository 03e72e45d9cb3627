package import Vocabulary

extension Identity {
    /// How long an e-mail code is valid: the maximum of NIST SP 800-63B-4 §3.1.3.2 for six digits. An e-mail may take
    /// some minutes, so it is longer than that of an SMS code.
    package static let emailCodeLifetime = Duration.seconds(10 * 60)

    /// What an e-mail code is for.
    package enum EmailCodePurpose: String, CaseIterable, Codable, Sendable {
        case signIn, verifyEmail
    }

    /// Sends a code of six digits to an address. It voids the earlier code, and the earlier link, of the same purpose
    /// and address. The reply is the same whether or not an account has the address, and whether or not an e-mail is
    /// sent.
    package struct SendEmailCode: BusRequest, Equatable {
        package static let operation = Identity.Operation.sendEmailCode
        // Each e-mail is counted against its address.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var purpose: EmailCodePurpose
        /// For `signIn`.
        package var email: String?
        /// For `verifyEmail`: the address of its account gets the code.
        package var idToken: Secret<String>?
        /// BCP 47, as the client sent it.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, purpose: EmailCodePurpose, email: String? = nil, idToken: Secret<String>? = nil,
            locale: String? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.purpose = purpose
            self.email = email
            self.idToken = idToken
            self.locale = locale
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// Names the code when it is redeemed. Without the six digits it permits nothing.
            package var sessionInfo: Secret<String>

            package init(sessionInfo: Secret<String>) {
                self.sessionInfo = sessionInfo
            }
        }
    }

    /// Signs in the user who has typed the code, with the effects of `SignInWithEmailLink`. A wrong code is counted: for
    /// its session, for the address in all sessions, and for the client network.
    package struct SignInWithEmailCode: BusRequest, Equatable {
        package static let operation = Identity.Operation.signInWithEmailCode
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var sessionInfo: Secret<String>?
        package var code: Secret<String>?
        /// The account of this ID token receives the address.
        package var linkIDToken: Secret<String>?
        package var client: ClientContext

        package init(
            realm: Realm, sessionInfo: Secret<String>?, code: Secret<String>?, linkIDToken: Secret<String>? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.sessionInfo = sessionInfo
            self.code = code
            self.linkIDToken = linkIDToken
            self.client = client
        }

        package typealias Reply = SignInWithEmailLink.Reply
    }

    /// Verifies the address of the account that requested the code. Wrong codes are counted as those of a sign-in.
    package struct VerifyEmailWithCode: BusRequest, Equatable {
        package static let operation = Identity.Operation.verifyEmailWithCode
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var sessionInfo: Secret<String>?
        package var code: Secret<String>?
        package var client: ClientContext

        package init(
            realm: Realm, sessionInfo: Secret<String>?, code: Secret<String>?, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.sessionInfo = sessionInfo
            self.code = code
            self.client = client
        }

        package typealias Reply = AccountReply
    }

    /// The valid e-mail codes of a realm, oldest first, at most `ListActionCodes.maximumCount` of the newest. Dev mode
    /// only.
    package struct ListEmailCodes: BusRequest, Equatable {
        package static let operation = Identity.Operation.listEmailCodes
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm

        package init(realm: Realm) {
            self.realm = realm
        }

        package struct Entry: Codable, Equatable, Sendable {
            package var purpose: EmailCodePurpose
            package var email: EmailAddress
            package var code: Secret<String>
            package var sessionInfo: Secret<String>

            package init(
                purpose: EmailCodePurpose, email: EmailAddress, code: Secret<String>, sessionInfo: Secret<String>
            ) {
                self.purpose = purpose
                self.email = email
                self.code = code
                self.sessionInfo = sessionInfo
            }
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var codes: [Entry]

            package init(codes: [Entry]) {
                self.codes = codes
            }
        }
    }
}
