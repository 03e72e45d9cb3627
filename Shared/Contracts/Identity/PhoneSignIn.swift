package import Vocabulary

extension Identity {
    /// What a proved number is to do (REST 2.8, `operation`).
    package enum PhoneIntent: String, CaseIterable, Codable, Sendable {
        /// Also an absent one: with an ID token the number is linked.
        case signUpOrIn
        case reauthenticate, update, link
    }

    /// Whether a code for sign-in may be sent to a number; changes nothing. Errors: `unsupportedTenantOperation`,
    /// `operationNotAllowed`, `unsupportedFirstFactor` for a number of an account with a phone as second factor.
    package struct CheckPhoneSignIn: BusRequest, Equatable {
        package static let operation = Identity.Operation.checkPhoneSignIn
        package static let delivery = Delivery.idempotent
        package var realm: Realm
        package var phoneNumber: PhoneNumber

        package init(realm: Realm, phoneNumber: PhoneNumber) {
            self.realm = realm
            self.phoneNumber = phoneNumber
        }

        package typealias Reply = EmptyReply
    }

    /// Signs in, or links, with a number that mfa-sms has proved: only it may say so. Errors: those of
    /// `CheckPhoneSignIn`, of `VerifyIDToken` with an ID token, `accountNotFound` for a re-authentication,
    /// `accountDisabled`, `adminOnlyOperation`, `secondFactorRequired` for linking by a session without the factor that
    /// the account is asked for, `firstFactorNotEligible` where every account needs a second factor.
    package struct SignInWithPhone: BusRequest, Equatable {
        package static let operation = Identity.Operation.signInWithPhone
        package static let delivery = Delivery.deduplicated
        package var realm: Realm
        package var phoneNumber: PhoneNumber
        package var intent: PhoneIntent
        /// Of whom the number is to become.
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

    /// The same with the proof that an earlier conflict gave. It stays good until its time is over or it was used.
    /// Errors: those of `SignInWithPhone`, `missingPhoneNumber`, `invalidTemporaryProof`, `phoneNumberExists` where
    /// another account has the number.
    package struct SignInWithTemporaryProof: BusRequest, Equatable {
        package static let operation = Identity.Operation.signInWithTemporaryProof
        package static let delivery = Delivery.deduplicated
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
        package struct Session: Codable, Equatable, Sendable {
            package var account: Account
            package var tokens: TokenSet
            package var isNewAccount: Bool

            package init(account: Account, tokens: TokenSet, isNewAccount: Bool) {
                self.account = account
                self.tokens = tokens
                self.isNewAccount = isNewAccount
            }
        }

        /// The account asks for a second factor.
        package struct Pending: Codable, Equatable, Sendable {
            package var account: Account
            package var secondFactor: PendingSecondFactor

            package init(account: Account, secondFactor: PendingSecondFactor) {
                self.account = account
                self.secondFactor = secondFactor
            }
        }

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

        package var session: Session?
        package var pending: Pending?
        package var conflict: Conflict?

        package init(session: Session) {
            self.session = session
        }

        package init(pending: Pending) {
            self.pending = pending
        }

        package init(conflict: Conflict) {
            self.conflict = conflict
        }
    }
}
