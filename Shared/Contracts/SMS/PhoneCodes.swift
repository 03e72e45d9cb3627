package import Vocabulary

extension MFASMS {
    /// The verification session, which the client sends with the code.
    package struct SentCode: Codable, Equatable, Sendable {
        package var sessionInfo: Secret<String>

        package init(sessionInfo: Secret<String>) {
            self.sessionInfo = sessionInfo
        }
    }

    /// Sends a code for sign-in (REST 2.7). The reply means that the message is stored; it is not delivered yet.
    package struct StartPhoneSignIn: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startPhoneSignIn
        // Each message costs money.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var phoneNumber: String?
        /// The account that is to receive the number, if the caller knows it already.
        package var idToken: Secret<String>?
        /// See `Identity.CheckPhoneSignIn`.
        package var concealsAccount: Bool?
        package var appCredential: AppCredential
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, phoneNumber: String?, idToken: Secret<String>? = nil, concealsAccount: Bool? = nil,
            appCredential: AppCredential, locale: String? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.phoneNumber = phoneNumber
            self.idToken = idToken
            self.concealsAccount = concealsAccount
            self.appCredential = appCredential
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SentCode
    }

    /// Completes a phone sign-in.
    package struct FinishPhoneSignIn: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.finishPhoneSignIn
        // Each attempt is counted.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var sessionInfo: Secret<String>?
        package var code: Secret<String>?
        package var intent: Identity.PhoneIntent
        package var idToken: Secret<String>?
        package var client: ClientContext

        package init(
            realm: Realm, sessionInfo: Secret<String>?, code: Secret<String>?, intent: Identity.PhoneIntent,
            idToken: Secret<String>? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.sessionInfo = sessionInfo
            self.code = code
            self.intent = intent
            self.idToken = idToken
            self.client = client
        }

        package typealias Reply = Identity.PhoneSignInReply
    }

    /// Sends a code to a new second factor.
    package struct StartEnrollment: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startEnrollment
        // Each message costs money.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var idToken: Secret<String>?
        package var phoneNumber: String?
        package var appCredential: AppCredential
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, phoneNumber: String?, appCredential: AppCredential,
            locale: String? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.phoneNumber = phoneNumber
            self.appCredential = appCredential
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SentCode
    }

    /// The account, the tokens of its session, and the number that the code verified.
    package struct PhoneFactorReply: Codable, Equatable, Sendable {
        package var account: Account
        package var tokens: TokenSet
        package var phoneNumber: PhoneNumber

        package init(account: Account, tokens: TokenSet, phoneNumber: PhoneNumber) {
            self.account = account
            self.tokens = tokens
            self.phoneNumber = phoneNumber
        }
    }
}

extension MFASMS: CodeFactorService {
    package typealias EnrollmentReply = PhoneFactorReply
    package static let finishEnrollment = Operation.finishEnrollment

    /// Verifies the code of an enrollment.
    package typealias FinishEnrollment = Contracts.FinishEnrollment<MFASMS>
}

extension MFASMS {
    /// Sends the code of a pending sign-in.
    package struct StartSignIn: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startSignIn
        // Each message costs money.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var project: ProjectID
        /// The tenant of the request; the credential must belong to it.
        package var tenant: TenantID?
        package var pendingCredential: Secret<String>?
        package var factorID: FactorID?
        package var appCredential: AppCredential
        package var locale: String?
        package var client: ClientContext

        package init(
            project: ProjectID, tenant: TenantID? = nil, pendingCredential: Secret<String>?, factorID: FactorID?,
            appCredential: AppCredential,
            locale: String? = nil, client: ClientContext = .init()
        ) {
            self.project = project
            self.tenant = tenant
            self.pendingCredential = pendingCredential
            self.factorID = factorID
            self.appCredential = appCredential
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SentCode
    }

    /// Completes a pending sign-in.
    package struct FinishSignIn: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.finishSignIn
        // Each attempt is counted.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var project: ProjectID
        /// The tenant of the request; the credential must belong to it.
        package var tenant: TenantID?
        package var pendingCredential: Secret<String>?
        package var sessionInfo: Secret<String>?
        package var code: Secret<String>?
        package var client: ClientContext

        package init(
            project: ProjectID, tenant: TenantID? = nil, pendingCredential: Secret<String>?,
            sessionInfo: Secret<String>?,
            code: Secret<String>?, client: ClientContext = .init()
        ) {
            self.project = project
            self.tenant = tenant
            self.pendingCredential = pendingCredential
            self.sessionInfo = sessionInfo
            self.code = code
            self.client = client
        }

        package typealias Reply = PhoneFactorReply
    }
}
