import FoundationEssentials
package import HTTPClient
package import JSON

/// Sends requests to a mesh as an application does.
package struct MeshClient: Sendable {
    /// For example `http://127.0.0.1:9099`.
    package let origin: String
    private let http: HTTPClient

    /// - Parameter connections: requests that run at the same time; more requests wait.
    package init(_ origin: String, connections: Int = 16) {
        self.origin = origin
        var limits = HTTPClient.Limits()
        limits.threads = connections
        limits.maximumWaiting = 4096
        http = HTTPClient(limits)
    }

    package func get(_ path: String, headers: [(name: String, value: String)] = []) async throws -> HTTPClientResponse {
        try await request(.get, path, headers: headers)
    }

    /// Sends a request without a body.
    package func request(
        _ method: HTTPClientRequest.Method, _ path: String, headers: [(name: String, value: String)]
    ) async throws -> HTTPClientResponse {
        try await http.send(.init(method, origin + path, headers: headers))
    }

    package func send(
        _ method: HTTPClientRequest.Method, _ path: String, _ fields: JSONValue,
        headers: [(name: String, value: String)] = []
    ) async throws -> HTTPClientResponse {
        try await http.send(
            .init(
                method, origin + path, headers: headers + [("Content-Type", "application/json")],
                body: WireJSON.encode(fields)))
    }

    /// Sends a form that needs no escaping.
    package func send(form: String, to path: String) async throws -> HTTPClientResponse {
        try await http.send(
            .init(
                .post, origin + path, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Data(form.utf8)))
    }

    /// A call of Identity Toolkit v1 with an API key, as client libraries send it.
    package func call(_ operation: String, _ fields: [String: JSONValue]) async throws -> HTTPClientResponse {
        try await send(.post, "/identitytoolkit.googleapis.com/v1/accounts:\(operation)?key=any", .object(fields))
    }
}

/// A user with an e-mail address and a password.
package struct TestUser: Hashable, Sendable {
    package var email: String
    package var password: String

    package init(email: String, password: String) {
        self.email = email
        self.password = password
    }

    /// A new user.
    package init() {
        let name = UUID().uuidString.lowercased()
        email = "\(name)@example.com"
        password = "secret of \(name)"
    }
}

/// The result of a sign-in.
package struct Tokens: Sendable {
    package var accountID: String
    package var idToken: String
    package var refreshToken: String

    /// Reads the response of a sign-up or sign-in.
    /// - Throws: `UnexpectedResponseError` unless it was successful.
    package init(_ response: HTTPClientResponse) throws {
        accountID = try response.text("localId")
        idToken = try response.text("idToken")
        refreshToken = try response.text("refreshToken")
    }
}

extension MeshClient {
    package func signUp(_ person: TestUser) async throws -> HTTPClientResponse {
        try await call("signUp", person.credentials)
    }

    package func signIn(_ person: TestUser) async throws -> HTTPClientResponse {
        try await call("signInWithPassword", person.credentials)
    }

    package func lookUp(_ idToken: String) async throws -> HTTPClientResponse {
        try await call("lookup", ["idToken": .string(idToken)])
    }

    package func delete(_ idToken: String) async throws -> HTTPClientResponse {
        try await call("delete", ["idToken": .string(idToken)])
    }

    package func refresh(_ refreshToken: String) async throws -> HTTPClientResponse {
        try await send(
            .post, "/securetoken.googleapis.com/v1/token?key=any",
            .object(["grant_type": .string("refresh_token"), "refresh_token": .string(refreshToken)]))
    }
}

extension TestUser {
    fileprivate var credentials: [String: JSONValue] {
        ["email": .string(email), "password": .string(password), "returnSecureToken": .bool(true)]
    }
}

/// A response with which the test cannot continue.
package struct UnexpectedResponseError: Error, CustomStringConvertible {
    package let description: String

    init(_ response: HTTPClientResponse) {
        description = response.summary
    }
}

extension HTTPClientResponse {
    /// Status and body, for reports.
    package var summary: String { "\(status) \(String(decoding: body, as: UTF8.self))" }

    /// - Throws: if the body is not JSON.
    package var json: JSONValue { get throws { try WireJSON.decode(JSONValue.self, from: body) } }

    /// A text in a successful response.
    /// - Throws: `UnexpectedResponseError` if the request was refused, or the response has no such text.
    package func text(_ name: String) throws -> String {
        guard status == 200, case .string(let text)? = try json[name] else { throw UnexpectedResponseError(self) }
        return text
    }

    /// The error code of a refusal, for example `EMAIL_EXISTS`; nil for any other response.
    package var refusal: String? {
        // `try?`: a response without JSON has no error code.
        guard case .string(let message)? = (try? json)?["error"]?["message"] else { return nil }
        return message
    }
}
