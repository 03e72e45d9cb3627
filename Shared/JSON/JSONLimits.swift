/// Why a text is not acceptable JSON.
package enum JSONError: Error, Equatable, Sendable {
    /// Breaks the grammar of RFC 8259, or is not UTF-8, at a byte offset.
    case malformed(at: Int)
    case duplicateName(at: Int)
    case tooDeep
    case tooManyNodes
    case stringTooLong
    /// A number outside the range of a double.
    case numberOutOfRange(at: Int)
    /// U+0000 in a string or a name. PostgreSQL stores no such text.
    case nul(at: Int)
}

/// Bounds of a document (RFC 8259 §9; security rules, section 0, JS1 and JS2). `JSONDocument` enforces them before it
/// builds a value.
package struct JSONLimits: Sendable {
    package var depth: Int
    /// Values of any kind, containers included.
    package var nodes: Int
    /// The limit of one string or name, as written.
    package var stringBytes: Int
    /// Whether strings may contain U+0000. Passwords may in any case.
    package var allowsNUL: Bool

    /// The members that hold a password, in the protocol and on the bus.
    static let passwordNames = [
        "password", "newPassword", "new_password", "oldPassword", "old_password", "rawPassword", "raw_password",
    ].map { Array($0.utf8) }

    package static let standard = JSONLimits(depth: 32, nodes: 10_000, stringBytes: 64 << 10)

    /// For documents that the mesh has written and bounded itself: only the depth is limited, because the containers of
    /// a value are built recursively.
    package static let own = JSONLimits(depth: 512, nodes: .max, stringBytes: .max, allowsNUL: true)

    package init(depth: Int, nodes: Int, stringBytes: Int, allowsNUL: Bool = false) {
        self.depth = depth
        self.nodes = nodes
        self.stringBytes = stringBytes
        self.allowsNUL = allowsNUL
    }

    /// Accepts exactly one JSON value with white space around it.
    package func check(_ bytes: some Sequence<UInt8>) throws(JSONError) {
        _ = try JSONDocument(bytes, limits: self)
    }
}
