/// A request method (RFC 9110 §9). Methods are case-sensitive: `get` is `other("get")`.
package enum HTTPMethod: Hashable, Sendable {
    case get
    case head
    case post
    case put
    case patch
    case delete
    case options
    /// Any other token, including `TRACE`.
    case other(String)

    /// Parses the token of a request line.
    package init(_ name: String) {
        switch name {
        case "GET": self = .get
        case "HEAD": self = .head
        case "POST": self = .post
        case "PUT": self = .put
        case "PATCH": self = .patch
        case "DELETE": self = .delete
        case "OPTIONS": self = .options
        default: self = .other(name)
        }
    }

    /// The token of the request line.
    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let name): name
        }
    }
}
