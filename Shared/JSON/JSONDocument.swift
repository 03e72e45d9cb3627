/// A JSON text (RFC 8259) that was checked in one pass, with an index of its values. Values are decoded from the index,
/// so a document that is decoded twice, such as the envelope of a request, is read once.
package final class JSONDocument: Sendable {
    /// The text. Behind it follow the strings that have escapes, decoded.
    let bytes: [UInt8]
    /// The root comes first.
    let nodes: [JSONNode]

    /// Reads exactly one value with white space around it.
    /// - Throws: `JSONError` at the first byte that breaks the grammar or a limit.
    package init(_ text: some Sequence<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
        var scanner = JSONScanner(Array(text), limits: limits)
        try scanner.scanDocument()
        bytes = scanner.bytes
        nodes = scanner.nodes
    }

    /// Whether the value is an object.
    package var isObject: Bool { nodes.first?.kind == .object }

    /// Builds a value.
    /// - Throws: `DecodingError` if the document has values of another type, and whatever the initializers of `type`
    ///   throw.
    package func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, names: WireJSON.KeySpelling = .asDeclared
    ) throws -> Value {
        try JSONReader(document: self, names: names).decode(type, at: 0)
    }

    /// Builds a value, and finds the members of decoded objects that its types do not declare. If an object has a name in two
    /// spellings, the second one is among them.
    /// - Throws: as `decode`.
    package func decodeFindingUnknownNames<Value: Decodable>(
        _ type: Value.Type = Value.self, names: WireJSON.KeySpelling = .asDeclared
    ) throws -> (value: Value, unknownNames: [JSONUnknownName]) {
        let reader = JSONReader(document: self, names: names, findsUnknownNames: true)
        let value = try reader.decode(type, at: 0)
        let unknown = reader.usage?.unknownNames(in: self) ?? []
        return (
            value,
            unknown.map { JSONUnknownName(name: text(at: $0.name), codingPath: reader.path(to: $0.object)) }
        )
    }

    /// The bytes of a string or a number.
    func scalar(at node: Int) -> ArraySlice<UInt8> { bytes[nodes[node].bytes] }

    /// A string or a name.
    func text(at node: Int) -> String { String(decoding: scalar(at: node), as: UTF8.self) }
}
