/// The schema of an administrators' JSON document (REST 1.4 and 5.1). `ConfigurationDocuments` reads bodies and field
/// masks by it.
package indirect enum DocumentSchema: Sendable {
    case string, boolean, integer, number
    /// A 64-bit integer, encoded as a string.
    case integerText
    /// Names in protocol-number order, beginning at 1; 0 and `unset` mean "not set".
    case enumeration(unset: String, [String])
    case list(DocumentSchema)
    case map(DocumentSchema)
    case message([String: DocumentSchema])
    /// A message of which at most one field is set: a `oneof` of protocol buffers. Setting one clears the others.
    case oneOf([String: DocumentSchema])
    /// An output field set by the server: accepted in a body, because callers send back what they read, and ignored.
    case output

    package static func enumeration<Value: CaseIterable & RawRepresentable<String>>(
        unset: String, _ type: Value.Type
    ) -> DocumentSchema {
        .enumeration(unset: unset, Value.allCases.map(\.rawValue).filter { $0 != unset })
    }
}

// MARK: - Schemas of types

/// A type of the members of a document.
package protocol DocumentValue: Codable, Equatable, Sendable {
    static var schema: DocumentSchema { get }
}

extension String: DocumentValue { package static var schema: DocumentSchema { .string } }
extension Bool: DocumentValue { package static var schema: DocumentSchema { .boolean } }
extension Int: DocumentValue { package static var schema: DocumentSchema { .integer } }
extension Double: DocumentValue { package static var schema: DocumentSchema { .number } }

extension Array: DocumentValue where Element: DocumentValue {
    package static var schema: DocumentSchema { .list(Element.schema) }
}

extension Dictionary: DocumentValue where Key == String, Value: DocumentValue {
    package static var schema: DocumentSchema { .map(Value.schema) }
}

/// The raw values are those of the protocol, in the order of their numbers.
package protocol DocumentEnumeration: DocumentValue, CaseIterable, RawRepresentable<String> {
    /// The name of the number 0, "not set".
    static var unset: String { get }
}

extension DocumentEnumeration {
    package static var schema: DocumentSchema { .enumeration(unset: unset, Self.self) }
}

/// A struct whose members are the fields of a message, under the same names. All are optional: a field may be absent.
package protocol DocumentMessage: DocumentValue {
    /// The fields whose schema is not that of their member, and the output fields without a member. Nil for a member that
    /// no document has.
    static var specialFields: [String: DocumentSchema?] { get }
}

extension DocumentMessage {
    package static var specialFields: [String: DocumentSchema?] { [:] }
    package static var schema: DocumentSchema { .message(fields) }

    /// The members, read from the types that the initializer of `Decodable` asks for.
    package static var fields: [String: DocumentSchema] {
        let collector = FieldCollector()
        do {
            _ = try Self(from: collector)
        } catch {
            preconditionFailure("\(Self.self) has a member that is not optional, or is no DocumentValue: \(error)")
        }
        return collector.fields.merging(specialFields) { $1 }.compactMapValues(\.self)
    }
}

/// A decoder of an empty message: it notes which members are asked for, and has none of them.
private final class FieldCollector: Decoder {
    var fields: [String: DocumentSchema?] = [:]
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members(collector: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoMessageError() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoMessageError() }

    fileprivate struct NoMessageError: Error {}

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let collector: FieldCollector
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { false }
        func decodeNil(forKey key: Key) -> Bool { true }

        // Written out: the protocol has a default for each of these types.
        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try note(type, key) }
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try note(type, key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try note(type, key) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try note(type, key) }
        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try note(type, key) }

        private func note<T>(_ type: T.Type, _ key: Key) throws -> T? {
            guard let value = type as? any DocumentValue.Type else { throw NoMessageError() }
            collector.fields[key.stringValue] = value.schema
            return nil
        }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw NoMessageError() }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> { throw NoMessageError() }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NoMessageError() }
        func superDecoder() throws -> any Decoder { throw NoMessageError() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw NoMessageError() }
    }
}
