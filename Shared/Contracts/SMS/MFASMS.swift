/// The operations of the mfa-sms service: codes by SMS, for sign-in and as second factor, and app verification before a
/// code is sent.
package enum MFASMS {
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

        package static let service = ServiceName.mfaSMS
    }
}
