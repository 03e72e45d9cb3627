internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends one HTTP request and returns its response.
struct HTTPTransport: Sendable {
    /// - Throws: `URLError`.
    var send: @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)

    /// The network, without cookies and without a cache: responses hold tokens.
    static func urlSession() -> HTTPTransport {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.timeoutIntervalForRequest = 30
        let session = URLSession(configuration: configuration)
        return HTTPTransport { request in
            let (body, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            return (body, response)
        }
    }
}
