import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends the calls of one application to its server.
struct AuthServer: Sendable {
    let options: LatchkeyOptions
    let transport: HTTPTransport
    let clock: AuthClock
    let settings: Locked<ServerSettings>
    /// The newest device token of the server. It shows at the next sign-in that this device belongs to the user, so
    /// that attempts of others do not delay it (REST 2.2).
    let deviceToken = Locked<String?>(nil)

    private static let deviceTokenHeader = "X-Latchkey-Device"

    /// Sends a call, again if it may be repeated.
    /// - Throws: `AuthErrorCode`; `CancellationError`.
    func send<Request: AuthRequest>(_ request: Request) async throws -> Request.Response {
        let body = try JSONEncoder().encode(request)
        let data = try await send(
            urlRequest("POST", Request.path, body: body), repetition: Request.repetition)
        return try Self.decode(Request.Response.self, from: data)
    }

    /// Sends a `GET` request.
    /// - Throws: as `send(_:)`.
    func get<Response: Decodable>(_: Response.Type, _ path: String, query: [URLQueryItem] = []) async throws
        -> Response
    {
        let data = try await send(urlRequest("GET", path, query: query, body: nil), repetition: .always)
        return try Self.decode(Response.self, from: data)
    }

    /// Redeems an authorization code.
    /// - Throws: as `send(_:)`; `invalidCredential` for a code that the server refuses.
    func redeem(_ request: AuthorizationCodeRequest) async throws -> AuthorizationCodeRequest.Response {
        var message = try urlRequest("POST", AuthorizationCodeRequest.path, body: request.form)
        message.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        let data = try await send(
            message, repetition: .ifNotReceived,
            refusal: AuthorizationCodeRequest.error(response:status:retryAfterSeconds:))
        return try Self.decode(AuthorizationCodeRequest.Response.self, from: data)
    }

    // MARK: - The request

    /// The public listener.
    /// - Throws: `internalError` if the application has no server, or one that is reached without encryption.
    var url: URL {
        get throws(AuthErrorCode) {
            let settings = settings.withLock { $0 }
            guard let server = settings.serverURL ?? options.serverURL else {
                throw Self.configurationError(
                    "No server is configured: set LatchkeyOptions.serverURL or call Auth.useServer(_:).")
            }
            guard settings.allowsHTTP || server.isConfidential else {
                throw Self.configurationError(
                    "The URL of the server must use HTTPS. HTTP is allowed to this computer, and after "
                        + "Auth.useEmulator(withHost:port:).")
            }
            return server
        }
    }

    /// Where the pages that users see are.
    /// - Throws: as ``url``; `internalError` if the custom domain is no host name.
    var pagesURL: URL {
        get throws(AuthErrorCode) {
            guard let domain = settings.withLock({ $0.customAuthDomain }) else { return try url }
            var components = URLComponents()
            components.scheme = "https"
            components.host = domain
            guard !domain.isEmpty, domain.allSatisfy({ $0.isLetter || $0.isNumber || ".-".contains($0) }),
                let url = components.url
            else { throw Self.configurationError("Auth.customAuthDomain is not a host name.") }
            return url
        }
    }

    private static func configurationError(_ description: String) -> AuthErrorCode {
        AuthErrorCode(.internalError, userInfo: [NSLocalizedDescriptionKey: description])
    }

    /// - Throws: as ``url``.
    func urlRequest(_ method: String, _ path: String, query: [URLQueryItem] = [], body: Data?) throws -> URLRequest {
        let settings = settings.withLock { $0 }
        let server = try url
        guard
            var components = URLComponents(url: server.appendingPathComponent(path), resolvingAgainstBaseURL: true)
        else { throw AuthErrorCode(.internalError) }
        components.queryItems = [URLQueryItem(name: "key", value: options.apiKey)] + query
        guard let url = components.url else { throw AuthErrorCode(.internalError) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Swift/LatchkeyAuth/1", forHTTPHeaderField: "X-Client-Version")
        request.setValue(settings.languageCode, forHTTPHeaderField: "X-Firebase-Locale")
        request.setValue(options.bundleID, forHTTPHeaderField: "X-Ios-Bundle-Identifier")
        request.setValue(options.appID, forHTTPHeaderField: "X-Firebase-GMPID")
        request.setValue(deviceToken.withLock { $0 }, forHTTPHeaderField: Self.deviceTokenHeader)
        return request
    }

    // MARK: - The response

    /// - Parameter refusal: reads an error response.
    /// - Throws: `AuthErrorCode`; `CancellationError`.
    private func send(
        _ request: URLRequest, repetition: Repetition,
        refusal: (_ body: Data, _ status: Int, _ retryAfterSeconds: Int?) -> AuthErrorCode =
            AuthErrorCode.init(serverResponse:status:retryAfterSeconds:)
    ) async throws -> Data {
        let body: Data
        let response: HTTPURLResponse
        do {
            (body, response) = try await RetryingTransport(transport: transport, clock: clock).send(
                request, repetition: repetition)
        } catch let error as URLError where error.code == .dataLengthExceedsMaximum {
            throw AuthErrorCode(.internalError)
        } catch let error as URLError {
            let cause: any Error & Sendable = error
            throw AuthErrorCode(
                .networkError,
                userInfo: [
                    NSUnderlyingErrorKey: cause,
                    NSLocalizedDescriptionKey: "\(request.url?.authority ?? "The server") cannot be reached.",
                ])
        }
        guard response.statusCode == 200 else {
            throw refusal(body, response.statusCode, response.retryAfterSeconds)
        }
        if let token = response.value(forHTTPHeaderField: Self.deviceTokenHeader) {
            deviceToken.withLock { $0 = token }
        }
        return body
    }

    private static func decode<Response: Decodable>(_: Response.Type, from data: Data) throws -> Response {
        do {
            return try JSONDecoder().decode(Response.self, from: data)
        } catch {
            throw AuthErrorCode(
                .internalError,
                userInfo: [NSLocalizedDescriptionKey: "The server sent a response that this library cannot read."])
        }
    }
}

/// What the application can change after the configuration.
struct ServerSettings: Sendable {
    var serverURL: URL?
    var languageCode: String?
    var tenantID: String?
    /// The host of the pages; nil for that of the server.
    var customAuthDomain: String?
    /// Whether tokens and passwords may be sent without encryption.
    var allowsHTTP = false
}

extension URL {
    /// The host, and the port if the URL names one.
    var authority: String? { host.map { host in port.map { "\(host):\($0)" } ?? host } }

    /// Whether only the server of this URL reads what is sent to it: HTTPS, or HTTP to this computer.
    var isConfidential: Bool {
        guard let host, !host.isEmpty else { return false }
        switch scheme?.lowercased() {
        case "https": return true
        case "http": return ["localhost", "::1", "[::1]"].contains(host.lowercased()) || Self.isLoopback(host)
        default: return false
        }
    }

    /// Whether the text is an IPv4 address in 127.0.0.0/8 (RFC 1122 section 3.2.1.3).
    private static func isLoopback(_ host: String) -> Bool {
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return bytes.count == 4 && bytes.first == 127 && !bytes.contains(nil)
    }
}
