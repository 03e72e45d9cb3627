import HTTPServer
import Testing

@testable import GatewayService

private let lookup = Route.notImplemented("a", .post, .v1("accounts:lookup", v3: "getAccountInfo"), .v1, .client)
private let token = Route.notImplemented("b", .post, [.init(.secureToken, "/v1/token")], .v2, .client)
private let cookie = Route.notImplemented("c", .post, .v1Realm(":createSessionCookie"), .v1, .administrator)
private let tenant = Route.notImplemented("d", .get, .v2Project("/tenants/{tenant}"), .v2, .administrator)
private let policy = Route.notImplemented("e", .post, .v2Project("/tenants/{tenant}:getIamPolicy"), .v2, .administrator)
private let live = Route.notImplemented("f", .get, .local("/livez"), .v1, .unauthenticated)
private let root = Route.notImplemented("g", .get, .local("/"), .v1, .unauthenticated)
private let router = Router([lookup, token, cookie, tenant, policy, live, root])

private func found(_ method: HTTPMethod, _ path: String, host: String? = nil) -> (name: String, values: PathValues)? {
    guard case .route(let route, let values) = router.match(method, path: path, host: host) else { return nil }
    return (route.missingFeature ?? "", values)
}

@Suite struct RouterTests {
    @Test(
        arguments: [
            ("/identitytoolkit.googleapis.com/v1/accounts:lookup", nil), ("/v1/accounts:lookup", nil),
            ("/v1/accounts%3Alookup", nil), ("/v1/accounts:lookup", "127.0.0.1:9099"),
            ("/v1/accounts:lookup", "identitytoolkit.googleapis.com"),
            ("/v1/accounts:lookup", "IdentityToolkit.googleapis.com:443"),
            ("/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo", nil),
            ("/identitytoolkit/v3/relyingparty/getAccountInfo", "www.googleapis.com"),
        ] as [(String, String?)])
    func routeMatchesAllItsNames(path: String, host: String?) {
        #expect(found(.post, path, host: host)?.name == "a")
    }

    @Test(
        arguments: [
            ("/securetoken.googleapis.com/v1/accounts:lookup", nil), ("/identitytoolkit.googleapis.com/v1/token", nil),
            ("/v1/accounts:lookup", "securetoken.googleapis.com"), ("/v1/token", "identitytoolkit.googleapis.com"),
            ("/securetoken.googleapis.com/v1/token", "identitytoolkit.googleapis.com"),
            ("/identitytoolkit.googleapis.com/livez", nil), ("/identitytoolkit.googleapis.com/", nil),
            ("/www.googleapis.com/v1/accounts:lookup", nil),
        ] as [(String, String?)])
    func pathOfOtherAPIDoesNotMatch(path: String, host: String?) {
        #expect(found(.post, path, host: host) == nil)
        #expect(found(.get, path, host: host) == nil)
    }

    @Test(arguments: [
        "", "v1/accounts:lookup", "/v1/accounts:fly", "/v9/accounts:lookup", "/v1/accounts:lookup/", "//livez",
        "/v1//accounts:lookup", "/v1/accounts:look%7", "/v1/accounts:look%zz", "/nowhere", "/v1",
        "/" + String(repeating: "a/", count: 1500), "*",
    ])
    func unknownPathDoesNotMatch(path: String) {
        guard case .unknown = router.match(.post, path: path, host: nil) else {
            Issue.record("found something at \(path.prefix(60))")
            return
        }
    }

    @Test func unknownMethodDiffersFromUnknownPath() {
        guard case .otherMethods(let routes) = router.match(.get, path: "/v1/accounts:lookup", host: nil) else {
            Issue.record("not the known path")
            return
        }
        #expect(routes.map(\.missingFeature) == ["a"])
    }

    @Test func headMatchesGetRoutes() {
        #expect(found(.head, "/livez")?.name == "f")
        #expect(found(.head, "/v1/accounts:lookup") == nil)
    }

    @Test(
        arguments: [
            (HTTPMethod.post, "/v1/projects/p1:createSessionCookie", "c", "p1", nil),
            (.post, "/v1/projects/example.com:p1:createSessionCookie", "c", "example.com:p1", nil),
            (.post, "/v1/projects/p1/tenants/t-1:createSessionCookie", "c", "p1", "t-1"),
            (.get, "/v2/projects/p1/tenants/t-1", "d", "p1", "t-1"),
            (.get, "/admin/v2/projects/p1/tenants/t-1", "d", "p1", "t-1"),
            (.post, "/v2/projects/p1/tenants/t-1:getIamPolicy", "e", "p1", "t-1"),
            (.get, "/v2/projects/a%20b/tenants/t%2F1", "d", "a b", "t/1"),
        ] as [(HTTPMethod, String, String, String, String?)])
    func parametersAndVerbsAreRead(
        method: HTTPMethod, path: String, route: String, project: String, tenant: String?
    ) throws {
        let match = try #require(found(method, path))
        #expect(match.name == route)
        #expect(match.values[.project] == project)
        #expect(match.values[.tenant] == tenant)
    }

    @Test(arguments: ["/v1/projects/:createSessionCookie", "/v1/projects/p1:fly", "/v2/projects//tenants/t"])
    func emptyParameterDoesNotMatch(path: String) {
        #expect(found(.post, path) == nil)
        #expect(found(.get, path) == nil)
    }

    @Test func rootMatches() {
        #expect(found(.get, "/")?.name == "g")
    }
}
