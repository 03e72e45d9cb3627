package import Vocabulary

/// The operations of the mfa-totp service: time-based codes (RFC 6238) as second factor.
package enum MFATOTP {
    package enum Operation: String, ServiceOperation {
        case startEnrollment, finishEnrollment, finishSignIn, importFactors, forgetAccounts
        /// For operators.
        case readBlocks

        package static let service = ServiceName.mfaTOTP

        package var callers: Set<BusCaller> {
            switch self {
            case .startEnrollment, .finishEnrollment, .finishSignIn: .everyGateway
            case .importFactors: .administrationAndCommand
            case .readBlocks: .administration
            case .forgetAccounts: [.identity]
            }
        }
    }

    /// Generates a secret for the account of an ID token. It is returned once.
    package struct StartEnrollment: BusRequest, Equatable {
        package static let operation = MFATOTP.Operation.startEnrollment
        // A second request starts another enrollment, and the first one expires unused.
        package static let retrySemantics = RetrySemantics.idempotent
        /// The form of the QR code of the key URI, if any.
        package enum QRCodeForm: String, CaseIterable, Codable, Sendable { case svg, text }

        package var realm: Realm
        package var idToken: Secret<String>?
        package var qrCode: QRCodeForm?

        package init(realm: Realm, idToken: Secret<String>?, qrCode: QRCodeForm? = nil) {
            self.realm = realm
            self.idToken = idToken
            self.qrCode = qrCode
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// 32 characters of base32 without padding: 160 bits.
            package var sharedSecretKey: Secret<String>
            package var digits: Int
            package var hashingAlgorithm: String
            package var periodSeconds: Int
            package var sessionInfo: Secret<String>
            package var expiresAt: Moment
            /// `otpauth://totp/…`
            package var keyURI: Secret<String>
            package var qrCode: Secret<String>?

            package init(
                sharedSecretKey: Secret<String>, digits: Int, hashingAlgorithm: String, periodSeconds: Int,
                sessionInfo: Secret<String>, expiresAt: Moment, keyURI: Secret<String>, qrCode: Secret<String>?
            ) {
                self.sharedSecretKey = sharedSecretKey
                self.digits = digits
                self.hashingAlgorithm = hashingAlgorithm
                self.periodSeconds = periodSeconds
                self.sessionInfo = sessionInfo
                self.expiresAt = expiresAt
                self.keyURI = keyURI
                self.qrCode = qrCode
            }
        }
    }
}

extension MFATOTP: CodeFactorService {
    package typealias EnrollmentReply = Identity.SessionReply
    package static let finishEnrollment = Operation.finishEnrollment

    /// Verifies the first code of a secret.
    package typealias FinishEnrollment = Contracts.FinishEnrollment<MFATOTP>
}

extension MFATOTP {
    /// Completes a pending sign-in with a code.
    package struct FinishSignIn: BusRequest, Equatable {
        package static let operation = MFATOTP.Operation.finishSignIn
        // Each attempt is counted.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var project: ProjectID
        /// The tenant of the request; the credential must belong to it.
        package var tenant: TenantID?
        package var pendingCredential: Secret<String>?
        package var factorID: FactorID?
        package var code: Secret<String>?
        package var client: ClientContext

        package init(
            project: ProjectID, tenant: TenantID? = nil, pendingCredential: Secret<String>?, factorID: FactorID?,
            code: Secret<String>?,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.tenant = tenant
            self.pendingCredential = pendingCredential
            self.factorID = factorID
            self.code = code
            self.client = client
        }

        package typealias Reply = Identity.SessionReply
    }
}

extension MFATOTP: AccountDataService {
    package static let forgetAccounts = Operation.forgetAccounts

    /// Deletes secrets and enrollments.
    package typealias ForgetAccounts = Contracts.ForgetAccounts<MFATOTP>
}
