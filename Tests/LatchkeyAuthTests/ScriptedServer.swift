import Foundation
import Synchronization

@testable import LatchkeyAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server in memory. A test says what it responds to each call, and reads what it received.
final class ScriptedServer: Sendable {
    struct Call: Sendable {
        /// The last part of the path, such as `accounts:lookup`.
        var name: String
        var url: URL
        /// With names in lower case.
        var headers: [String: String]
        var bytes: Data

        var body: [String: any Sendable] { JSONObject(bytes)?.members ?? [:] }
        func text(_ member: String) -> String? { body[member] as? String }
    }

    struct Reply: Sendable {
        var status = 200
        var body: Data
        var headers: [String: String] = [:]

        static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> Reply {
            Reply(status: status, body: Data(text.utf8), headers: headers)
        }

        /// An error response with this message.
        static func refusal(_ message: String, status: Int = 400, headers: [String: String] = [:]) -> Reply {
            .json(#"{"error":{"code":\#(status),"message":"\#(message)"}}"#, status: status, headers: headers)
        }
    }

    typealias Handler = @Sendable (Call) async throws -> Reply

    private struct State {
        var handlers: [String: [Handler]] = [:]
        var calls: [Call] = []
    }

    private let state = Mutex(State())

    /// All calls in the order of their arrival.
    var calls: [Call] { state.withLock { $0.calls } }
    func calls(_ name: String) -> [Call] { calls.filter { $0.name == name } }

    /// Responds to the next calls with this name; the last reply is repeated.
    func on(_ name: String, _ replies: Reply...) { on(name, replies) }

    func on(_ name: String, _ replies: [Reply]) {
        state.withLock { $0.handlers[name] = replies.map { reply in { _ in reply } } }
    }

    func on(_ name: String, handler: @escaping Handler) {
        state.withLock { $0.handlers[name] = [handler] }
    }

    /// Each attempt of a call with this name fails.
    func fail(_ name: String, _ code: URLError.Code) {
        on(name) { _ in throw URLError(code, userInfo: ["NSErrorFailingURLStringKey": "https://secret"]) }
    }

    var transport: HTTPTransport {
        HTTPTransport { [self] request in
            guard let url = request.url else { throw URLError(.badURL) }
            let call = Call(
                name: url.lastPathComponent, url: url,
                headers: (request.allHTTPHeaderFields ?? [:]).reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value },
                bytes: request.httpBody ?? Data())
            let handler: Handler? = state.withLock { state in
                state.calls.append(call)
                let handlers = state.handlers[call.name] ?? []
                if handlers.count > 1 { state.handlers[call.name]?.removeFirst() }
                return handlers.first
            }
            let reply = try await handler?(call) ?? .refusal("NOT_SCRIPTED")
            guard
                let response = HTTPURLResponse(
                    url: url, statusCode: reply.status, httpVersion: "HTTP/1.1", headerFields: reply.headers)
            else { throw URLError(.badServerResponse) }
            return (reply.body, response)
        }
    }
}

/// Time that a test moves. A pause ends at once.
final class TestClock: Sendable {
    private let state = Mutex((now: Date(timeIntervalSince1970: 1_700_000_000), pauses: [Duration]()))

    var pauses: [Duration] { state.withLock { $0.pauses } }
    var now: Date { state.withLock { $0.now } }
    func advance(by seconds: TimeInterval) { state.withLock { $0.now.addTimeInterval(seconds) } }

    var clock: AuthClock {
        AuthClock(
            now: { self.now },
            sleep: { pause in
                try Task.checkCancellation()
                self.state.withLock { $0.pauses.append(pause) }
            })
    }
}

/// Opens once. One task can wait for it.
struct Gate: Sendable {
    private let opening = AsyncStream<Never>.makeStream()

    func open() { opening.continuation.finish() }
    func wait() async { for await _ in opening.stream {} }
}

/// A file or a Keychain that a test makes fail.
final class TestStorage: Sendable {
    private let state = Mutex((data: Data?.none, isBroken: false, saves: 0))

    var data: Data? { state.withLock { $0.data } }
    var saves: Int { state.withLock { $0.saves } }
    var text: String { data.map { String(decoding: $0, as: UTF8.self) } ?? "" }
    func setData(_ data: Data?) { state.withLock { $0.data = data } }
    func setBroken(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

    var storage: SessionStorage {
        SessionStorage(
            load: { self.data },
            save: { data in
                try self.state.withLock { state in
                    guard !state.isBroken else { throw CocoaError(.fileWriteOutOfSpace) }
                    state.data = data
                    state.saves += 1
                }
            })
    }
}

/// One application with a scripted server.
struct TestApplication: Sendable {
    let server = ScriptedServer()
    let time = TestClock()
    let storage: TestStorage
    let auth: Auth

    init(
        storage: TestStorage = TestStorage(),
        options: LatchkeyOptions = LatchkeyOptions(apiKey: "key-1", serverURL: URL(string: "https://auth.example"))
    ) {
        self.storage = storage
        auth = Auth(options: options, storage: storage.storage, transport: server.transport, clock: time.clock)
        server.on("accounts:lookup") { call in .account(call.text("idToken").map(TestToken.uid) ?? "") }
    }

    /// Signs a user in with a password. The tokens have the number 1.
    @discardableResult
    func signIn(_ uid: String = "ada", provider: String = "password") async throws -> User {
        server.on("accounts:signInWithPassword", .tokens(uid, provider: provider))
        return try await auth.signIn(withEmail: "\(uid)@example.org", password: "correct horse").user
    }
}

/// Tokens whose content a test can tell.
enum TestToken {
    static func id(_ uid: String, _ number: Int, provider: String = "password", lifetime: Int = 3600) -> String {
        let payload = """
            {"sub":"\(uid)","iat":1700000000,"exp":\(1_700_000_000 + lifetime),"auth_time":1700000000,\
            "number":\(number),"firebase":{"sign_in_provider":"\(provider)"}}
            """
        return "e30.\(Data(payload.utf8).base64URLText).c2ln"
    }

    static func refresh(_ uid: String, _ number: Int) -> String { "refresh-\(uid)-\(number)" }

    static func uid(_ idToken: String) -> String { (try? IDTokenPayload(idToken))?.claims["sub"] as? String ?? "" }
}

extension ScriptedServer.Reply {
    /// A complete sign-in.
    static func tokens(_ uid: String, _ number: Int = 1, provider: String = "password", more: String = "") -> Self {
        .json(
            """
            {"localId":"\(uid)","idToken":"\(TestToken.id(uid, number, provider: provider))",\
            "refreshToken":"\(TestToken.refresh(uid, number))","expiresIn":"3600"\(more)}
            """)
    }

    /// A refresh.
    static func refreshed(_ uid: String, _ number: Int) -> Self {
        .json(
            """
            {"id_token":"\(TestToken.id(uid, number))","refresh_token":"\(TestToken.refresh(uid, number))",\
            "expires_in":"3600","user_id":"\(uid)"}
            """)
    }

    /// A lookup.
    static func account(_ uid: String, more: String = "") -> Self {
        .json(#"{"users":[{"localId":"\#(uid)","email":"\#(uid)@example.org"\#(more)}]}"#)
    }
}

/// The code of the error that a call throws; nil if it throws none or another error.
func code(_ call: () async throws -> Void) async -> AuthErrorCode? {
    do {
        try await call()
        return nil
    } catch {
        return (error as? AuthErrorCode)?.code
    }
}
