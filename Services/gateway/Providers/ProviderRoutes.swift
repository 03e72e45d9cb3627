internal import HTTPServer

extension IdentityToolkit {
    /// Identity providers (REST 2.4, 2.9, 3.7, 5.3).
    static let providers: [Route] =
        providerSignIn + providerConfigurations + [
            gameCenterSignIn, tokenRevocation,
            signIn(.v1("accounts:issueSamlResponse"), .v1),
        ]

    private static let subject = "sign-in with other providers"

    private static func signIn(_ paths: [RoutePath], _ surface: ErrorFormat) -> Route {
        .notImplemented(subject, .post, paths, surface, .client)
    }
}
