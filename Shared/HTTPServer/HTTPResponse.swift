package import FoundationEssentials

/// A response. The server sets `Content-Length`, `Connection` and `Date`; they are not part of `headers`.
package struct HTTPResponse: Sendable {
    /// 200 … 599.
    package var status: Int
    /// Names and values together have at most 8 KiB.
    package var headers: [(name: String, value: String)]
    /// Not sent for `HEAD`, 204 and 304; its length is sent.
    package var body: Data
    /// Sent instead of `body`, in chunks. The request counts as in flight until its end.
    package var stream: HTTPBodyStream?

    package init(
        status: Int, headers: [(name: String, value: String)] = [], body: Data = Data(), stream: HTTPBodyStream? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.stream = stream
    }

    /// Sent instead of a response that is not well-formed: empty, with status 500.
    static let invalidResponseFallback = HTTPResponse(status: 500)

    /// The maximum total size of all names and values: it fits into the memory of a connection.
    static let headerBytes = 8 << 10

    /// The only check of outgoing responses: a final status, names that are tokens, and values without CR, LF, NUL or
    /// other control characters. So no value can become a second header or a second response.
    var isWellFormed: Bool {
        (200...599).contains(status)
            && headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } <= Self.headerBytes
            && headers.allSatisfy { field in
                !field.name.isEmpty && field.name.utf8.allSatisfy(ASCII.isToken)
                    && field.value.utf8.allSatisfy(ASCII.isFieldValue) && !Self.isFraming(field.name)
            }
    }

    /// Header fields that define where a message ends. A second definition would allow request smuggling.
    private static func isFraming(_ name: String) -> Bool {
        switch String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self) {
        case "connection", "content-length", "transfer-encoding", "trailer", "upgrade": true
        default: false
        }
    }

    /// The complete response as bytes, for connections on which the library cannot respond. It closes the connection.
    func closingMessage(reason: String) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(reason)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        for field in headers { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}
