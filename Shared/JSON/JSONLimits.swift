package import FoundationEssentials

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
}

/// Bounds and strictness for external JSON (security rules, section 0, JS1 and JS2). `JSONDecoder` has no bound on
/// nodes, keeps one of two equal names and accepts depth 512. The text is therefore scanned first, without building
/// values.
package struct JSONLimits: Sendable {
    package var depth: Int
    /// Values of any kind, containers included.
    package var nodes: Int
    /// Of one string or name, as written.
    package var stringBytes: Int

    package static let standard = JSONLimits(depth: 32, nodes: 10_000, stringBytes: 64 << 10)

    package init(depth: Int, nodes: Int, stringBytes: Int) {
        self.depth = depth
        self.nodes = nodes
        self.stringBytes = stringBytes
    }

    /// Accepts exactly one JSON value with white space around it.
    package func check(_ bytes: Data) throws(JSONError) {
        let fault: JSONError? = bytes.withUnsafeBytes { buffer in
            var scanner = JSONScanner(bytes: buffer, limits: self)
            do throws(JSONError) {
                try scanner.scanDocument()
                return nil
            } catch {
                return error
            }
        }
        if let fault { throw fault }
    }
}
