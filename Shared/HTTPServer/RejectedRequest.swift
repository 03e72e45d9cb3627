/// A request the server turns away before any handler sees it, with what is known of it by then.
package struct RejectedRequest: Sendable {
    /// What was wrong. Nothing of it says anything about accounts or keys.
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
        /// Too many requests are being handled.
        case overloaded
        /// A head or framing that two readers could understand in two ways.
        case invalidFraming
        /// The handler made an answer that must not leave (`HTTPResponse.isWellFormed`).
        case unsendable

        /// The status that says it.
        package var status: Int {
            switch self {
            case .headTooLarge: 431
            case .uriTooLong: 414
            case .bodyTooLarge: 413
            case .headTimeout, .bodyTimeout: 408
            case .overloaded: 503
            case .invalidFraming: 400
            case .unsendable: 500
            }
        }
    }

    package let reason: Reason
    /// As in ``HTTPRequest``; `nil` when the head could not be read.
    package let method: HTTPMethod?
    package let path: String?
    /// Empty when the head could not be read.
    package let headers: HTTPHeaders

    package var status: Int { reason.status }

    init(_ reason: Reason, _ head: RequestHead? = nil) {
        self.reason = reason
        method = head?.method
        path = head?.path
        headers = head?.headers ?? HTTPHeaders()
    }
}
