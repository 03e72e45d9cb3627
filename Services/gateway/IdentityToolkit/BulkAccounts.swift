internal import HTTPServer

extension IdentityToolkit {
    /// Many accounts at once (wire-protocol 4.1, 4.3).
    static let bulkAccounts: [Route] = [
        pending(.post, .v1Realm("/accounts:batchDelete")), pending(.post, .v1Realm("/accounts:batchCreate")),
        pending(.get, .v1Realm("/accounts:batchGet")), pending(.post, .v1Realm("/accounts:query")),
        pending(.post, .v1Realm("/accounts:queryAccounts")), pending(.post, .v3("uploadAccount")),
        pending(.post, .v3("downloadAccount")),
    ]

    private static func pending(_ method: HTTPMethod, _ paths: [RoutePath]) -> Route {
        .notBuilt("import and export of accounts", method, paths, .v1, .administrator)
    }
}
