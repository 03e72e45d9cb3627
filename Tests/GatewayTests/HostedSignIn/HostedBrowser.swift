import Contracts
import FoundationEssentials
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// A browser at the hosted sign-in of a scripted mesh, without script.
final class HostedBrowser {
    let harness: GatewayHarness
    var cookies: [String: String] = [:]
    static let query = "apiKey=k&continueUrl=https%3A%2F%2Fapp.example.org%2Fhome&hl=en"

    init() throws {
        harness = try .production(["LATCHKEY_PUBLIC_URL": "https://auth.example.org"])
        let mesh = harness.mesh
        mesh.reply(to: Identity.ResolveAPIKey.self) { request in
            guard request.apiKey == "k" else { throw ServiceError(.unknownAPIKey) }
            return .init(project: ProjectID("shop"))
        }
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.signIn = .init()
            configuration.signIn?.email = .init()
            configuration.signIn?.email?.enabled = true
            configuration.signIn?.email?.passwordRequired = false
            configuration.signIn?.emailCode = .init()
            configuration.signIn?.emailCode?.enabled = true
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        mesh.reply(to: Passkey.DescribeRelyingParty.self) { _ in throw ServiceError(.passkeysNotEnabled) }
        mesh.reply(to: Federation.ListSignInProviders.self) { _ in
            .init(providers: [.init(id: "google.com", name: "Google"), .init(id: "oidc.bolt", name: "<Bolt>")])
        }
        mesh.reply(to: Identity.SignInWithPassword.self) { request in
            switch request.password?.reveal() {
            case "right": return .init(account: Self.account, tokens: Self.tokens)
            case "second":
                let totp = SecondFactor(
                    id: FactorID("f1"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0))
                return .init(
                    account: Self.account,
                    secondFactor: .init(
                        pendingCredential: Secret("pending"), factors: [totp], remainingRecoveryCodes: 3))
            default: throw ServiceError(request.email == "ada@example.com" ? .invalidPassword : .emailNotFound)
            }
        }
        mesh.reply(to: Identity.ResolvePendingSignIn.self) { _ in
            .init(
                accountID: Self.account.id, realm: Self.account.realm, factors: Self.factors,
                startedAt: Moment(milliseconds: 0), verification: .totp(windowSteps: 1))
        }
        mesh.reply(to: MFATOTP.FinishSignIn.self) { request in
            guard request.code == Secret("123456") else { throw ServiceError(.invalidCode) }
            return .init(account: Self.account, tokens: Self.tokens)
        }
        mesh.reply(to: Identity.RefreshSession.self) { request in
            guard request.refreshToken == Secret("refresh") else { throw ServiceError(.invalidRefreshToken) }
            return .init(accountID: Self.account.id, projectNumber: "1", tokens: Self.tokens)
        }
        mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in .init(account: Self.account) }
    }

    static var account: Account {
        var account = Account.example()
        account.realm = Realm(project: ProjectID("shop"))
        account.email = EmailAddress("ada@example.com")
        return account
    }
    static let tokens = TokenSet(idToken: Secret("id"), refreshToken: Secret("refresh"), expiresInSeconds: 3600)
    static var factors: [SecondFactor] {
        [SecondFactor(id: FactorID("f1"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0))]
    }

    @discardableResult
    func get(_ path: String, _ query: String = query, host: String = "auth.example.org") async throws -> TestResponse {
        store(try await harness.send(.get, path, query: query, headers: headers(host)))
    }

    /// Sends a form with the token of the visit.
    func post(
        _ path: String, _ fields: [String: String], token: String? = nil, site: String = "same-origin",
        query: String = query
    ) async throws -> TestResponse {
        let all = fields.merging([HostedFlow.tokenField: token ?? self.token ?? ""]) { $1 }
        let body = all.map { "\($0.key)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
        var headers = headers("auth.example.org")
        headers["Sec-Fetch-Site"] = site
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return store(try await harness.send(.post, path, query: query, headers: headers, body: body))
    }

    /// Follows the redirect of a form.
    func follow(_ response: TestResponse) async throws -> TestResponse {
        let location = try #require(response.header("Location"))
        let (path, query) = location.halves(at: "?")
        return try await get(String(path), String(query ?? ""))
    }

    /// The form has signed in: the next page leads to the application.
    func leaves(after done: TestResponse) async throws -> Bool {
        guard done.status == 303 else { return false }
        let page = try await follow(done)
        return page.status == 200 && page.header("Refresh") == "0; url=https://app.example.org/home"
    }

    var token: String? {
        HostedFlow(in: storedHeaders, of: Realm(project: ProjectID("shop")), isSecure: true).token
    }

    private var storedHeaders: HTTPHeaders {
        var fields = HTTPHeaders()
        fields.append("Cookie", headers("auth.example.org")["Cookie"] ?? "")
        return fields
    }

    private func headers(_ host: String) -> [String: String] {
        ["Host": host, "Cookie": cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")]
    }

    private func store(_ response: TestResponse) -> TestResponse {
        for field in response.http.headers where field.name == "Set-Cookie" {
            let (name, value) = field.value.halves(at: ";").before.halves(at: "=")
            cookies[String(name)] = value.nilIfEmpty.map(String.init)
        }
        return response
    }
}
