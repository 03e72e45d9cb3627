package import FoundationEssentials

/// An answer. `Content-Length`, `Connection` and `Date` are the server's business and not part of `headers`.
package struct HTTPResponse: Sendable {
    /// 200 … 599.
    package var status: Int
    /// Names and values together at most 8 KiB.
    package var headers: [(name: String, value: String)]
    /// Not sent to `HEAD` and with 204 and 304; its length is.
    package var body: Data

    package init(status: Int, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// What is sent for an answer that must not be: empty, with status 500.
    static let invalidResponseFallback = HTTPResponse(status: 500)

    /// The most bytes that all names and values together may have: what fits into a connection's memory.
    static let headerBytes = 8 << 10

    /// The one place that decides what may leave: a status that ends a request, names that are tokens, and values
    /// without CR, LF, NUL or other control characters, so that no value can become a second header or a second answer.
    var isWellFormed: Bool {
        (200...599).contains(status)
            && headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } <= Self.headerBytes
            && headers.allSatisfy { field in
                !field.name.isEmpty && field.name.utf8.allSatisfy(ASCII.isToken)
                    && field.value.utf8.allSatisfy(ASCII.isFieldValue) && !Self.isFraming(field.name)
            }
    }

    /// Header fields that say where a message ends. A second opinion about that is how requests are smuggled.
    private static func isFraming(_ name: String) -> Bool {
        switch String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self) {
        case "connection", "content-length", "transfer-encoding", "trailer", "upgrade": true
        default: false
        }
    }

    /// The whole answer as bytes, for connections on which the library cannot answer: it ends the connection.
    func closingMessage(reason: String) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(reason)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        for field in headers { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}
