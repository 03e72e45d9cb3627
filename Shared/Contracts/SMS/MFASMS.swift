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
}
