internal import HTTPServer

extension IdentityToolkit {
    /// Sign-in by telephone and the proof that an app is genuine (wire-protocol 2.7, 2.8, 2.15).
    static let phone: [Route] = [
        pending(.v1("accounts:sendVerificationCode", v3: "sendVerificationCode")),
        pending(.v1("accounts:signInWithPhoneNumber", v3: "verifyPhoneNumber")),
        pending(.v1("accounts:verifyIosClient", v3: "verifyClient")),
    ]

    private static func pending(_ paths: [RoutePath]) -> Route {
        .notBuilt("phone sign-in", .post, paths, .v1, .client)
    }
}
