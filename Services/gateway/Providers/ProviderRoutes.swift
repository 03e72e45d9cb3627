import HTTPServer

extension IdentityToolkit {
    /// Identity providers (REST 2.4, 2.9, 3.7, 5.3).
    static let providers: [Route] =
        providerSignIn + providerConfigurations + [
            gameCenterSignIn, tokenRevocation, appleNotifications,
            .notImplemented(
                "sign-in with other providers", .post, .v1("accounts:issueSamlResponse"), .v1, .client),
        ]
}
