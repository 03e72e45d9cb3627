package import FoundationEssentials

/// A request to an external server.
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
        /// HTTP/2 if the server offers it over TLS, otherwise HTTP/1.1.
        case negotiated
        /// HTTP/2 only; any other response is discarded as `noHTTP2`.
        case http2
    }

    package var method: Method
    /// `http` or `https`, without a user name. Characters beyond ASCII must be escaped.
    package var url: String
    /// Without `Host` and `Content-Length`, which the library adds.
    package var headers: [(name: String, value: String)]
    /// `nil`: no body. An empty body differs by the header `Content-Length: 0`.
    package var body: Data?
    package var version: Version
    /// Uses a new connection, and closes it. The server may close a kept connection after it has read the request. The library would
    /// then send the request again without notice, which is wrong for requests that must not be repeated.
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

/// A response. A status of 400 or above is a normal response, and a redirect is not followed.
package struct HTTPClientResponse: Sendable {
    package var status: Int
    /// In the order of arrival, with names as sent.
    package var headers: [(name: String, value: String)]
    package var body: Data

    package init(status: Int, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header with that name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }
}

/// Why there is no response.
package enum HTTPClientError: Error, Equatable, Sendable {
    /// Not an `http` or `https` URL, or a header that cannot be sent.
    case invalidRequest
    /// The host name has no address.
    case cannotResolve
    /// `AddressPolicy` refuses the addresses of the host: nothing was sent.
    case addressRefused
    /// The server does not accept the connection, or not in time: nothing was sent.
    case cannotConnect
    /// No complete response in time. The server may have processed the request.
    case timedOut
    /// The certificate or the TLS version of the peer is not accepted; with the message of the library.
    case tls(String)
    /// The peer does not support HTTP/2, which the request requires.
    case noHTTP2
    /// The response exceeds `HTTPClient.Limits`.
    case tooLarge
    /// The maximum number of requests is running and waiting.
    case overloaded
    /// The task was cancelled while the request waited for a thread.
    case cancelled
    /// Any other error, with the number of the library (`CURLcode`) and its message.
    case other(code: Int, String)

    /// The name of the case.
    package var kind: String {
        switch self {
        case .invalidRequest: "invalidRequest"
        case .cannotResolve: "cannotResolve"
        case .addressRefused: "addressRefused"
        case .cannotConnect: "cannotConnect"
        case .timedOut: "timedOut"
        case .tls: "tls"
        case .noHTTP2: "noHTTP2"
        case .tooLarge: "tooLarge"
        case .overloaded: "overloaded"
        case .cancelled: "cancelled"
        case .other: "other"
        }
    }
}

extension String {
    /// Whether both are equal, ignoring the case of A to Z.
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
        return utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }
}
