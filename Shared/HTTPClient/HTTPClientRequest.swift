package import FoundationEssentials

/// A request to somebody else's server.
package struct HTTPClientRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    package enum Version: Sendable {
        /// HTTP/2 with a server that offers it over TLS, HTTP/1.1 with all others.
        case negotiated
        /// HTTP/2 alone; an answer in anything else is thrown away as `noHTTP2`.
        case http2
    }

    package var method: Method
    /// `http` or `https`, without a user name. What is not ASCII must be escaped.
    package var url: String
    /// `Host` and `Content-Length` follow from the rest.
    package var headers: [(name: String, value: String)]
    /// `nil`: none, which differs from an empty one by the header `Content-Length: 0`.
    package var body: Data?
    package var version: Version
    /// Goes out over a connection of its own. A kept one may be closed by the server after it has read the request, and
    /// the library would send it again without a word: wrong for what must not happen twice.
    package var usesFreshConnection: Bool

    package init(
        _ method: Method, _ url: String, headers: [(name: String, value: String)] = [], body: Data? = nil,
        version: Version = .negotiated, usesFreshConnection: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.version = version
        self.usesFreshConnection = usesFreshConnection
    }
}

/// What came back. A status of 400 or above is an answer like any other, and a redirection is not followed.
package struct HTTPClientResponse: Sendable {
    package var status: Int
    /// In the order they came; names as they came.
    package var headers: [(name: String, value: String)]
    package var body: Data

    package init(status: Int, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header of that name, whatever its case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }
}

/// Why there is no answer.
package enum HTTPClientError: Error, Equatable, Sendable {
    /// No `http` or `https` URL, or a header that could not be sent as it is.
    case invalidRequest
    /// The name of the host has no address.
    case cannotResolve
    /// Nobody listens there, or not for us, or not in time: nothing was sent.
    case cannotConnect
    /// No whole answer in time. The server may have done what was asked.
    case timedOut
    /// The peer is not who it should be, or speaks no TLS we accept; with the library's words.
    case tls(String)
    /// The peer speaks no HTTP/2, which the request demands.
    case noHTTP2
    /// The answer is larger than `HTTPClient.Limits` allow.
    case tooLarge
    /// As many requests are running and waiting as may.
    case overloaded
    /// The task was cancelled while the request waited for a thread.
    case cancelled
    /// Anything else, with the library's number (`CURLcode`) and words.
    case other(code: Int, String)
}

extension String {
    /// Whether both are the same but for the case of A to Z.
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
        return utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }
}
