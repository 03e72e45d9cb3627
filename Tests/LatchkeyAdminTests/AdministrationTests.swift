import Crypto
import Foundation
import JOSE
import TestSupport
import Testing

@testable import LatchkeyAdmin
@testable import LatchkeyAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An admin listener that records requests and sends what a test has prepared.
final class AdminListener: Sendable {
    struct Request: Sendable {
        var method: String
        var path: String
        var query: [String: String]
        var headers: [String: String]
        var body: Data

        var authorization: String? { headers["Authorization"] }
        var json: [String: any Sendable] { JSONObject(body)?.members ?? [:] }
        func text(_ member: String) -> String? { json[member] as? String }
    }

    typealias Response = (status: Int, body: String)

    struct State {
        var now = TokenSigner.now
        var requests: [Request] = []
        var responses: [String: [Response]] = [:]
        var isHeld = false
        var error: URLError.Code?
    }

    let state = Locked(State())

    var requests: [Request] { state.withLock { $0.requests } }
    func requests(to path: String) -> [Request] { requests.filter { $0.path == path } }
    func advance(_ seconds: TimeInterval) { state.withLock { $0.now += seconds } }

    /// Responses to the requests to a path, in order; the last one stays.
    func respond(to path: String, _ responses: Response...) { state.withLock { $0.responses[path] = responses } }

    var clock: AuthClock { AuthClock(now: { self.state.withLock { $0.now } }, sleep: { _ in }) }

    var transport: HTTPTransport {
        HTTPTransport { request in
            let url = try #require(request.url)
            let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: true))
            let query = (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }
            let received = Request(
                method: request.httpMethod ?? "", path: components.percentEncodedPath,
                query: Dictionary(query) { $1 }, headers: request.allHTTPHeaderFields ?? [:],
                body: request.httpBody ?? Data())
            self.state.withLock { $0.requests.append(received) }
            while self.state.withLock({ $0.isHeld }) { await Task.yield() }
            let (status, body) = try self.state.withLock { state in
                if let error = state.error { throw URLError(error) }
                var prepared = state.responses[received.path] ?? []
                let response = prepared.first ?? (200, "{}")
                if prepared.count > 1 { prepared.removeFirst() }
                state.responses[received.path] = prepared
                return response
            }
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
            return (Data(body.utf8), try #require(response))
        }
    }

    func admin(_ credential: AdminCredential = .emulator) throws -> AdminAuth {
        AdminAuth(
            projectID: "shop", serverURL: try #require(URL(string: "https://admin.example.org")),
            credential: credential, transport: transport, clock: clock)
    }
}

struct AdministrationTests {
    private let listener = AdminListener()
    private static let lookup = "/v1/projects/shop/accounts:lookup"
    private static let update = "/v1/projects/shop/accounts:update"

    // MARK: - Accounts

    @Test func accountIsRead() async throws {
        listener.respond(
            to: Self.lookup,
            (
                200,
                #"""
                {"users":[{"localId":"ada","email":"ada@example.org","emailVerified":true,"displayName":"Ada",
                "photoUrl":"https://example.org/p","phoneNumber":"+15555550100","disabled":true,"tenantId":"t1",
                "customAttributes":"{\"role\":\"editor\",\"level\":3}","validSince":"1700000000",
                "createdAt":"1600000000000","lastLoginAt":"1650000000500",
                "providerUserInfo":[{"providerId":"google.com","rawId":"g1"}],
                "mfaInfo":[{"mfaEnrollmentId":"f1","phoneInfo":"+15555550101","enrolledAt":"2026-01-01T00:00:00.5Z"}]}]}
                """#
            ))
        let user = try await listener.admin().getUser("ada")
        #expect(user.uid == "ada" && user.email == "ada@example.org" && user.isEmailVerified && user.isDisabled)
        #expect(user.displayName == "Ada" && user.photoURL?.absoluteString == "https://example.org/p")
        #expect(user.phoneNumber == "+15555550100" && user.tenantID == "t1")
        #expect(user.customClaims["role"] as? String == "editor" && user.customClaims["level"] as? Int == 3)
        #expect(user.tokensValidAfter == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(user.metadata.creationDate == Date(timeIntervalSince1970: 1_600_000_000))
        #expect(user.metadata.lastSignInDate == Date(timeIntervalSince1970: 1_650_000_000.5))
        #expect(user.providerData.map(\.providerID) == ["google.com"])
        #expect(user.enrolledFactors.map(\.uid) == ["f1"])
        let request = try #require(listener.requests.first)
        #expect(request.method == "POST" && request.authorization == "Bearer owner")
        #expect(request.json["localId"] as? [String] == ["ada"])
    }

    @Test func unknownAccountIsAnError() async throws {
        let admin = try listener.admin()
        await #expect(throws: AdminError(.userNotFound)) { try await admin.getUser("nobody") }
    }

    @Test func lookupReportsIdentifiersWithoutAccount() async throws {
        listener.respond(
            to: Self.lookup,
            (
                200,
                #"{"users":[{"localId":"a","email":"a@example.org","providerUserInfo":[{"providerId":"x.com","rawId":"1"}]}]}"#
            ))
        let found: [UserIdentifier] = [.uid("a"), .email("A@example.org"), .provider(id: "x.com", uid: "1")]
        let missing: [UserIdentifier] = [
            .uid("b"), .email("b@example.org"), .phoneNumber("+15555550100"), .provider(id: "x.com", uid: "2"),
        ]
        let admin = try listener.admin()
        let result = try await admin.getUsers(found + missing)
        #expect(result.users.map(\.uid) == ["a"])
        #expect(result.notFound == missing)
        #expect(try await admin.getUsers([]).users.isEmpty)
        #expect(listener.requests.count == 1)
        let most = (0..<AdminAuth.maximumUsersPerLookup).map { UserIdentifier.uid("\($0)") }
        _ = try await admin.getUsers(most)
        await #expect(throws: AdminError(.invalidArgument)) { try await admin.getUsers(most + [.uid("x")]) }
    }

    @Test func listingReadsPageByPage() async throws {
        let path = "/v1/projects/shop/accounts:batchGet"
        listener.respond(
            to: path, (200, #"{"users":[{"localId":"a"},{"localId":"b"}],"nextPageToken":"p2"}"#),
            (200, #"{"users":[{"localId":"c"}]}"#))
        var uids: [String] = []
        for try await user in try listener.admin().listUsers(pageSize: 2) {
            if uids.isEmpty { #expect(listener.requests.count == 1) }
            uids.append(user.uid)
        }
        #expect(uids == ["a", "b", "c"])
        #expect(listener.requests.map(\.query) == [["maxResults": "2"], ["maxResults": "2", "nextPageToken": "p2"]])
    }

    /// A server that never ends the list does not keep a backend busy.
    @Test(arguments: [#"{"nextPageToken":"p"}"#, #"{"users":[{"localId":"a"}],"nextPageToken":"p"}"#])
    func endlessListingEnds(page: String) async throws {
        listener.respond(to: "/v1/projects/shop/accounts:batchGet", (200, page))
        for try await _ in try listener.admin().listUsers() {}
        #expect(listener.requests.count <= 2)
    }

    @Test func newAccountIsSent() async throws {
        listener.respond(to: "/v1/projects/shop/accounts", (200, #"{"localId":"ada"}"#))
        listener.respond(to: Self.lookup, (200, #"{"users":[{"localId":"ada"}]}"#))
        var user = NewUser(uid: "ada", email: "ada@example.org", password: "secret password")
        user.isEmailVerified = true
        user.secondFactors = [.init(phoneNumber: "+15555550100", displayName: "phone")]
        try await listener.admin().createUser(user)
        let body = try #require(listener.requests.first).json
        #expect(body["localId"] as? String == "ada" && body["emailVerified"] as? Bool == true)
        #expect(body["disabled"] as? Bool == false && body["displayName"] == nil)
        let factors = try #require(body["mfaInfo"] as? [[String: any Sendable]])
        #expect(factors.first?["phoneInfo"] as? String == "+15555550100")
    }

    @Test func changeIsSent() async throws {
        listener.respond(to: Self.lookup, (200, #"{"users":[{"localId":"ada"}]}"#))
        var update = UserUpdate()
        update.displayName = .remove
        update.photoURL = .set(try #require(URL(string: "https://example.org/p")))
        update.phoneNumber = .remove
        update.isDisabled = false
        update.providersToUnlink = ["facebook.com"]
        update.removesSecondFactors = true
        try await listener.admin().updateUser("ada", update)
        let body = try #require(listener.requests(to: Self.update).first).json
        #expect(body["deleteAttribute"] as? [String] == ["DISPLAY_NAME"])
        #expect(body["deleteProvider"] as? [String] == ["facebook.com", "phone"])
        #expect(body["photoUrl"] as? String == "https://example.org/p")
        #expect(body["disableUser"] as? Bool == false)
        #expect((body["mfa"] as? [String: any Sendable])?.isEmpty == true)
        #expect(Set(body.keys) == ["localId", "deleteAttribute", "deleteProvider", "photoUrl", "disableUser", "mfa"])
    }

    @Test func customClaimsAreSentAsText() async throws {
        let admin = try listener.admin()
        let nested: [String: any Sendable] = ["b": true, "a": [1, 2.5, "x", NSNull()] as [any Sendable]]
        try await admin.setCustomUserClaims(["role": "editor", "nested": nested], forUID: "ada")
        try await admin.setCustomUserClaims([:], forUID: "ada")
        #expect(
            listener.requests.map { $0.text("customAttributes") }
                == [#"{"nested":{"a":[1,2.5,"x",null],"b":true},"role":"editor"}"#, "{}"])
        await #expect(throws: AdminError(.invalidClaims)) {
            try await admin.setCustomUserClaims(["date": Date()], forUID: "ada")
        }
    }

    @Test func revocationNamesTheTime() async throws {
        try await listener.admin().revokeRefreshTokens(forUID: "ada")
        #expect(listener.requests.first?.text("validSince") == "1700000000")
    }

    @Test func deletionsReportFailures() async throws {
        let path = "/v1/projects/shop/accounts:batchDelete"
        listener.respond(to: path, (200, #"{"errors":[{"index":1,"localId":"b","message":"NOT_DISABLED"}]}"#))
        let admin = try listener.admin()
        #expect(try await admin.deleteUsers(["a", "b"]) == ["b": "NOT_DISABLED"])
        #expect(try await admin.deleteUsers([]).isEmpty)
        let most = (0..<AdminAuth.maximumUsersPerDeletion).map(String.init)
        _ = try await admin.deleteUsers(most)
        await #expect(throws: AdminError(.invalidArgument)) { try await admin.deleteUsers(most + ["x"]) }
        #expect(listener.requests.count == 2)
    }

    // MARK: - Paths

    @Test func tenantIsPartOfThePath() async throws {
        let admin = try listener.admin().auth(forTenantID: "t1")
        try await admin.deleteUser("ada")
        listener.respond(
            to: "/v1/projects/shop/tenants/t1:createSessionCookie", (200, #"{"sessionCookie":"cookie"}"#))
        #expect(try await admin.createSessionCookie(idToken: "token", expiresIn: 300) == "cookie")
        #expect(
            listener.requests.map(\.path) == [
                "/v1/projects/shop/tenants/t1/accounts:delete", "/v1/projects/shop/tenants/t1:createSessionCookie",
            ])
    }

    @Test(arguments: ["", ".", ".."]) func idThatIsNoPathIsRejected(tenantID: String) async throws {
        let admin = try listener.admin().auth(forTenantID: tenantID)
        await #expect(throws: AdminError(.invalidArgument)) { try await admin.deleteUser("ada") }
        #expect(listener.requests.isEmpty)
    }

    @Test func slashInAnIDDoesNotChangeThePath() async throws {
        try await listener.admin().auth(forTenantID: "t/../x?y#z").deleteUser("ada")
        #expect(listener.requests.map(\.path) == ["/v1/projects/shop/tenants/t%2F..%2Fx%3Fy%23z/accounts:delete"])
    }

    @Test(arguments: [300, 1_209_600]) func cookieDurationHasBounds(seconds: TimeInterval) async throws {
        let path = "/v1/projects/shop:createSessionCookie"
        listener.respond(to: path, (200, #"{"sessionCookie":"cookie"}"#))
        let admin = try listener.admin()
        _ = try await admin.createSessionCookie(idToken: "token", expiresIn: seconds)
        #expect(listener.requests(to: path).first?.text("validDuration") == String(Int(seconds)))
        let beyond = seconds + (seconds == 300 ? -1 : 1)
        await #expect(throws: AdminError(.invalidSessionCookieDuration)) {
            try await admin.createSessionCookie(idToken: "token", expiresIn: beyond)
        }
        await #expect(throws: AdminError(.invalidSessionCookieDuration)) {
            try await admin.createSessionCookie(idToken: "token", expiresIn: .nan)
        }
    }

    // MARK: - Errors

    @Test(
        arguments: [
            (400, #"{"error":{"code":400,"message":"EMAIL_EXISTS"}}"#, .emailAlreadyExists, "EMAIL_EXISTS"),
            (
                400, #"{"error":{"code":400,"message":"WEAK_PASSWORD : Too short"}}"#, .invalidPassword, "WEAK_PASSWORD"
            ),
            (
                401, #"{"error":{"message":"Request is missing.","status":"UNAUTHENTICATED"}}"#, .invalidCredential,
                "UNAUTHENTICATED"
            ),
            (
                403, #"{"error":{"message":"No.","status":"PERMISSION_DENIED"}}"#, .insufficientPermission,
                "PERMISSION_DENIED"
            ),
            (
                404, #"{"error":{"message":"TENANT_NOT_FOUND","status":"NOT_FOUND"}}"#, .tenantNotFound,
                "TENANT_NOT_FOUND"
            ),
            (404, #"{"error":{"message":"Unknown path.","status":"NOT_FOUND"}}"#, .notFound, "NOT_FOUND"),
            (
                400, #"{"error":{"message":"Invalid value","status":"INVALID_ARGUMENT"}}"#, .invalidArgument,
                "INVALID_ARGUMENT"
            ),
            (429, "", .tooManyRequests, nil), (500, "<html>", .internalError, nil), (502, "", .networkError, nil),
            (400, #"{"error":{"message":"SOMETHING_NEW"}}"#, .internalError, "SOMETHING_NEW"),
        ] as [(Int, String, AdminError.Code, String?)])
    func responseIsATypedError(status: Int, body: String, code: AdminError.Code, serverCode: String?) async throws {
        listener.respond(to: "/v1/projects/shop/accounts:delete", (status, body))
        let admin = try listener.admin()
        let error = try await #require(throws: AdminError.self) { try await admin.deleteUser("ada") }
        #expect(error.code == code)
        #expect(error.serverCode == serverCode)
        #expect(!error.message.isEmpty)
    }

    @Test func unreachableServerIsANetworkError() async throws {
        listener.state.withLock { $0.error = .cannotConnectToHost }
        let admin = try listener.admin()
        await #expect(throws: AdminError(.networkError)) { try await admin.deleteUser("ada") }
        #expect(listener.requests.count == RetrySchedule.maximumAttempts)
    }

    /// A second execution would create a second account.
    @Test func creationIsNotRepeatedWithoutResponse() async throws {
        listener.state.withLock { $0.error = .timedOut }
        let admin = try listener.admin()
        await #expect(throws: AdminError(.networkError)) { try await admin.createUser(NewUser()) }
        #expect(listener.requests.count == 1)
    }

    // MARK: - Projects and tenants

    @Test func factorsAreChangedByTheirPaths() async throws {
        let path = "/v2/projects/shop/config"
        let document = #"{"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS"]},"authorizedDomains":["a.org"]}"#
        listener.respond(to: path, (200, document))
        let manager = try listener.admin().projectConfigManager()
        let config = try await manager.updateProjectConfig(
            multiFactorConfig: MultiFactorConfig(
                providerConfigs: [.init(state: .enabled, totpProviderConfig: .init(adjacentIntervals: 5))]))
        #expect(config.multiFactorConfig.state == .enabled && config.multiFactorConfig.factorIDs == [.phone])
        #expect(config.authorizedDomains == ["a.org"])
        let request = try #require(listener.requests.first)
        #expect(request.method == "PATCH")
        // A mask of `mfa` would switch phones off.
        #expect(request.query == ["updateMask": "mfa.providerConfigs"])
        #expect(
            String(decoding: request.body, as: UTF8.self).contains(
                #""totpProviderConfig":{"adjacentIntervals":5}"#))
    }

    @Test func changeWithoutContentReadsOnly() async throws {
        listener.respond(to: "/v2/projects/shop/tenants/t1", (200, #"{"name":"projects/shop/tenants/t1"}"#))
        let admin = try listener.admin()
        try await admin.projectConfigManager().updateProjectConfig()
        try await admin.tenantManager().updateTenant("t1", TenantSettings())
        #expect(listener.requests.map(\.method) == ["GET", "GET"])
    }

    @Test func wholeConfigurationIsRead() async throws {
        listener.respond(
            to: "/v2/projects/shop/config",
            (
                200,
                #"""
                {"mfa":{"state":"DISABLED","providerConfigs":[{"state":"ENABLED","totpProviderConfig":{}}]},
                "passwordPolicyConfig":{"passwordPolicyEnforcementState":"ENFORCE","passwordPolicyVersions":[
                {"customStrengthOptions":{"minPasswordLength":10},"schemaVersion":1}]},
                "smsRegionConfig":{"allowlistOnly":{"allowedRegions":["DE"]}},
                "emailPrivacyConfig":{"enableImprovedEmailPrivacy":true},"unknown":{}}
                """#
            ))
        let config = try await listener.admin().projectConfigManager().projectConfig()
        #expect(config.multiFactorConfig.providerConfigs?.first?.totpProviderConfig == .init())
        #expect(config.passwordPolicyConfig?.enforcementState == .enforce)
        #expect(config.passwordPolicyConfig?.constraints?.minPasswordLength == 10)
        #expect(config.smsRegionConfig?.allowedRegions == ["DE"] && config.smsRegionConfig?.disallowedRegions == nil)
        #expect(config.emailPrivacyConfig?.enableImprovedEmailPrivacy == true)
    }

    @Test func tenantIsChangedByItsPaths() async throws {
        let path = "/v2/projects/shop/tenants/t1"
        listener.respond(to: path, (200, #"{"name":"projects/shop/tenants/t1","displayName":"Shop"}"#))
        let tenant = try await listener.admin().tenantManager().updateTenant(
            "t1", TenantSettings(allowPasswordSignup: true, mfaConfig: MultiFactorConfig(state: .enabled)))
        #expect(tenant.tenantID == "t1" && tenant.settings.displayName == "Shop")
        #expect(listener.requests.first?.query == ["updateMask": "allowPasswordSignup,mfaConfig.state"])
    }

    // MARK: - Links

    @Test func linkIsReturnedInsteadOfAnEmail() async throws {
        listener.respond(
            to: "/v1/projects/shop/accounts:sendOobCode", (200, #"{"oobLink":"https://auth.example.org/x?oobCode=1"}"#))
        let link = try await listener.admin().generatePasswordResetLink(forEmail: "ada@example.org")
        #expect(link.absoluteString == "https://auth.example.org/x?oobCode=1")
        let body = try #require(listener.requests.first).json
        #expect(body["requestType"] as? String == "PASSWORD_RESET" && body["returnOobLink"] as? Bool == true)
    }
}
