/// One value of a column or a parameter, in the five kinds that every engine stores. A Boolean is 0 or 1.
package enum SQLValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Null for nil.
    package init(_ value: String?) { self = value.map(Self.text) ?? .null }
    /// Null for nil.
    package init(_ value: Int64?) { self = value.map(Self.integer) ?? .null }
    /// Null for nil.
    package init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
    /// Null for nil.
    package init(_ value: Double?) { self = value.map(Self.real) ?? .null }
    /// Null for nil, else 0 or 1.
    package init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }
    /// Null for nil.
    package init(_ value: [UInt8]?) { self = value.map(Self.blob) ?? .null }

    /// The kind, for messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .integer: "an integer"
        case .real: "a real"
        case .text: "text"
        case .blob: "a blob"
        }
    }
}

extension SQLValue: ExpressibleByNilLiteral, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .real(value) }
    package init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

/// A type as which a column can be read.
package protocol SQLReadable {
    /// Nil if the value is of another kind or out of range. Values are not converted, except an integer to a `Double`:
    /// SQLite stores whole reals as integers.
    init?(_ value: SQLValue)
    /// The name of the type in messages.
    static var kind: String { get }
}

extension String: SQLReadable {
    package init?(_ value: SQLValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
    package static var kind: String { "text" }
}

extension Int64: SQLReadable {
    package init?(_ value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
    package static var kind: String { "an integer" }
}

extension Int: SQLReadable {
    package init?(_ value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self = Int(number)
    }
    package static var kind: String { "an integer" }
}

extension Double: SQLReadable {
    package init?(_ value: SQLValue) {
        switch value {
        case .real(let number): self = number
        case .integer(let number): self = Double(number)
        case .null, .text, .blob: return nil
        }
    }
    package static var kind: String { "a real" }
}

extension Bool: SQLReadable {
    package init?(_ value: SQLValue) {
        switch value {
        case .integer(0): self = false
        case .integer(1): self = true
        case .integer, .real, .null, .text, .blob: return nil
        }
    }
    package static var kind: String { "0 or 1" }
}

extension [UInt8]: SQLReadable {
    package init?(_ value: SQLValue) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }
    package static var kind: String { "a blob" }
}
