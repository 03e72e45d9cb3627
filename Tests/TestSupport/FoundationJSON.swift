package import FoundationEssentials
package import JSON

/// What Foundation's coder makes of a document, to compare it with ours.
package enum FoundationJSON {
    /// - Returns: nil if Foundation refuses the text.
    package static func value(of text: Data) -> JSONValue? {
        try? JSONDecoder().decode(Value.self, from: text).value
    }

    /// Whether a value is the one that Foundation builds. Foundation truncates a number with a fraction from 2^53 on.
    package static func builds(_ value: JSONValue, of text: Data) -> Bool {
        self.value(of: text).map { areEqual($0, value) } ?? false
    }

    private static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        // Without its fraction the number can be nearer to the next double.
        case (.integer(let left), .number(let right)): (Double(left) - right).magnitude <= right.ulp
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy(areEqual)
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in right[name].map { areEqual(value, $0) } ?? false }
        default: left == right
        }
    }

    private struct Value: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value =
                if container.decodeNil() {
                    .null
                } else if let truth = try? container.decode(Bool.self) {  // `try?`: the other types are tried next.
                    .bool(truth)
                } else if let integer = try? container.decode(Int64.self) {
                    .integer(integer)
                } else if let number = try? container.decode(Double.self) {
                    .number(number)
                } else if let text = try? container.decode(String.self) {
                    .string(text)
                } else if let elements = try? container.decode([Value].self) {
                    .array(elements.map(\.value))
                } else {
                    .object(try container.decode([String: Value].self).mapValues(\.value))
                }
        }
    }
}
