internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// Sign-in by telephone and the proof that an app is genuine (wire-protocol 2.7, 2.8, 2.15).
    static let phone: [Route] = [
        phoneSignIn(.v1("accounts:sendVerificationCode", v3: "sendVerificationCode")),
        phoneSignIn(.v1("accounts:signInWithPhoneNumber", v3: "verifyPhoneNumber")),
        pending(.v1("accounts:verifyIosClient", v3: "verifyClient")),
    ]

    /// A telephone is a first factor of the project's own users alone (1.8).
    private static func phoneSignIn(_ paths: [RoutePath]) -> Route {
        Route(.post, paths, .v1, .client) { call in
            let body = try call.body(TenantOfBody.self)
            guard try call.realm(body).tenant == nil else { throw WireError(.unsupportedTenantOperation) }
            throw Refusal.notBuilt("phone sign-in")
        }
    }

    private static func pending(_ paths: [RoutePath]) -> Route {
        .notBuilt("phone sign-in", .post, paths, .v1, .client)
    }
}

private struct TenantOfBody: Decodable, RealmNaming {
    var tenantId: String?
    var targetProjectId: String?
}
