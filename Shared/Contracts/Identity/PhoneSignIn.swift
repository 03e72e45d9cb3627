package import Vocabulary

extension Identity {
    /// The operation on a verified number (REST 2.8, `operation`).
    package enum PhoneIntent: String, CaseIterable, Codable, Sendable {
        /// Also for an absent value: with an ID token the number is linked.
        case signUpOrIn
        case reauthenticate, update, link
    }

    /// Whether a code for sign-in may be sent to a number; changes nothing. With an ID token: whether its account may
    /// receive the number now, so that nobody enters a code in vain.
    package struct CheckPhoneSignIn: BusRequest, Equatable {
        package static let operation = Identity.Operation.checkPhoneSignIn
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var phoneNumber: PhoneNumber
        package var idToken: Secret<String>?
        /// Without an ID token: the reply does not depend on the account of the number (security rule EN2). What the account
        /// does not permit is refused when the code was right.
        package var concealsAccount: Bool?

        package init(
            realm: Realm, phoneNumber: PhoneNumber, idToken: Secret<String>? = nil, concealsAccount: Bool? = nil
        ) {
            self.realm = realm
            self.phoneNumber = phoneNumber
            self.idToken = idToken
            self.concealsAccount = concealsAccount
        }

        package typealias Reply = EmptyReply
    }

    /// Signs in with, or links, a number that mfa-sms has verified. Only mfa-sms may send it.
    package struct SignInWithPhone: BusRequest, Equatable {
        package static let operation = Identity.Operation.signInWithPhone
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var phoneNumber: PhoneNumber
        package var intent: PhoneIntent
        /// The account that receives the number.
        package var idToken: Secret<String>?
        package var client: ClientContext

        package init(
            realm: Realm, phoneNumber: PhoneNumber, intent: PhoneIntent, idToken: Secret<String>? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.phoneNumber = phoneNumber
            self.intent = intent
            self.idToken = idToken
            self.client = client
        }

        package typealias Reply = PhoneSignInReply
    }

    /// Signs in with, or links, the number of a temporary proof from an earlier conflict. The proof is valid until it
    /// expires or is redeemed.
    package struct SignInWithTemporaryProof: BusRequest, Equatable {
        package static let operation = Identity.Operation.signInWithTemporaryProof
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var phoneNumber: String?
        package var temporaryProof: Secret<String>?
        package var intent: PhoneIntent
        package var idToken: Secret<String>?
        package var client: ClientContext

        package init(
            realm: Realm, phoneNumber: String?, temporaryProof: Secret<String>?, intent: PhoneIntent,
            idToken: Secret<String>? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.phoneNumber = phoneNumber
            self.temporaryProof = temporaryProof
            self.intent = intent
            self.idToken = idToken
            self.client = client
        }

        package typealias Reply = PhoneSignInReply
    }

    /// Exactly one of `session`, `pending` and `conflict`.
    package struct PhoneSignInReply: Codable, Equatable, Sendable {
        /// Another account has the number: the temporary proof signs in to that account.
        package struct Conflict: Codable, Equatable, Sendable {
            package var phoneNumber: PhoneNumber
            package var temporaryProof: Secret<String>
            package var expiresInSeconds: Int

            package init(phoneNumber: PhoneNumber, temporaryProof: Secret<String>, expiresInSeconds: Int) {
                self.phoneNumber = phoneNumber
                self.temporaryProof = temporaryProof
                self.expiresInSeconds = expiresInSeconds
            }
        }

        package var session: SignedInReply?
        package var pending: PendingReply?
        package var conflict: Conflict?

        package init(session: SignedInReply) {
            self.session = session
        }

        package init(pending: PendingReply) {
            self.pending = pending
        }

        package init(conflict: Conflict) {
            self.conflict = conflict
        }
    }
}
