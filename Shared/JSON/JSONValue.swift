/// JSON of any shape, for documents with unknown fields. Integers are exact to 64 bits.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    /// The members of an object; nil for other values.
    package var members: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        guard let reader = decoder as? JSONValueReader else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "only a JSONDocument has JSON values"))
        }
        self.init(reader.reader.document, at: reader.node)
    }

    /// The depth of a document is bounded, and with it the recursion.
    private init(_ document: JSONDocument, at index: Int) {
        let node = document.nodes[index]
        switch node.kind {
        case .null: self = .null
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .string: self = .string(document.text(at: index))
        case .integer, .number:
            if let integer = Int64(json: document.scalar(at: index), isInteger: node.kind == .integer) {
                self = .integer(integer)
            } else {
                // The scanner accepts only numbers that fit a double.
                self = .number(Double(document.text(at: index)) ?? 0)
            }
        case .array:
            var elements: [JSONValue] = []
            elements.reserveCapacity(node.count)
            var element = index + 1
            while element < node.contentEnd {
                elements.append(JSONValue(document, at: element))
                element = document.nodes[element].indexAfter(element)
            }
            self = .array(elements)
        case .object:
            var members = [String: JSONValue](minimumCapacity: node.count)
            var name = index + 1
            while name < node.contentEnd {
                let text = document.text(at: name)
                // Names that differ only in their Unicode normalization are equal as Swift strings: the first counts.
                if members[text] == nil { members[text] = JSONValue(document, at: name + 1) }
                name = document.nodes[name + 1].indexAfter(name + 1)
            }
            self = .object(members)
        }
    }

    /// The members of an object are sorted by name: equal values have equal bytes.
    package func encode(to encoder: any Encoder) throws {
        if case .object(let members) = self {
            var container = encoder.container(keyedBy: JSONPathKey.self)
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                try container.encode(value, forKey: JSONPathKey(name: name))
            }
            return
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object: break
        }
    }
}
