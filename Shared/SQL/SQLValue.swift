/// One value of a column or a parameter, in one of the five kinds that every engine stores. A truth value is 0 or 1.
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
