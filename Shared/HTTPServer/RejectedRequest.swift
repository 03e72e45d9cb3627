/// A request that the server rejected before a handler, with the parts known by then.
package struct RejectedRequest: Sendable {
    /// The reason. It reveals nothing about accounts or keys.
    package enum Reason: String, Error, CaseIterable, Sendable {
        /// Request line and header fields over `HTTPServerSettings.headBytes`.
        case headTooLarge
        /// Request target over `HTTPServerSettings.targetBytes`.
        case uriTooLong
        /// Body over `HTTPServerSettings.bodyBytes`.
        case bodyTooLarge
        /// The head did not arrive in time.
        case headTimeout
        /// The body did not arrive in time.
        case bodyTimeout
        /// Too many requests are in progress.
        case overloaded
        /// A head or framing that two parsers could interpret differently.
        case invalidFraming
        /// The handler returned a response that is not well-formed (`HTTPResponse.isWellFormed`).
        case invalidResponse

        /// The HTTP status of the reason.
        package var status: Int {
            switch self {
            case .headTooLarge: 431
            case .uriTooLong: 414
            case .bodyTooLarge: 413
            case .headTimeout, .bodyTimeout: 408
            case .overloaded: 503
            case .invalidFraming: 400
            case .invalidResponse: 500
            }
        }
    }

    package let reason: Reason
    /// As in ``HTTPRequest``; `nil` if the head could not be read.
    package let method: HTTPMethod?
    package let path: String?
    /// Empty if the head could not be read.
    package let headers: HTTPHeaders

    package var status: Int { reason.status }

    init(_ reason: Reason, _ head: RequestHead? = nil) {
        self.reason = reason
        method = head?.method
        path = head?.path
        headers = head?.headers ?? HTTPHeaders()
    }
}
