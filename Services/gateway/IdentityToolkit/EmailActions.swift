internal import HTTPServer

extension IdentityToolkit {
    /// Action codes by e-mail and what they do (wire-protocol 2.3, 2.10, 2.11).
    static let emailActions: [Route] = [
        pending(.v1("accounts:sendOobCode", v3: "getOobConfirmationCode"), .client),
        pending(.v1Realm("/accounts:sendOobCode"), .administrator),
        Route(.post, .v1("accounts:resetPassword", v3: "resetPassword"), .v1, .client, rate: .signIn) { call in
            let body = try call.body(PasswordChangeBody.self)
            guard body.oobCode.nonEmpty == nil else { throw Refusal.notBuilt("e-mail actions") }
            guard body.email.nonEmpty != nil else { throw Refusal.product("MISSING_OOB_CODE") }
            return try await changePassword(call, body)
        },
        pending(.v1("accounts:signInWithEmailLink", v3: "emailLinkSignin"), .client),
    ]

    private static func pending(_ paths: [RoutePath], _ access: Access) -> Route {
        .notBuilt("e-mail actions", .post, paths, .v1, access)
    }
}
