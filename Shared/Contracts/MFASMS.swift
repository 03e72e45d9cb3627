package import Vocabulary

/// What the mfa-sms service offers: codes to telephones, for sign-in and as second factor, and the proof that an
/// application is genuine before a code is sent.
package enum MFASMS {
    package enum Operation: String, ServiceOperation {
        // A telephone as first factor.
        case startPhoneSignIn, finishPhoneSignIn
        // A telephone as second factor.
        case startEnrollment, finishEnrollment, startSignIn, finishSignIn
        // Genuine applications.
        case startPushVerification, startWebChallenge, finishWebChallenge
        /// Dev mode only.
        case listCodes
        /// For operators.
        case readSendingStatus

        package static let service = ServiceName.mfaSMS
    }

    /// What a client brings to show that it is a genuine application (REST 2.7). All optional on the wire.
    package struct AppCredential: Codable, Equatable, Sendable {
        package enum ClientType: String, CaseIterable, Codable, Sendable {
            case web = "CLIENT_TYPE_WEB", android = "CLIENT_TYPE_ANDROID", ios = "CLIENT_TYPE_IOS"
        }
        /// The pair that `StartPushVerification` and its push gave.
        package var deviceReceipt: String?
        package var deviceSecret: Secret<String>?
        /// Of reCAPTCHA v2, or of our own challenge page.
        package var recaptchaToken: Secret<String>?
        /// Of reCAPTCHA Enterprise; `NO_RECAPTCHA` stands for "see the others".
        package var captchaResponse: Secret<String>?
        package var playIntegrityToken: Secret<String>?
        package var safetyNetToken: Secret<String>?
        package var clientType: ClientType?
        /// The bundle id that the client names in its headers.
        package var bundleID: String?

        package init(
            deviceReceipt: String? = nil, deviceSecret: Secret<String>? = nil, recaptchaToken: Secret<String>? = nil,
            captchaResponse: Secret<String>? = nil, playIntegrityToken: Secret<String>? = nil,
            safetyNetToken: Secret<String>? = nil, clientType: ClientType? = nil, bundleID: String? = nil
        ) {
            self.deviceReceipt = deviceReceipt
            self.deviceSecret = deviceSecret
            self.recaptchaToken = recaptchaToken
            self.captchaResponse = captchaResponse
            self.playIntegrityToken = playIntegrityToken
            self.safetyNetToken = safetyNetToken
            self.clientType = clientType
            self.bundleID = bundleID
        }
    }

    /// A verification session: what the client names when it brings the code.
    package struct SentCode: Codable, Equatable, Sendable {
        package var sessionInfo: Secret<String>

        package init(sessionInfo: Secret<String>) {
            self.sessionInfo = sessionInfo
        }
    }
}

// MARK: - First factor

extension MFASMS {
    /// Sends a code for sign-in (REST 2.7). The reply means that the message is stored, not that it has arrived.
    /// Refusals: `invalidPhoneNumber`, also for none, those of `Identity.CheckPhoneSignIn`, of an app credential
    /// (`missingClientIdentifier`, `missingAppCredential`, `invalidAppCredential`, `missingRecaptchaToken`,
    /// `captchaCheckFailed`), `operationNotAllowed` for a region or kind of number that gets no messages,
    /// `quotaExceeded`, `tooManyAttempts`, `unavailable`.
    package struct StartPhoneSignIn: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startPhoneSignIn
        // Each message costs money.
        package static let delivery = Delivery.atMostOnce
        package var realm: Realm
        package var phoneNumber: String?
        package var credential: AppCredential
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, phoneNumber: String?, credential: AppCredential, locale: String? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.phoneNumber = phoneNumber
            self.credential = credential
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SentCode
    }

    /// Refusals: `missingVerificationSession`, `missingCode`, `invalidVerificationSession`,
    /// `verificationSessionExpired`, `invalidCode`, `tooManyAttempts`, those of `Identity.SignInWithPhone`.
    package struct FinishPhoneSignIn: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.finishPhoneSignIn
        // Each attempt is counted.
        package static let delivery = Delivery.atMostOnce
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
}

// MARK: - Second factor

extension MFASMS {
    /// Refusals: those of `Identity.CheckEnrollment` in its order, then those of `StartPhoneSignIn`.
    package struct StartEnrollment: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startEnrollment
        // Each message costs money.
        package static let delivery = Delivery.atMostOnce
        package var realm: Realm
        package var idToken: Secret<String>?
        package var phoneNumber: String?
        package var credential: AppCredential
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, phoneNumber: String?, credential: AppCredential,
            locale: String? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.phoneNumber = phoneNumber
            self.credential = credential
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SentCode
    }

    /// Refusals: `missingVerificationSession`, `missingCode`, `invalidVerificationSession`,
    /// `verificationSessionExpired`, `invalidCode`, `tooManyAttempts`, those of `Identity.EnrollFactor`.
    package struct FinishEnrollment: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.finishEnrollment
        // Each attempt is counted.
        package static let delivery = Delivery.atMostOnce
        package var realm: Realm
        package var idToken: Secret<String>?
        package var sessionInfo: Secret<String>?
        package var code: Secret<String>?
        package var displayName: String?
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

        package struct Reply: Codable, Equatable, Sendable {
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

    /// Sends the code that ends a pending sign-in. Refusals: those of `Identity.ResolvePendingSignIn`,
    /// `factorNotFound`, `invalidPhoneNumber` for a factor that is no telephone, and those of sending.
    package struct StartSignIn: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startSignIn
        // Each message costs money.
        package static let delivery = Delivery.atMostOnce
        package var project: ProjectID
        /// That the request names; the credential must be of it.
        package var tenant: TenantID?
        package var pendingCredential: Secret<String>?
        package var factorID: FactorID?
        package var credential: AppCredential
        package var locale: String?
        package var client: ClientContext

        package init(
            project: ProjectID, tenant: TenantID? = nil, pendingCredential: Secret<String>?, factorID: FactorID?,
            credential: AppCredential,
            locale: String? = nil, client: ClientContext = .init()
        ) {
            self.project = project
            self.tenant = tenant
            self.pendingCredential = pendingCredential
            self.factorID = factorID
            self.credential = credential
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SentCode
    }

    /// Refusals: those of `Identity.ResolvePendingSignIn` and `Identity.CompleteSignIn`, `missingVerificationSession`,
    /// `missingCode`, `invalidVerificationSession`, `verificationSessionExpired`, `invalidCode`, `tooManyAttempts`.
    package struct FinishSignIn: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.finishSignIn
        // Each attempt is counted.
        package static let delivery = Delivery.atMostOnce
        package var project: ProjectID
        /// That the request names; the credential must be of it.
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

        package struct Reply: Codable, Equatable, Sendable {
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
}

// MARK: - Genuine applications

extension MFASMS {
    /// Sends a secret to a device by silent push: only the application that the operator has registered can read it
    /// (REST 2.15). Refusals: `missingDeviceToken`, `missingIOSBundleID`, `invalidAppCredential`,
    /// `tooManyAttempts`.
    package struct StartPushVerification: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startPushVerification
        // Each message costs money.
        package static let delivery = Delivery.atMostOnce
        package var project: ProjectID
        /// Of APNs, hexadecimal.
        package var deviceToken: Secret<String>?
        package var isSandbox: Bool
        package var bundleID: String?
        package var client: ClientContext

        package init(
            project: ProjectID, deviceToken: Secret<String>?, isSandbox: Bool, bundleID: String?,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.deviceToken = deviceToken
            self.isSandbox = isSandbox
            self.bundleID = bundleID
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var receipt: String
            /// How long the application should wait for the push.
            package var timeoutSeconds: Int

            package init(receipt: String, timeoutSeconds: Int) {
                self.receipt = receipt
                self.timeoutSeconds = timeoutSeconds
            }
        }
    }

    /// A piece of work for the browser that shows our challenge page: costs a person seconds, and who wants to send
    /// thousands of messages much more. Refusals: none.
    package struct StartWebChallenge: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.startWebChallenge
        // A second request gets another challenge, and the first one expires unused.
        package static let delivery = Delivery.idempotent
        package var project: ProjectID
        package var client: ClientContext

        package init(project: ProjectID, client: ClientContext = .init()) {
            self.project = project
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var challenge: Secret<String>
            /// Leading zero bits wanted of SHA-256 over the challenge, `:` and the decimal answer.
            package var difficultyBits: Int

            package init(challenge: Secret<String>, difficultyBits: Int) {
                self.challenge = challenge
                self.difficultyBits = difficultyBits
            }
        }
    }

    /// Exchanges the answer to a challenge, or a token of reCAPTCHA, for a token that one message can be sent with.
    /// Refusals: `captchaCheckFailed`, `appNotVerified` for an application that is not registered, `tooManyAttempts`,
    /// `unavailable`.
    package struct FinishWebChallenge: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.finishWebChallenge
        // Each attempt is counted.
        package static let delivery = Delivery.atMostOnce
        package var project: ProjectID
        package var challenge: Secret<String>?
        package var answer: String?
        package var recaptchaToken: Secret<String>?
        /// The application that the page was opened for: the token is good for it alone.
        package var bundleID: String?
        package var client: ClientContext

        package init(
            project: ProjectID, challenge: Secret<String>? = nil, answer: String? = nil,
            recaptchaToken: Secret<String>? = nil, bundleID: String? = nil, client: ClientContext = .init()
        ) {
            self.project = project
            self.challenge = challenge
            self.answer = answer
            self.recaptchaToken = recaptchaToken
            self.bundleID = bundleID
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var token: Secret<String>

            package init(token: Secret<String>) {
                self.token = token
            }
        }
    }
}

// MARK: - For developers and operators

extension MFASMS {
    /// The codes that are still good, the latest last. Refusals: `operationNotAllowed` outside dev mode.
    package struct ListCodes: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.listCodes
        package static let delivery = Delivery.idempotent
        package var realm: Realm

        package init(realm: Realm) {
            self.realm = realm
        }

        package struct Code: Codable, Equatable, Sendable {
            package var phoneNumber: PhoneNumber
            package var code: Secret<String>
            package var sessionInfo: Secret<String>

            package init(phoneNumber: PhoneNumber, code: Secret<String>, sessionInfo: Secret<String>) {
                self.phoneNumber = phoneNumber
                self.code = code
                self.sessionInfo = sessionInfo
            }
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var codes: [Code]

            package init(codes: [Code]) {
                self.codes = codes
            }
        }
    }

    /// What a project sends and what stands in the way: budgets, closed prefixes. Refusals: none.
    package struct ReadSendingStatus: BusRequest, Equatable {
        package static let operation = MFASMS.Operation.readSendingStatus
        package static let delivery = Delivery.idempotent
        package var project: ProjectID

        package init(project: ProjectID) {
            self.project = project
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// In millionths of the currency unit that the operator's prices are in.
            package var spentThisHourMicros: Int64
            package var spentThisDayMicros: Int64
            package var budgetPerHourMicros: Int64?
            package var budgetPerDayMicros: Int64?
            package var sentThisDay: Int
            package var verifiedThisDay: Int
            package var closedPrefixes: [BlockedPrefix]

            package init(
                spentThisHourMicros: Int64, spentThisDayMicros: Int64, budgetPerHourMicros: Int64?,
                budgetPerDayMicros: Int64?, sentThisDay: Int, verifiedThisDay: Int, closedPrefixes: [BlockedPrefix]
            ) {
                self.spentThisHourMicros = spentThisHourMicros
                self.spentThisDayMicros = spentThisDayMicros
                self.budgetPerHourMicros = budgetPerHourMicros
                self.budgetPerDayMicros = budgetPerDayMicros
                self.sentThisDay = sentThisDay
                self.verifiedThisDay = verifiedThisDay
                self.closedPrefixes = closedPrefixes
            }
        }

        package struct BlockedPrefix: Codable, Equatable, Sendable {
            /// `+` and the first seven digits.
            package var prefix: String
            package var until: Moment

            package init(prefix: String, until: Moment) {
                self.prefix = prefix
                self.until = until
            }
        }
    }
}
