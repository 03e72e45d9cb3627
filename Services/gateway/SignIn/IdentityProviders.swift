internal import HTTPServer

extension IdentityToolkit {
    /// Sign-in with identity providers (REST 2.4, 2.6, 2.9, 3.7) and their configuration (5.3).
    static let providers: [Route] =
        [
            signIn(.v1("accounts:signInWithIdp", v3: "verifyAssertion"), .v1),
            gameCenterSignIn, tokenRevocation,
            signIn(.v1("accounts:issueSamlResponse"), .v1),
            .notImplemented(
                subject, .get,
                [
                    .init(.identityToolkit, "/v2/defaultSupportedIdps"),
                    .init(.identityToolkit, "/admin/v2/defaultSupportedIdps"),
                ], .v2, .administrator),
        ] + ["defaultSupportedIdpConfigs", "oauthIdpConfigs", "inboundSamlConfigs"].flatMap(configurations)

    private static let subject = "sign-in with other providers"

    private static func signIn(_ paths: [RoutePath], _ surface: ErrorFormat) -> Route {
        .notImplemented(subject, .post, paths, surface, .client)
    }

    private static func configurations(_ collection: String) -> [Route] {
        let all: [(HTTPMethod, String)] = [
            (.get, ""), (.post, ""), (.get, "/{provider}"), (.patch, "/{provider}"), (.delete, "/{provider}"),
        ]
        return all.map { method, suffix in
            .notImplemented(subject, method, .v2Realm("/\(collection)\(suffix)"), .v2, .administrator)
        }
    }
}
