import SQL

/// A PostgreSQL type by its OID, which is fixed for built-in types (src/include/catalog/pg_type.dat).
struct PostgresType: Equatable {
    let id: UInt32

    static let bool = Self(id: 16)
    static let bytea = Self(id: 17)
    static let name = Self(id: 19)
    static let int8 = Self(id: 20)
    static let int2 = Self(id: 21)
    static let int4 = Self(id: 23)
    static let text = Self(id: 25)
    static let float4 = Self(id: 700)
    static let float8 = Self(id: 701)
    static let varchar = Self(id: 1043)

    /// Unsupported common types: their values have no unique representation in the five kinds of `SQLValue`.
    private static let refused: [UInt32: String] = [
        114: "json", 1082: "date", 1114: "timestamp", 1184: "timestamp with time zone", 1700: "numeric", 2950: "uuid",
        3802: "jsonb",
    ]

    /// For messages.
    var name: String { Self.refused[id].map { "the type \($0)" } ?? "the type with number \(id)" }

    /// Decodes a value from the server's binary format.
    /// - Returns: nil for an unsupported type, and for bytes that are not a valid value.
    func value(_ bytes: UnsafeRawBufferPointer) -> SQLValue? {
        switch self {
        case .bool: bytes.first.map { .integer($0 == 0 ? 0 : 1) }
        case .int2: Self.integer(bytes, as: Int16.self).map { .integer(Int64($0)) }
        case .int4: Self.integer(bytes, as: Int32.self).map { .integer(Int64($0)) }
        case .int8: Self.integer(bytes, as: Int64.self).map { .integer($0) }
        case .float4: Self.integer(bytes, as: UInt32.self).map { .real(Double(Float(bitPattern: $0))) }
        case .float8: Self.integer(bytes, as: UInt64.self).map { .real(Double(bitPattern: $0)) }
        case .text, .varchar, .name: .text(String(decoding: bytes, as: UTF8.self))
        case .bytea: .blob([UInt8](bytes))
        default: nil
        }
    }

    /// Whether a parameter of this type accepts such a value. The server would convert many values silently: a text
    /// into the bytes that it spells, a number into its digits.
    func takes(_ value: SQLValue) -> Bool {
        switch value {
        case .null: true
        case .integer, .real: self != .bytea && self != .text && self != .varchar && self != .name
        case .text: self != .bytea
        case .blob: self == .bytea
        }
    }

    private static func integer<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, as type: Number.Type
    ) -> Number? {
        guard bytes.count == MemoryLayout<Number>.size else { return nil }
        return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }
}
