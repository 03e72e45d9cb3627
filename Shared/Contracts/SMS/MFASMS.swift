/// The operations of the mfa-sms service: codes by SMS, for sign-in and as second factor, and app verification before a
/// code is sent.
package enum MFASMS {
    /// How long a code is valid, and its message useful (security rule SM2).
    package static let codeLifetime = Duration.seconds(5 * 60)

    package enum Operation: String, ServiceOperation {
        // Phone as first factor.
        case startPhoneSignIn, finishPhoneSignIn
        // Phone as second factor.
        case startEnrollment, finishEnrollment, startSignIn, finishSignIn
        // App verification.
        case startPushVerification, startWebChallenge, finishWebChallenge
        /// Dev mode only.
        case listCodes
        /// For administrators.
        case readSendingStatus
        /// For operators.
        case readBlocks
        case forgetAccounts

        package static let service = ServiceName.mfaSMS

        package var callers: Set<BusCaller> {
            switch self {
            case .startPhoneSignIn, .finishPhoneSignIn, .startEnrollment, .finishEnrollment, .startSignIn,
                .finishSignIn, .startPushVerification, .startWebChallenge, .finishWebChallenge:
                .everyGateway
            case .listCodes, .readSendingStatus, .readBlocks: .administration
            case .forgetAccounts: [.identity]
            }
        }
    }
}

extension MFASMS: AccountDataService {
    package static let forgetAccounts = Operation.forgetAccounts

    /// Deletes the sessions of codes, with their numbers.
    package typealias ForgetAccounts = Contracts.ForgetAccounts<MFASMS>
}
