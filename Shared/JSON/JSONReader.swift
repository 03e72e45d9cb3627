/// One decoding of a document. The decoders of its values share it.
final class JSONReader {
    let document: JSONDocument
    let names: WireJSON.KeySpelling
    /// Nil unless unknown names are looked for.
    private(set) var usage: JSONNameUsage?

    /// Where the search for the next member of an object begins: members often are decoded in their order.
    private var searchedObject = -1
    private var nextName = 0

    init(document: JSONDocument, names: WireJSON.KeySpelling, findsUnknownNames: Bool = false) {
        self.document = document
        self.names = names
        usage = findsUnknownNames ? JSONNameUsage(of: document) : nil
    }

    /// An object is decoded by the names that a type declares.
    func open(_ object: Int) {
        usage?.open(object)
    }

    func decode<Value: Decodable>(_ type: Value.Type, at node: Int) throws -> Value {
        // The names of a dictionary are data, not declared.
        let hasDeclaredNames = names == .asDeclared || !(type is any StringDictionary.Type)
        return try Value(from: JSONValueReader(self, node, hasDeclaredNames: hasDeclaredNames))
    }

    // MARK: Members

    /// The value of the member of an object that a declared key names; nil without one.
    func value(of object: Int, named key: some CodingKey, hasDeclaredNames: Bool) -> Int? {
        let isExact = names == .asDeclared || !hasDeclaredNames
        let name = key.stringValue
        let start = searchedObject == object ? nextName : object + 1
        let found =
            search(start..<document.nodes[object].contentEnd, for: name, isExact: isExact)
            ?? search(object + 1..<start, for: name, isExact: isExact)
        guard let found else { return nil }
        usage?.ask(for: found)
        continueSearch(of: object, at: found)
        return found + 1
    }

    /// The next search in an object begins with this name, or at its end.
    func continueSearch(of object: Int, at name: Int) {
        searchedObject = object
        nextName = name
    }

    /// - Returns: the node of the name.
    private func search(_ range: Range<Int>, for declared: String, isExact: Bool) -> Int? {
        let key = declared.utf8Span.span
        var name = range.lowerBound
        while name < range.upperBound {
            let node = document.nodes[name]
            if isExact ? isEqual(node, key) : isSnakeCase(node, key) { return name }
            name = document.nodes[name + 1].indexAfter(name + 1)
        }
        return nil
    }

    private func isEqual(_ name: JSONNode, _ key: borrowing Span<UInt8>) -> Bool {
        let range = name.bytes
        guard range.count == key.count else { return false }
        for place in 0..<key.count where document.bytes[range.lowerBound + place] != key[place] { return false }
        return true
    }

    private func isSnakeCase(_ name: JSONNode, _ key: borrowing Span<UInt8>) -> Bool {
        var camelCase = CamelCaseName(document.bytes[name.bytes])
        for place in 0..<key.count where camelCase.next() != key[place] { return false }
        return camelCase.next() == nil
    }

    /// A member's name in the spelling of declared names.
    func declaredName(at name: Int) -> String {
        switch names {
        case .asDeclared: document.text(at: name)
        case .camelOrSnakeCase:
            String(decoding: Array(IteratorSequence(CamelCaseName(document.scalar(at: name)))), as: UTF8.self)
        }
    }

    // MARK: Scalars

    func string(at node: Int) throws -> String {
        guard document.nodes[node].kind == .string else { throw mismatch(String.self, at: node) }
        return document.text(at: node)
    }

    func bool(at node: Int) throws -> Bool {
        switch document.nodes[node].kind {
        case .true: return true
        case .false: return false
        case .null, .integer, .number, .string, .array, .object: throw mismatch(Bool.self, at: node)
        }
    }

    /// Integers may be written with a fraction or an exponent, as in `1.0` and `1e3`.
    /// - Throws: `dataCorrupted` for a number that is not an integer of this type.
    func integer<Number: FixedWidthInteger>(_ type: Number.Type, at node: Int) throws -> Number {
        let kind = document.nodes[node].kind
        guard kind == .integer || kind == .number else { throw mismatch(type, at: node) }
        guard let number = Number(json: document.scalar(at: node), isInteger: kind == .integer) else {
            throw DecodingError.dataCorrupted(.init(codingPath: path(to: node), debugDescription: "not a \(type)"))
        }
        return number
    }

    func float<Number: LosslessStringConvertible>(_ type: Number.Type, at node: Int) throws -> Number {
        let kind = document.nodes[node].kind
        guard kind == .integer || kind == .number, let number = Number(document.text(at: node)) else {
            throw mismatch(type, at: node)
        }
        return number
    }

    func isNull(_ node: Int) -> Bool { document.nodes[node].kind == .null }

    // MARK: Errors

    func mismatch(_ type: any Any.Type, at node: Int) -> DecodingError {
        let kind = document.nodes[node].kind
        let context = DecodingError.Context(
            codingPath: path(to: node), debugDescription: "\(kind) instead of \(type)")
        return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// The names and indices that lead to a value. They are found in the document only when an error needs them.
    func path(to node: Int) -> [any CodingKey] {
        let nodes = document.nodes
        var path: [any CodingKey] = []
        var container = 0
        while container < node {
            let isObject = nodes[container].kind == .object
            var (child, index) = (container + 1, 0)
            while true {
                let element = isObject ? child + 1 : child
                let next = nodes[element].indexAfter(element)
                if node < next {
                    path.append(isObject ? JSONPathKey(name: declaredName(at: child)) : JSONPathKey(index: index))
                    container = element
                    break
                }
                (child, index) = (next, index + 1)
            }
        }
        return path
    }
}

/// A component of the path in a `DecodingError`.
struct JSONPathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(name: String) {
        stringValue = name
        intValue = nil
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init(stringValue: String) { self.init(name: stringValue) }

    init(intValue: Int) { self.init(index: intValue) }
}

private protocol StringDictionary {}

extension Dictionary: StringDictionary where Key == String {}
