import Foundation
import LatchkeyAuth

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends the calls of administration to a server (REST 4 and 5).
struct AdminServer: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    let projectID: String
    let serverURL: URL
    let transport: RetryingTransport
    let accessTokens: AccessTokenSource

    /// Sends a call.
    /// - Parameters:
    ///   - path: the parts of the path below the project, such as `["tenants", "t1"]`.
    ///   - verb: follows the path, such as `:createSessionCookie`.
    ///   - query: nil values are absent.
    /// - Throws: `AdminError`, an error of the application's credential, `CancellationError`.
    func send<Response: Decodable>(
        _ method: Method, _ version: String, _ path: [String], verb: String = "", query: [(String, String?)] = [],
        body: (any Encodable & Sendable)? = nil, repetition: Repetition, as _: Response.Type
    ) async throws -> Response {
        let body = try body.map { try JSONEncoder().encode($0) }
        var isFirstAttempt = true
        while true {
            let accessToken = try await accessTokens.token()
            var request = URLRequest(url: try url([version, "projects", projectID] + path, verb: verb, query))
            request.httpMethod = method.rawValue
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
            let (data, response) = try await transport.sendForAdministrator(request, repetition: repetition)
            if response.statusCode == 401, isFirstAttempt, accessTokens.invalidate(accessToken) {
                // The server has not executed the call. A new access token replaces one that was revoked.
                isFirstAttempt = false
                continue
            }
            guard response.statusCode == 200 else {
                throw AdminError(
                    serverResponse: data, status: response.statusCode, retryAfterSeconds: response.retryAfterSeconds)
            }
            do {
                return try JSONDecoder().decode(Response.self, from: data)
            } catch {
                throw AdminError(.internalError, "The server sent a response that this library cannot read.")
            }
        }
    }

    private func url(_ path: [String], verb: String, _ query: [(String, String?)]) throws(AdminError) -> URL {
        var components = URLComponents(url: serverURL, resolvingAgainstBaseURL: true)
        // A part cannot become two: a slash in it is encoded.
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "/")
        let parts = path.compactMap { $0.addingPercentEncoding(withAllowedCharacters: allowed) }
        let base = components?.percentEncodedPath ?? ""
        components?.percentEncodedPath = (base.hasSuffix("/") ? base : base + "/") + parts.joined(separator: "/") + verb
        let items = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
        if !items.isEmpty { components?.queryItems = items }
        let isDirectory = path.contains { $0.isEmpty || $0 == "." || $0 == ".." }
        guard !isDirectory, let url = components?.url else {
            throw AdminError(.invalidArgument, "The ID of a project or tenant is not valid.")
        }
        return url
    }
}
