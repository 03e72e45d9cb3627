package import Vocabulary

/// A verified second factor.
package struct SecondFactor: Codable, Equatable, Sendable {
    package enum Kind: Codable, Equatable, Sendable {
        case phone(PhoneNumber)
        case totp
    }
    package var id: FactorID
    package var kind: Kind
    package var displayName: String?
    package var enrolledAt: Moment

    package init(id: FactorID, kind: Kind, displayName: String?, enrolledAt: Moment) {
        self.id = id
        self.kind = kind
        self.displayName = displayName
        self.enrolledAt = enrolledAt
    }
}

extension SecondFactor {
    /// The kind of a factor without its number.
    package enum Method: String, CaseIterable, Codable, Sendable { case phone, totp }

    /// What the service that verifies a code of this method needs from the configuration of the project.
    package enum VerificationSettings: Codable, Equatable, Sendable {
        case phone
        /// Steps of 30 s that a code may be early or late, 0 to 10.
        case totp(windowSteps: Int)
    }
}

extension SecondFactor.Kind {
    package var method: SecondFactor.Method {
        switch self {
        case .phone: .phone
        case .totp: .totp
        }
    }
}

extension PhoneNumber {
    /// As strangers may see it: the sign, a star for each digit but the last four, and those (REST 2, EN6).
    package var masked: String {
        "+" + String(repeating: "*", count: rawValue.utf8.count - 5) + rawValue.suffix(4)
    }
}

extension Identity {
    /// Whether the account behind an ID token may enrol a factor now; changes nothing (REST 3.1, in the order of
    /// its checks). Errors: `operationNotAllowed`, those of `VerifyIDToken`, `firstFactorNotEligible`,
    /// `unverifiedEmail`; at the start moreover `unsupportedFirstFactor` for the phone of an account that signs in
    /// by phone, `invalidPhoneNumber`, `factorExists`, `tooManyFactors`, `tooManyTOTPFactors`,
    /// `secondFactorRequired` for a session that was opened without the second factor which the account is asked for,
    /// and `recentSignInRequired`. At the finish the list is `EnrollFactor`'s to judge: by then codes have been checked
    /// (3.2).
    package struct CheckEnrollment: BusRequest, Equatable {
        package static let operation = Identity.Operation.checkEnrollment
        package static let delivery = Delivery.idempotent
        package enum Stage: String, CaseIterable, Codable, Sendable { case start, finish }

        package var realm: Realm
        package var idToken: Secret<String>?
        package var method: SecondFactor.Method
        /// Of a phone factor; nil: what was given is no number.
        package var phoneNumber: PhoneNumber?
        package var stage: Stage

        package init(
            realm: Realm, idToken: Secret<String>?, method: SecondFactor.Method, phoneNumber: PhoneNumber? = nil,
            stage: Stage
        ) {
            self.realm = realm
            self.idToken = idToken
            self.method = method
            self.phoneNumber = phoneNumber
            self.stage = stage
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var principal: Principal
            /// For the method of the request.
            package var verification: SecondFactor.VerificationSettings

            package init(
                account: Account, principal: Principal, verification: SecondFactor.VerificationSettings
            ) {
                self.account = account
                self.principal = principal
                self.verification = verification
            }
        }
    }

    /// Lists a factor that its service has proved, and continues the session with it: a new session that carries the
    /// factor. A phone ends every earlier session, TOTP does not (REST 3.2). The same factor again is listed
    /// once. Errors: those of `CheckEnrollment` but `recentSignInRequired`, `invalidFactorID`, `factorIDExists`,
    /// `invalidRequest` for a name that is too long, `invalidDisplayName` for one with a NUL.
    package struct EnrollFactor: BusRequest, Equatable {
        package static let operation = Identity.Operation.enrollFactor
        package static let delivery = Delivery.deduplicated
        package var realm: Realm
        package var idToken: Secret<String>?
        /// Made by the factor's service, which knows the factor by it: a UUID.
        package var factorID: FactorID
        package var method: SecondFactor.Method
        /// Of a phone factor.
        package var phoneNumber: PhoneNumber?
        package var displayName: String?
        /// Of the notice by e-mail: BCP 47.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, factorID: FactorID, method: SecondFactor.Method,
            phoneNumber: PhoneNumber? = nil, displayName: String?, locale: String? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.factorID = factorID
            self.method = method
            self.phoneNumber = phoneNumber
            self.displayName = displayName
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SessionReply
    }

    /// Takes a factor off the list and ends every earlier session. The session goes on in the tokens of the reply,
    /// unless it was opened with this very factor and others remain (REST 3.3). Errors: those of `VerifyIDToken`,
    /// `factorNotFound`, `secondFactorRequired` when the account would be left without any factor that is asked for and
    /// the session was opened without one (security rule TO11).
    package struct WithdrawFactor: BusRequest, Equatable {
        package static let operation = Identity.Operation.withdrawFactor
        package static let delivery = Delivery.deduplicated
        package var realm: Realm
        package var idToken: Secret<String>?
        package var factorID: FactorID?
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, factorID: FactorID?, locale: String? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.factorID = factorID
            self.locale = locale
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var tokens: TokenSet?

            package init(account: Account, tokens: TokenSet?) {
                self.account = account
                self.tokens = tokens
            }
        }
    }
}

/// A service that verifies a second factor by a code.
package protocol CodeFactorService {
    associatedtype Operation: ServiceOperation
    associatedtype EnrollmentReply: Codable & Sendable
    static var finishEnrollment: Operation { get }
}

/// Verifies the code of an enrollment and adds the factor to the account. The services list their errors.
package struct FinishEnrollment<Service: CodeFactorService>: BusRequest, Equatable {
    package static var operation: Service.Operation { Service.finishEnrollment }
    // Each attempt is counted.
    package static var delivery: Delivery { .atMostOnce }
    package var realm: Realm
    package var idToken: Secret<String>?
    /// Of the verification session, or of the secret, that the start returned.
    package var sessionInfo: Secret<String>?
    package var code: Secret<String>?
    /// Of the factor.
    package var displayName: String?
    /// Of the notice by e-mail: BCP 47.
    package var locale: String?
    package var client: ClientContext

    package init(
        realm: Realm, idToken: Secret<String>?, sessionInfo: Secret<String>?, code: Secret<String>?,
        displayName: String?, locale: String? = nil, client: ClientContext = .init()
    ) {
        self.realm = realm
        self.idToken = idToken
        self.sessionInfo = sessionInfo
        self.code = code
        self.displayName = displayName
        self.locale = locale
        self.client = client
    }

    package typealias Reply = Service.EnrollmentReply
}
