public import Foundation
public import LatchkeyAdmin
public import LatchkeyAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server in dev mode, for the tests of an application.
///
/// ```swift
/// let server = try await LatchkeyServer.start(executable: latchkey)
/// let auth = server.makeAuth()
/// let user = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse").user
/// try await user.sendEmailVerification()
/// try await auth.applyActionCode(server.emailLink(.verifyEmail, to: "ada@example.com").code)
/// try await server.stop()
/// ```
public final class LatchkeyServer: Sendable {
    /// The URL of the listener.
    public let url: URL
    /// The project of the tests.
    public let projectID: String
    private let transport: HTTPTransport
    #if os(Linux)
        private let process: ServerProcess?
    #endif

    /// A server that runs already, such as in a container.
    public init(url: URL, projectID: String = "demo-latchkey") {
        self.url = url
        self.projectID = projectID
        transport = .urlSession()
        #if os(Linux)
            process = nil
        #endif
    }

    #if os(Linux)
        private init(url: URL, process: ServerProcess) {
            self.url = url
            projectID = "demo-latchkey"
            transport = .urlSession()
            self.process = process
        }

        /// Starts a server on a free port, with a data directory of its own that is deleted with the server. Its
        /// project is `demo-latchkey`. It stops when the tests end for any reason.
        /// - Parameters:
        ///   - executable: `latchkey`.
        ///   - arguments: of `latchkey up`, after `--dev`.
        ///   - environment: further settings, such as `LATCHKEY_LOG`.
        /// - Throws: `LatchkeyServerError.notStarted` with the log.
        public static func start(
            executable: URL, arguments: [String] = [], environment: [String: String] = [:]
        ) async throws -> LatchkeyServer {
            let process = try ServerProcess(executable, arguments, environment)
            guard let url = try await process.ready() else { throw LatchkeyServerError.notStarted(log: process.log) }
            return LatchkeyServer(url: url, process: process)
        }

        /// Stops a server that ``start(executable:arguments:environment:)`` has started, and deletes its data.
        public func stop() async throws { try await process?.stop() }

        /// The log of a server that ``start(executable:arguments:environment:)`` has started.
        public var log: String { process?.log ?? "" }
    #endif

    // MARK: - The libraries

    /// The client library on a new device without a session.
    /// - Parameter clock: the time of the device.
    public func makeAuth(clock: DeviceClock = DeviceClock()) -> Auth {
        let options = LatchkeyOptions(apiKey: "any", projectID: projectID, serverURL: url)
        let app = LatchkeyApp(
            name: LatchkeyApp.defaultName, options: options, persistence: .memory, transport: transport,
            clock: clock.clock)
        let auth = Auth.auth(app: app)
        // The server may be in a container of another name.
        if let host = url.host, let port = url.port { auth.useEmulator(withHost: host, port: port) }
        return auth
    }

    /// The administration of the project.
    public func makeAdmin() -> AdminAuth {
        AdminAuth(projectID: projectID, serverURL: url, credential: .emulator)
    }

    // MARK: - Between two tests

    /// Deletes every account, with its sessions and codes. The configuration of the project stays.
    public func reset() async throws { _ = try await send("DELETE", "accounts") }

    // MARK: - What users receive

    /// A link that an e-mail contains.
    public struct EmailLink: Hashable, Sendable {
        /// The action code.
        public let code: String
        /// The whole link.
        public let url: URL
    }

    /// The newest unused link of a kind that was sent to an address. Waits for it.
    /// - Throws: `LatchkeyServerError.nothingArrived` after ten seconds.
    public func emailLink(_ operation: ActionCodeOperation, to email: String) async throws -> EmailLink {
        struct List: Decodable {
            struct Code: Decodable {
                var email: String
                var newEmail: String?
                var oobCode: String
                var oobLink: String
                var requestType: String
            }
            var oobCodes: [Code]
        }
        return try await awaited("a link (\(operation.rawValue)) to \(email)") {
            let codes = try await list(List.self, "oobCodes").oobCodes
            let newest = codes.last { ($0.newEmail ?? $0.email) == email && $0.requestType == operation.rawValue }
            return newest.flatMap { code in URL(string: code.oobLink).map { EmailLink(code: code.oobCode, url: $0) } }
        }
    }

    /// The newest unused code that was sent to an address. Waits for it.
    /// - Throws: `LatchkeyServerError.nothingArrived` after ten seconds.
    public func emailCode(to email: String) async throws -> String {
        struct List: Decodable {
            struct Code: Decodable {
                var email: String
                var code: String
            }
            var emailCodes: [Code]
        }
        return try await awaited("a code to \(email)") {
            try await list(List.self, "emailCodes").emailCodes.last { $0.email == email }?.code
        }
    }

    /// The newest unused code that was sent to a phone. Waits for it.
    /// - Parameter phoneNumber: in E.164 form, such as `+15105550101`.
    /// - Throws: `LatchkeyServerError.nothingArrived` after ten seconds.
    public func smsCode(to phoneNumber: String) async throws -> String {
        struct List: Decodable {
            struct Code: Decodable {
                var phoneNumber: String
                var code: String
            }
            var verificationCodes: [Code]
        }
        return try await awaited("a code to \(phoneNumber)") {
            try await list(List.self, "verificationCodes").verificationCodes.last { $0.phoneNumber == phoneNumber }?
                .code
        }
    }

    /// An e-mail or a text message, as its recipient sees it.
    public struct Message: Decodable, Hashable, Sendable {
        /// Such as `verifyEmail`.
        public let purpose: String
        /// An address or a phone number.
        public let recipient: String
        /// Name and address.
        public let sender: String
        /// Empty for a text message.
        public let subject: String
        /// The text.
        public let text: String
        /// Empty for a message without HTML.
        public let html: String
        /// The link of an e-mail.
        public let link: String?
    }

    /// The newest messages of the project, the latest first.
    /// - Parameter recipient: only those to this address or phone number.
    public func messages(to recipient: String? = nil) async throws -> [Message] {
        struct List: Decodable {
            var messages: [Message]
        }
        let query = recipient.map { [URLQueryItem(name: "to", value: $0)] } ?? []
        return try await list(List.self, "messages", query).messages
    }

    /// The newest message to an address or a phone number. Waits for it: a message is written after its request.
    /// - Parameters:
    ///   - recipient: an e-mail address or a phone number.
    ///   - purpose: only one of this purpose.
    /// - Throws: `LatchkeyServerError.nothingArrived` after ten seconds.
    public func message(to recipient: String, purpose: String? = nil) async throws -> Message {
        try await awaited("a message to \(recipient)") {
            try await messages(to: recipient).first { purpose == nil || $0.purpose == purpose }
        }
    }

    // MARK: - Requests

    private func awaited<Value>(_ what: String, _ look: () async throws -> Value?) async throws -> Value {
        let end = ContinuousClock.now + .seconds(10)
        repeat {
            if let value = try await look() { return value }
            try await Task.sleep(for: .milliseconds(50))
        } while ContinuousClock.now < end
        throw LatchkeyServerError.nothingArrived(what)
    }

    private func list<List: Decodable>(_: List.Type, _ name: String, _ query: [URLQueryItem] = []) async throws -> List
    {
        try JSONDecoder().decode(List.self, from: try await send("GET", name, query))
    }

    /// Calls a path of dev mode (REST 6).
    private func send(_ method: String, _ name: String, _ query: [URLQueryItem] = []) async throws -> Data {
        var address = url.appendingPathComponent("emulator/v1/projects/\(projectID)/\(name)")
        if !query.isEmpty, var components = URLComponents(url: address, resolvingAgainstBaseURL: false) {
            components.queryItems = query
            // A plus stands for a blank in a query, and Foundation leaves it.
            components.percentEncodedQuery = components.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
            address = components.url ?? address
        }
        var request = URLRequest(url: address)
        request.httpMethod = method
        let (body, response) = try await transport.send(request)
        guard response.statusCode == 200 else {
            throw LatchkeyServerError.refused(status: response.statusCode, body: String(decoding: body, as: UTF8.self))
        }
        return body
    }
}

/// Why a call of ``LatchkeyServer`` has no result.
public enum LatchkeyServerError: Error, Equatable, Sendable {
    /// The server ended before it was ready.
    case notStarted(log: String)
    /// The server refused a request, such as in production.
    case refused(status: Int, body: String)
    /// With what was expected.
    case nothingArrived(String)
}
