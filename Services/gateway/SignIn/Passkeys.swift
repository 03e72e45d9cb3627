internal import HTTPServer

extension IdentityToolkit {
    /// WebAuthn ceremonies (REST 3.6).
    static let passkeys: [Route] = [
        "passkeyEnrollment:start", "passkeyEnrollment:finalize", "passkeySignIn:start", "passkeySignIn:finalize",
    ].map { .notImplemented("passkeys", .post, .v2("accounts/\($0)"), .v2, .client) }
}
