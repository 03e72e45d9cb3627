internal import CMicrohttpd
import Glibc

/// A request without its body, validated so that no other parser can interpret it differently (security rule HT2).
struct RequestHead: Sendable {
    /// How the end of the body is found (RFC 9112 §6.3).
    enum Framing: Equatable, Sendable {
        case none
        case length(Int)
        case chunked
    }

    let method: HTTPMethod
    let path: String
    let rawQuery: String?
    let version: HTTPRequest.Version
    let headers: HTTPHeaders
    let framing: Framing

    /// Validates what the library parsed.
    ///
    /// - Throws: `invalidFraming`.
    init(
        method: String, target: String, version: HTTPRequest.Version, headers: HTTPHeaders
    ) throws(RejectedRequest.Reason) {
        let hosts = headers.values("host")
        // RFC 9112 §3.2: a request of version 1.1 contains exactly one `Host`.
        guard hosts.count == 1 || (hosts.isEmpty && version == .http10) else { throw .invalidFraming }
        self.method = HTTPMethod(method)
        (path, rawQuery) = try Self.split(target, host: hosts.first, method: self.method)
        self.version = version
        self.headers = headers
        framing = try Self.framing(of: headers, version)
    }

    /// The path and query of a target (RFC 9112 §3.2). Accepted forms: origin form (`/path?query`), asterisk form
    /// (`OPTIONS *`), and absolute form with the host of the header.
    private static func split(
        _ target: String, host: String?, method: HTTPMethod
    ) throws(RejectedRequest.Reason) -> (path: String, rawQuery: String?) {
        var target = Substring(target)
        if target.first != "/" {
            if target == "*", method == .options { return ("*", nil) }
            guard let host, let scheme = ["http://", "https://"].first(where: target.hasPrefix) else {
                throw .invalidFraming
            }
            target = target.dropFirst(scheme.count)
            let authority = target.prefix { $0 != "/" && $0 != "?" }
            guard ASCII.areEqual(authority, host) else { throw .invalidFraming }
            target = target.dropFirst(authority.count)
            // An absolute target may omit the path, which then is the root.
            if target.first != "/" { target = "/" + target }
        }
        guard let question = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (String(target), nil) }
        return (String(target[..<question]), String(target[target.utf8.index(after: question)...]))
    }

    /// 18 digits are enough for any body and cannot overflow.
    static func isLength(_ text: some Collection<UInt8>) -> Bool {
        (1...18).contains(text.count) && text.allSatisfy(ASCII.digits.contains)
    }

    /// The framing of the body. Fields that could contradict each other are rejected.
    private static func framing(
        of headers: HTTPHeaders, _ version: HTTPRequest.Version
    ) throws(RejectedRequest.Reason) -> Framing {
        let lengths = headers.values("content-length")
        let codings = headers.values("transfer-encoding")
        guard lengths.count + codings.count <= 1 else { throw .invalidFraming }
        if let text = lengths.first {
            guard isLength(text.utf8), let length = Int(text) else { throw .invalidFraming }
            return length == 0 ? .none : .length(length)
        }
        guard let coding = codings.first else { return .none }
        guard version == .http11, ASCII.areEqual(coding, "chunked") else { throw .invalidFraming }
        return .chunked
    }
}

extension RequestHead {
    /// Reads the head from the library's buffer.
    ///
    /// libmicrohttpd 0.9.75 parses heads leniently. It accepts LF for CR LF, and appends a folded line to the *name* of
    /// the previous field. It ends values at a NUL and allows spaces in names. It also parses in place: it replaces
    /// each line end and each colon by NULs, and its names and values point into the received bytes. So the head is
    /// accepted only if the names and values, with exactly two bytes of line end after each, account for every byte.
    ///
    /// - Parameters:
    ///   - line: the position of the request line, and its parts.
    ///   - size: bytes from the request line to the empty line, both included.
    /// - Throws: `invalidFraming`.
    init(
        _ line: RequestLine, size: Int, connection: OpaquePointer
    ) throws(RejectedRequest.Reason) {
        guard let target = line.target, let version = line.version else { throw .invalidFraming }
        var fields = FieldCollector(start: line.end, end: line.start + size)
        let count = withUnsafeMutablePointer(to: &fields) { collector in
            MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { collector, _, name, nameSize, value, valueSize in
                    guard let collector, let name, let value else { return .NO }
                    let fields = collector.assumingMemoryBound(to: FieldCollector.self)
                    return fields.pointee.add(name, nameSize, value, valueSize) ? .YES : .NO
                }, collector)
        }
        guard count == fields.fields.count, let headers = fields.headers else { throw .invalidFraming }
        try self.init(method: line.method, target: target, version: version, headers: headers)
    }
}

/// The request line in the library's buffer.
struct RequestLine {
    let method: String
    /// `nil` if the target contains bytes that are not allowed in targets.
    let target: String?
    /// `nil` for versions other than HTTP/1.
    let version: HTTPRequest.Version?
    let start: UnsafePointer<UInt8>
    /// After the version and the two bytes of its line end.
    let end: UnsafePointer<UInt8>

    /// - Parameters:
    ///   - method: from the library, ended by NUL; the line starts here.
    ///   - version: from the library, ended by NUL; the last eight bytes of the line.
    ///   - target: its position and its bytes.
    init?(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, target: RequestTarget) {
        self.method = String(cString: method)
        self.target = target.text
        start = UnsafeRawPointer(method).assumingMemoryBound(to: UInt8.self)
        let version = UnsafeRawPointer(version).assumingMemoryBound(to: UInt8.self)
        end = version + 10
        switch String(decoding: UnsafeBufferPointer(start: version, count: 8), as: UTF8.self) {
        case "HTTP/1.0": self.version = .http10
        // A higher minor version is treated like the highest known one (RFC 9110 §2.5).
        case let text where text.hasPrefix("HTTP/1."): self.version = .http11
        default: self.version = nil
        }
        // One space between the three parts, and CR LF at the end: each is one NUL now.
        let targetOffset = Int(target.address) - Int(bitPattern: method)
        guard self.method.utf8.allSatisfy(ASCII.isToken), targetOffset == self.method.utf8.count + 1,
            Int(bitPattern: version) == Int(target.address) + target.size + 1, version[8] == 0, version[9] == 0
        else { return nil }
    }
}

/// The target of a request line, copied before the library splits it into path and arguments.
struct RequestTarget: Sendable {
    /// Its original position.
    let address: UInt
    let size: Int
    /// `nil` if it contains bytes that are not allowed in targets.
    let text: String?

    init(_ target: UnsafePointer<CChar>) {
        let bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(target).assumingMemoryBound(to: UInt8.self), count: strlen(target))
        address = UInt(bitPattern: target)
        size = bytes.count
        text = bytes.allSatisfy(ASCII.isTarget) ? String(decoding: bytes, as: UTF8.self) : nil
    }
}

/// Checks a head while the library reports its fields in order.
private struct FieldCollector {
    /// The first byte of the first field.
    let start: UnsafePointer<UInt8>
    /// After the empty line.
    let end: UnsafePointer<UInt8>
    /// Every byte before this position is accounted for.
    private var position: UnsafePointer<UInt8>
    private(set) var fields: [HTTPHeaders.Field] = []

    init(start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
        self.start = start
        self.end = end
        position = start
        fields.reserveCapacity(16)
    }

    /// - Returns: false if there are other bytes between this field and the previous one, or inside it.
    mutating func add(
        _ name: UnsafePointer<CChar>, _ nameSize: Int, _ value: UnsafePointer<CChar>, _ valueSize: Int
    ) -> Bool {
        let name = UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self)
        let value = UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self)
        guard name == position, nameSize > 0, nameSize < end - name, name[nameSize] == 0 else { return false }
        var colon = name + nameSize + 1
        while colon < end, colon.pointee == ASCII.space || colon.pointee == ASCII.tab { colon += 1 }
        guard value == colon, valueSize + 2 <= end - value, value[valueSize] == 0, value[valueSize + 1] == 0 else {
            return false
        }
        let bytes = UnsafeBufferPointer(start: value, count: valueSize)
        guard UnsafeBufferPointer(start: name, count: nameSize).allSatisfy(ASCII.isToken),
            bytes.allSatisfy(ASCII.isFieldValue)
        else { return false }
        let trailing = bytes.reversed().prefix { $0 == ASCII.space || $0 == ASCII.tab }.count
        fields.append(
            HTTPHeaders.Field(
                name: name - start..<name - start + nameSize,
                value: value - start..<value - start + valueSize - trailing))
        position = value + valueSize + 2
        return true
    }

    /// All fields in one copy of the head; `nil` unless only the empty line remains.
    var headers: HTTPHeaders? {
        guard end - position == 2, position[0] == 0, position[1] == 0 else { return nil }
        return HTTPHeaders(bytes: Array(UnsafeBufferPointer(start: start, count: position - start)), fields: fields)
    }
}
