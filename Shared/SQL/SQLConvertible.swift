package import Vocabulary

/// A type that a column can hold.
package protocol SQLConvertible {
    /// Nil when the value is of another kind or out of range. Nothing is converted silently, but an integer reads as a
    /// `Double`: SQLite stores whole reals as integers.
    init?(sqlValue value: SQLValue)
    /// The value in the column.
    var sqlValue: SQLValue { get }
    /// The name of the type in messages.
    static var kind: String { get }
}

extension SQLValue: SQLConvertible {
    package init?(sqlValue value: SQLValue) { self = value }
    package var sqlValue: SQLValue { self }
    package static var kind: String { "a value" }
}

extension String: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
    package var sqlValue: SQLValue { .text(self) }
    package static var kind: String { "text" }
}

extension Int64: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
    package var sqlValue: SQLValue { .integer(self) }
    package static var kind: String { "an integer" }
}

extension Int: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self = Int(number)
    }
    package var sqlValue: SQLValue { .integer(Int64(self)) }
    package static var kind: String { "an integer" }
}

extension Double: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        switch value {
        case .real(let number): self = number
        case .integer(let number): self = Double(number)
        case .null, .text, .blob: return nil
        }
    }
    package var sqlValue: SQLValue { .real(self) }
    package static var kind: String { "a real" }
}

extension Bool: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        switch value {
        case .integer(0): self = false
        case .integer(1): self = true
        case .integer, .real, .null, .text, .blob: return nil
        }
    }
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
    package static var kind: String { "0 or 1" }
}

extension [UInt8]: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }
    package var sqlValue: SQLValue { .blob(self) }
    package static var kind: String { "a blob" }
}

// MARK: - Words and numbers of ours

/// An enum whose raw values stand in a column conforms without a member: `extension Purpose: SQLConvertible {}`.
extension RawRepresentable where Self: SQLConvertible, RawValue: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        guard let rawValue = RawValue(sqlValue: value) else { return nil }
        self.init(rawValue: rawValue)
    }
    package var sqlValue: SQLValue { rawValue.sqlValue }
    package static var kind: String { "a raw value of \(Self.self)" }
}

extension Identifier: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text)
    }
    package var sqlValue: SQLValue { .text(rawValue) }
    package static var kind: String { "text" }
}

/// Unix seconds.
extension Timestamp: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(seconds: number)
    }
    package var sqlValue: SQLValue { .integer(seconds) }
    package static var kind: String { "an integer" }
}

/// Unix milliseconds.
extension Moment: SQLConvertible {
    package init?(sqlValue value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(milliseconds: number)
    }
    package var sqlValue: SQLValue { .integer(milliseconds) }
    package static var kind: String { "an integer" }
}
