internal import Foundation

@testable internal import LatchkeyAuth

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A server that returns prepared responses and records the requests.
final class PreparedServer: Sendable {
    struct Response: Sendable {
        var status = 200
        var body: String

        /// An error response with a code.
        static func error(_ code: String, status: Int = 400) -> Response {
            Response(status: status, body: #"{"error":{"code":\#(status),"message":"\#(code)"}}"#)
        }
    }

    struct Request: Sendable {
        /// The last component, such as `accounts:lookup`.
        var call: String
        var body: [String: any Sendable]

        func text(_ name: String) -> String? { body[name] as? String }
        func object(_ name: String) -> [String: any Sendable]? { body[name] as? [String: any Sendable] }
    }

    private struct State {
        var responses: [String: [Response]]
        var requests: [Request] = []
    }

    private let state: Locked<State>

    /// - Parameter responses: by the last components of the paths, in the order of the requests. The last one repeats.
    ///   A missing one is an empty object.
    init(_ responses: [String: [Response]]) { state = Locked(State(responses: responses)) }

    var requests: [Request] { state.withLock { $0.requests } }

    func requests(of call: String) -> [Request] { requests.filter { $0.call.hasSuffix(call) } }

    private func response(to request: Request) -> Response {
        state.withLock { state in
            state.requests.append(request)
            guard let key = state.responses.keys.first(where: { request.call.hasSuffix($0) }),
                let response = state.responses[key]?.first
            else { return Response(body: "{}") }
            if (state.responses[key]?.count ?? 0) > 1 { state.responses[key]?.removeFirst() }
            return response
        }
    }

    /// The `Auth` of an application of this server.
    /// - Parameter sleep: replaces all pauses. Without it, they end at once when the task is canceled only.
    func auth(
        _ options: LatchkeyOptions = .registered,
        sleep: @escaping @Sendable (Duration) async throws -> Void = PreparedServer.untilCanceled
    ) -> Auth {
        let transport = HTTPTransport { [self] request in
            guard let url = request.url,
                let http = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
            else { throw URLError(.badURL) }
            let call = url.pathComponents.dropFirst(2).joined(separator: "/")
            let body = request.httpBody.flatMap { JSONObject($0) }?.members ?? [:]
            let response = response(to: Request(call: call, body: body))
            let failed = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: nil, headerFields: nil)
            return (Data(response.body.utf8), failed ?? http)
        }
        return LatchkeyApp(
            name: "test", options: options, persistence: .memory, transport: transport,
            clock: AuthClock(now: { Date(timeIntervalSince1970: 1_800_000_000) }, sleep: sleep)
        ).auth
    }

    /// A pause that ends by cancellation only.
    @Sendable static func untilCanceled(_: Duration) async throws {
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        continuation.finish()
        throw CancellationError()
    }
}

extension PreparedServer.Response {
    /// A session whose tokens are valid for an hour.
    static let session = Self(
        body: #"{"localId":"ada","idToken":"id","refreshToken":"refresh","expiresIn":"3600"}"#)

    /// - Parameter account: members of the account.
    static func lookup(_ account: String = "") -> Self {
        Self(body: #"{"users":[{"localId":"ada"\#(account.isEmpty ? "" : ",")\#(account)}]}"#)
    }
}

extension LatchkeyOptions {
    /// Of an application that the project knows.
    static let registered = LatchkeyOptions(
        apiKey: "key", appID: "1:2:ios:77aa", bundleID: "org.example.app", clientID: "5501-abc.apps.example.com",
        serverURL: URL(string: "https://auth.example.org"))
}
