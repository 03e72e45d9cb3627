internal import HTTPServer

extension IdentityToolkit {
    /// Enrolling, using and withdrawing second factors (wire-protocol 3.1 to 3.5).
    static let multiFactor: [Route] = [
        "mfaEnrollment:start", "mfaEnrollment:finalize", "mfaEnrollment:withdraw", "mfaSignIn:start",
        "mfaSignIn:finalize",
    ].map { .notBuilt("second factors", .post, .v2("accounts/\($0)"), .v2, .client) }
}
