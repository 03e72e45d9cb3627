/// A token, a password or a code. Descriptions and reflection do not show it.
struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomReflectable {
    private let value: Value

    init(_ value: Value) { self.value = value }

    /// The value, for the request that needs it.
    func reveal() -> Value { value }

    var description: String { "[secret]" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}
