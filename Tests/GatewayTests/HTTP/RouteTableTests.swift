import HTTPServer
import Testing
import Vocabulary

@testable import GatewayService

/// The paths of the REST reference, sections 1 to 7: the API, the method, the path, and the required caller.
private let reference: [(host: APIHost?, method: HTTPMethod, path: String, access: Access)] = {
    let v1 = [
        "signUp", "signInWithPassword", "signInWithEmailLink", "sendEmailCode", "signInWithEmailCode",
        "verifyEmailWithCode", "signInWithIdp", "createAuthUri",
        "signInWithCustomToken",
        "sendVerificationCode", "signInWithPhoneNumber", "signInWithGameCenter", "sendOobCode", "resetPassword",
        "update", "lookup", "delete", "verifyIosClient", "issueSamlResponse",
    ].map { ("/v1/accounts:\($0)") }
    let v2 =
        ["start", "finalize", "withdraw"].map { "mfaEnrollment:\($0)" }
        + ["mfaSignIn", "passkeyEnrollment", "passkeySignIn"].flatMap { ["\($0):start", "\($0):finalize"] }
    let legacy = [
        "createAuthUri", "deleteAccount", "emailLinkSignin", "getAccountInfo", "getOobConfirmationCode",
        "resetPassword", "sendVerificationCode", "setAccountInfo", "signInWithGameCenter", "signupNewUser",
        "verifyAssertion", "verifyClient", "verifyCustomToken", "verifyPassword", "verifyPhoneNumber", "signOutUser",
    ]
    var all: [(APIHost?, HTTPMethod, String, Access)] =
        v1.map { (.identityToolkit, .post, $0, .client) }
        + v2.map { (.identityToolkit, .post, "/v2/accounts/\($0)", .client) }
        + legacy.map { (.googleAPIs, .post, "/identitytoolkit/v3/relyingparty/\($0)", .client) }
        + ["uploadAccount", "downloadAccount", "setProjectConfig"].map {
            (.googleAPIs, .post, "/identitytoolkit/v3/relyingparty/\($0)", .administrator)
        }
        + ["getProjectConfig", "getRecaptchaParam"].map {
            (.googleAPIs, .get, "/identitytoolkit/v3/relyingparty/\($0)", .client)
        }
        + ["/v1/projects", "/v1/recaptchaParams", "/v2/recaptchaConfig", "/v2/passwordPolicy"].map {
            (.identityToolkit, .get, $0, .client)
        }
    all += [
        (.identityToolkit, .post, "/v2/accounts:revokeToken", .client),
        (.identityToolkit, .post, "/v1/accounts:sessions", .client),
        (.identityToolkit, .post, "/v1/accounts:revokeSessions", .client),
        (.identityToolkit, .post, "/v1/accounts:download", .client),
        (.identityToolkit, .post, "/v2/accounts/recoveryCodes:generate", .client),
        (.identityToolkit, .post, "/v2/accounts/recoveryCodes:count", .client),
        (.identityToolkit, .post, "/v2/accounts/recoveryCodes:signIn", .client),
        (.secureToken, .post, "/v1/token", .client),
        (.googleAPIs, .get, "/identitytoolkit/v3/relyingparty/publicKeys", .unauthenticated),
        (.identityToolkit, .get, "/v1/publicKeys", .unauthenticated),
        (.identityToolkit, .get, "/v1/sessionCookiePublicKeys", .unauthenticated),
        (.googleAPIs, .get, "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", .unauthenticated),
        (.googleAPIs, .get, "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", .unauthenticated),
        (.tokenIssuer, .get, "/p1/.well-known/openid-configuration", .unauthenticated),
        (.identityToolkit, .get, "/v2/defaultSupportedIdps", .administrator),
        (.identityToolkit, .get, "/admin/v2/defaultSupportedIdps", .administrator),
        (.oauth, .post, "/token", .operations),
        (.googleAPIs, .post, "/oauth2/v4/token", .operations),
        (.googleAPIs, .post, "/oauth2/v3/token", .operations),
    ]
    for realm in ["/v1/projects/p1", "/v1/projects/p1/tenants/t1"] {
        let posts = [
            "/accounts", "/accounts:update", "/accounts:lookup", "/accounts:delete", "/accounts:batchDelete",
            "/accounts:batchCreate", "/accounts:query", "/accounts:queryAccounts", "/accounts:sendOobCode",
            ":createSessionCookie",
        ]
        all += posts.map { (.identityToolkit, .post, realm + $0, .administrator) }
        all.append((.identityToolkit, .get, realm + "/accounts:batchGet", .administrator))
    }
    for prefix in ["/v2", "/admin/v2"] {
        let project = "\(prefix)/projects/p1"
        var admin: [(HTTPMethod, String)] = [
            (.get, "/config"), (.patch, "/config"), (.post, "/identityPlatform:initializeAuth"), (.post, "/tenants"),
            (.get, "/tenants"), (.get, "/tenants/t1"), (.patch, "/tenants/t1"), (.delete, "/tenants/t1"),
            (.post, "/tenants/t1:getIamPolicy"), (.post, "/tenants/t1:setIamPolicy"),
            (.post, "/tenants/t1:testIamPermissions"), (.get, "/deliveries"), (.get, "/smsSending"),
            (.post, "/webhooks"), (.get, "/webhooks"), (.get, "/webhooks/w1"), (.patch, "/webhooks/w1"),
            (.delete, "/webhooks/w1"), (.post, "/webhooks/w1:rotateSecret"), (.post, "/webhooks/w1:test"),
            (.get, "/webhooks/w1/deliveries"), (.post, "/webhooks/w1:replay"),
            (.post, "/apnsKeys"), (.get, "/apnsKeys"), (.delete, "/apnsKeys/k1"),
            (.post, "/apps"), (.get, "/apps"), (.get, "/apps/c1"), (.patch, "/apps/c1"), (.delete, "/apps/c1"),
        ]
        for realm in ["", "/tenants/t1"] {
            admin += [(.get, "\(realm)/passkeyConfig"), (.patch, "\(realm)/passkeyConfig")]
            for collection in ["defaultSupportedIdpConfigs", "oauthIdpConfigs", "inboundSamlConfigs"] {
                admin += [
                    (.get, "\(realm)/\(collection)"), (.post, "\(realm)/\(collection)"),
                    (.get, "\(realm)/\(collection)/x"), (.patch, "\(realm)/\(collection)/x"),
                    (.delete, "\(realm)/\(collection)/x"),
                ]
            }
        }
        all += admin.map { (.identityToolkit, $0.0, project + $0.1, .administrator) }
    }
    for realm in ["/emulator/v1/projects/p1", "/emulator/v1/projects/p1/tenants/t1"] {
        all += [
            (nil, .delete, realm + "/accounts", .developer), (nil, .get, realm + "/oobCodes", .developer),
            (nil, .get, realm + "/verificationCodes", .developer),
            (nil, .get, realm + "/emailCodes", .developer), (nil, .get, realm + "/messages", .developer),
        ]
    }
    all += [
        (nil, .get, "/emulator/v1/projects/p1/config", .developer),
        (nil, .patch, "/emulator/v1/projects/p1/config", .developer),
        (nil, .get, "/emulator/action", .developer), (nil, .get, "/emulator/openapi.json", .developer),
        (nil, .get, "/emulator/auth/handler", .unauthenticated), (nil, .get, "/emulator/auth/iframe", .unauthenticated),
        (nil, .get, "/__/auth/handler", .unauthenticated), (nil, .get, "/__/auth/iframe", .unauthenticated),
        (nil, .get, "/__/auth/action", .unauthenticated), (nil, .post, "/__/auth/action", .unauthenticated),
        (nil, .post, "/emulator/auth/handler", .unauthenticated), (nil, .post, "/__/auth/handler", .unauthenticated),
        (nil, .get, "/__/auth/pages.css", .unauthenticated), (nil, .get, "/__/auth/callback", .unauthenticated),
        (nil, .post, "/__/auth/callback", .unauthenticated), (nil, .get, "/__/auth/signin", .unauthenticated),
        (nil, .get, "/__/auth/handler.js", .unauthenticated), (nil, .get, "/__/auth/fragment.js", .unauthenticated),
        (nil, .get, "/__/auth/iframe.js", .unauthenticated),
        (nil, .get, "/__/auth/app-verification.js", .unauthenticated),
        (nil, .get, "/__/auth/practice", .developer), (nil, .post, "/__/auth/practice", .developer),
        (nil, .post, "/__/auth/challenge", .unauthenticated), (nil, .post, "/__/auth/apple/notifications", .client),
        (nil, .get, "/__/auth/links", .unauthenticated),
        (nil, .get, "/__/auth/logo/\(String(repeating: "0", count: 64))", .unauthenticated),
        (nil, .get, "/__/auth/authorize", .unauthenticated), (nil, .post, "/__/auth/token", .unauthenticated),
        (nil, .post, "/__/auth/authorize/register", .developer),
        (nil, .get, "/__/auth/passkeys", .unauthenticated), (nil, .get, "/__/auth/passkeys.js", .unauthenticated),
        (nil, .get, "/__/auth/passkey-session.js", .unauthenticated),
        (nil, .get, "/__/auth/login", .unauthenticated), (nil, .post, "/__/auth/login", .unauthenticated),
        (nil, .post, "/__/auth/login/password", .unauthenticated),
        (nil, .post, "/__/auth/login/continue", .unauthenticated),
        (nil, .get, "/__/auth/latchkey.js", .unauthenticated),
        (nil, .get, "/__/auth/latchkey-passkeys.js", .unauthenticated),
        (nil, .get, "/__/auth/console-keys.js", .unauthenticated),
        (nil, .get, "/__/auth/console-search.js", .unauthenticated),
        (nil, .post, "/__/auth/login/email", .unauthenticated),
        (nil, .post, "/__/auth/login/email-code", .unauthenticated),
        (nil, .post, "/__/auth/login/provider", .unauthenticated),
        (nil, .post, "/__/auth/login/phone", .unauthenticated),
        (nil, .post, "/__/auth/login/phone-code", .unauthenticated),
        (nil, .post, "/__/auth/login/link", .unauthenticated), (nil, .post, "/__/auth/login/passkey", .unauthenticated),
        (nil, .get, "/__/auth/register", .unauthenticated), (nil, .post, "/__/auth/register", .unauthenticated),
        (nil, .post, "/__/auth/logout", .unauthenticated), (nil, .post, "/__/auth/login/factor", .unauthenticated),
        (nil, .post, "/__/auth/login/code", .unauthenticated),
        (nil, .post, "/__/auth/login/recovery", .unauthenticated),
        (nil, .get, "/__/auth/hosted-passkey.js", .unauthenticated),
        (nil, .get, "/__/auth/account-passkey.js", .unauthenticated),
        (nil, .get, "/__/auth/account-signals.js", .unauthenticated),
        (nil, .get, "/__/auth/passkey-signals.js", .unauthenticated),
        (nil, .get, "/__/auth/account", .unauthenticated), (nil, .get, "/__/auth/account/security", .unauthenticated),
        (nil, .get, "/__/auth/account/connections", .unauthenticated),
        (nil, .get, "/.well-known/change-password", .unauthenticated),
        (nil, .get, "/__/auth/show-password.js", .unauthenticated),
        (nil, .post, "/__/auth/login/enroll", .unauthenticated),
        (nil, .post, "/__/auth/login/enroll-email", .unauthenticated),
        (nil, .post, "/__/auth/login/enroll-phone", .unauthenticated),
        (nil, .post, "/__/auth/login/enroll-phone-code", .unauthenticated),
        (nil, .post, "/__/auth/login/restore", .unauthenticated),
        (nil, .post, "/__/auth/login/add-passkey", .unauthenticated),
        (nil, .post, "/__/auth/login/switch", .unauthenticated),
        (nil, .get, "/__/auth/passkey-encoding.js", .unauthenticated),
        (nil, .get, "/.well-known/apple-app-site-association", .unauthenticated),
        (nil, .get, "/.well-known/assetlinks.json", .unauthenticated),
        (nil, .get, "/.well-known/webauthn", .unauthenticated),
        (nil, .get, "/.well-known/passkey-endpoints", .unauthenticated),
        (nil, .get, "/", .unauthenticated), (nil, .get, "/livez", .unauthenticated),
        (nil, .get, "/readyz", .unauthenticated),
        (nil, .get, "/__/notify/receipts/twilio", .unauthenticated),
        (nil, .post, "/__/notify/receipts/twilio", .unauthenticated),
        (nil, .get, "/metrics", .operations), (nil, .get, "/dev/inbox", .developer),
        (nil, .get, "/dev/users", .developer),
    ]
    for task in [
        "name", "email", "verify-email", "password", "authenticator", "recovery-codes", "passkey", "passkey-name",
        "factor-name", "text-messages", "text-messages-code", "phone", "phone-code", "remove", "devices", "connect",
        "data", "delete",
    ] {
        all += [HTTPMethod.get, .post].map { (nil, $0, "/__/auth/account/\(task)", .unauthenticated) }
    }
    all += [
        "/console/sign-in", "/console/sign-in/code", "/console/sign-in/enroll", "/console/sign-in/factor",
        "/console/welcome",
    ].flatMap { path in [HTTPMethod.get, .post].map { (nil, $0, path, .console) } }
    all.append((nil, .post, "/console/sign-in/passkey", .console))
    // `ConsoleMatrixTests` goes through these.
    all += ConsolePages.all.map { route in
        (
            nil, route.method, route.path.pieces(at: "/").map { $0 == "{project}" ? "p1" : $0 }.joined(separator: "/"),
            .console
        )
    }
    return all
}()

@Suite struct RouteTableTests {
    private let router = Router(RouteTable.routes)

    @Test func everyDocumentedPathHasRoute() {
        for (host, method, path, access) in reference {
            let spelled = (host.map { "/\($0.rawValue)" } ?? "") + path
            for (path, host) in [(spelled, nil), (path, nil), (path, host?.rawValue)] {
                guard case .route(let route, _) = router.match(method, path: path, host: host) else {
                    Issue.record("no route for \(method.name) \(path), host \(host ?? "none")")
                    continue
                }
                #expect(route.access == access, "\(method.name) \(path)")
            }
        }
    }

    @Test func everyRouteIsDocumented() {
        let known = Set(
            reference.compactMap { entry -> String? in
                guard case .route(let route, _) = router.match(entry.method, path: entry.path, host: nil) else {
                    return nil
                }
                return route.name
            })
        #expect(RouteTable.routes.map(\.name).filter { !known.contains($0) } == [])
    }

    /// Each request matches one route, also in the merged tree of paths without API name.
    @Test func routesDoNotOverlap() {
        let patterns = RouteTable.routes.flatMap { route in route.paths.map { (route.method, $0.pattern) } }
        for (index, (method, pattern)) in patterns.enumerated() {
            for (otherMethod, other) in patterns[(index + 1)...] where method == otherMethod {
                #expect(!overlap(pattern, other), "\(pattern.text) and \(other.text)")
            }
        }
    }

    /// Whether one path can match both patterns; a literal has precedence over a parameter.
    private func overlap(_ left: PathPattern, _ right: PathPattern) -> Bool {
        left.segments.count == right.segments.count
            && zip(left.segments, right.segments).allSatisfy { left, right in
                switch (left, right) {
                case (.literal(let left), .literal(let right)): left == right
                case (.parameter(let left), .parameter(let right)): left == right
                case (.literal, .parameter), (.parameter, .literal): false
                }
            }
    }

    /// All expensive client operations share the rate limit of their class.
    @Test func expensiveOperationsAreRateLimited() {
        let classes = Dictionary(grouping: RouteTable.routes, by: \.rateClass).mapValues { $0.map(\.name) }
        #expect(
            classes[.signIn] == [
                "POST /v1/accounts:signInWithPassword", "POST /v1/accounts:signInWithCustomToken",
                "POST /v1/accounts:signInWithIdp", "POST /v1/accounts:signInWithGameCenter",
                "POST /v2/accounts:revokeToken",
                "POST /v2/accounts/mfaEnrollment:start", "POST /v2/accounts/mfaSignIn:start",
                "POST /v2/accounts/mfaSignIn:finalize", "POST /v2/accounts/recoveryCodes:signIn",
                "POST /v2/accounts/passkeyEnrollment:start", "POST /v2/accounts/passkeySignIn:start",
                "POST /v2/accounts/passkeySignIn:finalize",
                "POST /v1/accounts:sendVerificationCode",
                "POST /v1/accounts:signInWithPhoneNumber", "POST /v1/accounts:verifyIosClient",
                "POST /v1/accounts:sendOobCode", "POST /v1/accounts:resetPassword",
                "POST /v1/accounts:signInWithEmailLink", "POST /v1/accounts:sendEmailCode",
                "POST /v1/accounts:signInWithEmailCode", "POST /v1/accounts:verifyEmailWithCode",
                "POST /v1/accounts:createAuthUri",
                "POST /__/auth/challenge", "GET /__/auth/handler", "GET /__/auth/callback", "POST /__/auth/handler",
                "GET /__/auth/signin", "GET /__/auth/action", "POST /__/auth/action",
                "GET /__/auth/login", "POST /__/auth/login", "POST /__/auth/login/password",
                "POST /__/auth/login/passkey", "POST /__/auth/login/continue", "GET /__/auth/register",
                "POST /__/auth/logout",
                "POST /__/auth/login/email", "POST /__/auth/login/link", "POST /__/auth/login/email-code",
                "POST /__/auth/login/phone", "POST /__/auth/login/phone-code",
                "POST /__/auth/login/enroll-phone", "POST /__/auth/login/enroll-phone-code",
                "POST /__/auth/login/provider",
                "POST /__/auth/login/factor", "POST /__/auth/login/code",
                "POST /__/auth/login/recovery", "POST /__/auth/login/enroll", "POST /__/auth/login/enroll-email",
                "POST /__/auth/login/add-passkey", "POST /__/auth/login/switch", "POST /__/auth/login/restore",
                "POST /__/auth/account/name", "POST /__/auth/account/email", "POST /__/auth/account/verify-email",
                "POST /__/auth/account/password", "GET /__/auth/account/authenticator",
                "POST /__/auth/account/authenticator", "POST /__/auth/account/recovery-codes",
                "POST /__/auth/account/factor-name",
                "GET /__/auth/account/passkey", "POST /__/auth/account/passkey", "POST /__/auth/account/passkey-name",
                "POST /__/auth/account/text-messages", "POST /__/auth/account/text-messages-code",
                "POST /__/auth/account/phone", "POST /__/auth/account/phone-code",
                "POST /__/auth/account/remove", "POST /__/auth/account/devices", "POST /__/auth/account/connect",
                "POST /__/auth/account/data", "POST /__/auth/account/delete",
                "GET /__/auth/authorize", "POST /__/auth/token",
                "POST /console/sign-in", "POST /console/sign-in/code", "POST /console/sign-in/enroll",
                "POST /console/sign-in/passkey", "POST /console/sign-in/factor", "POST /console/welcome",
            ])
        #expect(classes[.signUp] == ["POST /v1/accounts:signUp", "POST /__/auth/register"])
        #expect(classes[.refresh] == ["POST /v1/token", "POST /token"])
        #expect(
            classes[.exempt] == [
                "GET /__/auth/app-verification.js", "GET /__/auth/handler.js", "GET /__/auth/fragment.js",
                "GET /__/auth/iframe.js",
                "GET /__/auth/pages.css", "GET /__/auth/passkeys.js", "GET /__/auth/passkey-session.js",
                "GET /__/auth/passkey-encoding.js", "GET /__/auth/passkey-signals.js",
                "GET /__/auth/hosted-passkey.js", "GET /__/auth/show-password.js",
                "GET /__/auth/account-passkey.js", "GET /__/auth/account-signals.js", "GET /__/auth/latchkey.js",
                "GET /__/auth/latchkey-passkeys.js", "GET /__/auth/console-keys.js",
                "GET /__/auth/console-search.js",
                "GET /livez", "GET /metrics",
            ])
    }

    @Test func unimplementedFeaturesHaveNames() {
        for route in RouteTable.routes {
            if let pending = route.missingFeature { #expect(!pending.isEmpty) }
        }
    }

    /// Client libraries turn unknown sentences into an unreadable code.
    @Test(arguments: [
        (HTTPMethod.post, "/v1/accounts:issueSamlResponse"),
        (.post, "/identitytoolkit/v3/relyingparty/signOutUser"),
    ])
    func unimplementedOperationIsNotAllowed(method: HTTPMethod, path: String) async throws {
        let response = try await GatewayHarness().send(
            method, path, headers: ["Authorization": "Bearer owner"], body: method == .post ? "{}" : nil)
        #expect(response.status == 400)
        #expect(response.message?.hasPrefix("OPERATION_NOT_ALLOWED : Not available: ") == true)
    }
}
