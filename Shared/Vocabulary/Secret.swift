/// A value that must not be logged. Printing and reflection show `[secret]`. Code reads it with an explicit `reveal()`,
/// which a review can search for.
package struct Secret<Value: Sendable>: Sendable {
    private let value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func reveal() -> Value { value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// On the bus a secret is its bare value: the bus is private to the mesh, a log is not.
extension Secret: Codable where Value: Codable {
    package init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Secret: Equatable where Value: Equatable {}
