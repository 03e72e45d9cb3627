internal import HTTPServer

extension IdentityToolkit {
    /// Isolated sets of users inside a project (wire-protocol 5.2).
    static let tenants: [Route] = [
        pending(.post, "/tenants"), pending(.get, "/tenants"),
        pending(.get, "/tenants/{tenant}"), pending(.patch, "/tenants/{tenant}"), pending(.delete, "/tenants/{tenant}"),
        pending(.post, "/tenants/{tenant}:getIamPolicy"), pending(.post, "/tenants/{tenant}:setIamPolicy"),
        pending(.post, "/tenants/{tenant}:testIamPermissions"),
    ]

    private static func pending(_ method: HTTPMethod, _ suffix: String) -> Route {
        .notBuilt("tenants", method, .v2Project(suffix), .v2, .administrator)
    }
}
