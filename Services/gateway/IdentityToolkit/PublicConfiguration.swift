internal import HTTPServer

extension IdentityToolkit {
    /// What applications may know of a project's settings (wire-protocol 2.16), and two legacy names that no library
    /// calls (1.2).
    static let publicConfiguration: [Route] = [
        pending(.get, .v1("projects", v3: "getProjectConfig"), .v1, .client),
        pending(.get, .v1("recaptchaParams", v3: "getRecaptchaParam"), .v1, .client),
        pending(.get, .v2("recaptchaConfig"), .v2, .client),
        pending(.get, .v2("passwordPolicy"), .v2, .client),
        pending(.post, .v3("signOutUser"), .v1, .client),
        pending(.post, .v3("setProjectConfig"), .v1, .administrator),
    ]

    private static func pending(
        _ method: HTTPMethod, _ paths: [RoutePath], _ surface: Surface, _ access: Access
    ) -> Route {
        .notBuilt("public project settings", method, paths, surface, access)
    }
}
