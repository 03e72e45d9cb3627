package import Crypto
import FoundationEssentials
import HTTPServer
package import JOSE
package import JSON
package import Synchronization
package import Vocabulary

/// Identity providers on one local server: an OpenID provider with its key set and token endpoint, the key sets of
/// Apple, Facebook, Google, LinkedIn and Microsoft, Facebook's Graph API, GitHub's API, and the files of Game Center.
package final class FakeProviders: Sendable {
    package struct State {
        package var keys: [(id: String, key: PrivateKey)] = []
        package var requests: [String] = []
        package var forms: [[String: String]] = []
        /// The reply of the token endpoint.
        package var tokenReply = JSONValue.object([:])
        /// Replies by path, instead of those below.
        package var replies: [String: (status: Int, body: String)] = [:]
        /// Responses by path that are no text.
        package var files: [String: [UInt8]] = [:]
        /// Paths that never respond, with everything below them.
        package var hangingPaths: Set<String> = []
        /// Members of the discovery document.
        package var discovery: [String: JSONValue] = [:]
        package var base = "http://127.0.0.1:1"
        fileprivate var waiting: [CheckedContinuation<Void, Never>] = []
        fileprivate var isStopping = false
    }

    package static let clientID = "client-1"
    package static let appSecret = "facebook-app-secret"
    package let state = Mutex(State())

    package init() throws {
        try addKey("k1")
    }

    /// The value of `LATCHKEY_DEV_ENDPOINTS` that leads requests of federation here.
    package var endpoints: String {
        let hosts = [
            "accounts.google.com": "google", "www.googleapis.com": "google", "graph.facebook.com": "graph",
            "limited.facebook.com": "facebook", "appleid.apple.com": "apple", "api.github.com": "github",
            "login.microsoftonline.com": "microsoft", "www.linkedin.com": "linkedin", "api.linkedin.com": "linkedin",
            "static.gc.apple.com": "gamecenter",
            "cacerts.digicert.com": "digicert",
        ].map { "\"\($0)\":\"\(base)/\($1)\"" }
        return "{\(hosts.joined(separator: ","))}"
    }

    package func addKey(_ id: String, replacing: Bool = false) throws {
        let key = try TestKey.rsa(id)
        state.withLock { state in
            if replacing { state.keys = [] }
            state.keys.append((id, key))
        }
    }

    package var base: String { state.withLock { $0.base } }

    package var keySet: JWKSet { JWKSet(state.withLock { $0.keys.map { JWK($0.key.publicKey, keyID: $0.id) } }) }

    package func count(of path: String) -> Int { state.withLock { $0.requests.filter { $0 == path }.count } }

    package func reply(_ path: String, _ status: Int, _ body: String = "{}") {
        state.withLock { $0.replies[path] = (status, body) }
    }

    /// An ID token. A claim that is null is left out.
    package func token(
        issuer: String? = nil, audience: String = FakeProviders.clientID, at now: Moment,
        _ claims: [String: JSONValue] = [:]
    ) throws -> String {
        let seconds = now.timestamp.seconds
        var all: [String: JSONValue] = [
            "iss": .string(issuer ?? base), "aud": .string(audience), "sub": .string("subject-1"),
            "iat": .integer(seconds), "exp": .integer(seconds + 600),
        ]
        all.merge(claims) { $1 }
        let json = try WireJSON.encode(JSONValue.object(all.filter { $0.value != .null }))
        guard let (id, key) = state.withLock({ $0.keys.last }) else { preconditionFailure("there is a key") }
        return try JWT.sign(claims: json, keyID: id, with: key)
    }

    /// The requests to `hangingPaths` that wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func waitIfHanging(_ path: String) async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard !state.isStopping, state.hangingPaths.contains(where: path.hasPrefix) else { return false }
                state.waiting.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    private func releaseHanging() {
        let waiting = state.withLock { state in
            state.isStopping = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let query = Dictionary(request.queryItems.map { ($0.name, $0.value) }) { first, _ in first }
        let state = state.withLock { state in
            state.requests.append(request.path)
            if request.method == .post { state.forms.append(Self.form(request)) }
            return state
        }
        if let file = state.files[request.path] { return HTTPResponse(status: 200, body: Data(file)) }
        if let reply = state.replies[request.path] { return Self.response(reply.status, reply.body) }
        switch request.path {
        case "/.well-known/openid-configuration":
            var document: [String: JSONValue] = [
                "issuer": .string(state.base), "jwks_uri": .string("\(state.base)/jwks"),
                "authorization_endpoint": .string("\(state.base)/authorize"),
                "token_endpoint": .string("\(state.base)/token"),
            ]
            document.merge(state.discovery) { $1 }
            return Self.response(200, .object(document))
        case "/jwks", "/google/oauth2/v3/certs", "/facebook/.well-known/oauth/openid/jwks/", "/apple/auth/keys",
            "/linkedin/oauth/openid/jwks", "/microsoft/common/discovery/v2.0/keys":
            let set = keySet
            return Self.response(200, (try? WireJSON.encode(set)).map { String(decoding: $0, as: UTF8.self) } ?? "")
        case "/token", "/linkedin/oauth/v2/accessToken": return Self.response(200, state.tokenReply)
        default:
            if request.path.hasPrefix("/graph/") { return Self.graph(request.path, query) }
            return Self.response(404, "{}")
        }
    }

    private static func graph(_ path: String, _ query: [String: String]) -> HTTPResponse {
        let token = query[path.hasSuffix("debug_token") ? "input_token" : "access_token"] ?? ""
        guard token.hasPrefix("EAA") else { return response(400, #"{"error":{"code":190}}"#) }
        if path.hasSuffix("debug_token") {
            let app = token.hasPrefix("EAAother") ? "999" : clientID
            guard query["access_token"] == "\(clientID)|\(appSecret)" else {
                return response(400, "{}")
            }
            return response(
                200,
                #"{"data":{"app_id":"\#(app)","type":"USER","is_valid":\#(token != "EAAinvalid"),"user_id":"4711","expires_at":1700003600}}"#
            )
        }
        let proof = HMAC.sha256(key: Array(appSecret.utf8), message: Array(token.utf8)).hexadecimal
        guard path.hasSuffix("/me"), query["appsecret_proof"] == proof else { return response(400, "{}") }
        let id = token == "EAAforeign" ? "4712" : "4711"
        return response(
            200,
            #"{"id":"\#(id)","name":"Fay Book","email":"fay@example.com","picture":{"data":{"url":"https://img.example/f.png"}}}"#
        )
    }

    private static func form(_ request: HTTPRequest) -> [String: String] {
        let pairs = String(decoding: request.body, as: UTF8.self).pieces(at: "&").map { pair in
            let (name, value) = pair.halves(at: "=")
            return (String(name), PercentEncoding.decoded(value ?? "", isForm: true) ?? "")
        }
        return Dictionary(pairs) { first, _ in first }
            .merging(["authorization": request.headers["authorization"] ?? ""]) { $1 }
    }

    private static func response(_ status: Int, _ value: JSONValue) -> HTTPResponse {
        response(status, (try? WireJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    private static func response(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", "application/json")], body: Data(body.utf8))
    }

    /// Runs it while `body` runs.
    package static func running(_ body: (FakeProviders) async throws -> Void) async throws {
        let providers = try FakeProviders()
        var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
        settings.shutdownTime = .milliseconds(50)
        let server = try HTTPServer(settings, refusal: { HTTPResponse(status: $0.status) }) {
            await providers.waitIfHanging($0.path)
            return providers.answer($0)
        }
        providers.state.withLock { $0.base = "http://127.0.0.1:\(server.port)" }
        async let running: Void = server.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(providers))
        } catch {
            result = .failure(error)
        }
        providers.releaseHanging()
        server.beginShutdown()
        await running
        try result.get()
    }
}
