package import Contracts
package import Vocabulary

/// A value that may be logged: numbers, ids, and names of this program. A `Secret`, an e-mail address, a phone number
/// or a body does not conform, so it does not compile (security rule LG1).
package protocol Loggable: Sendable {
    /// The value in the log, before escaping and shortening.
    var logValue: LogValue { get }
}

/// One field of a log line.
package struct LogValue: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    enum Content: Sendable {
        case text(String)
        case bare(String)  // A number or a Boolean: JSON shows it without quotes.
    }
    let content: Content

    /// A literal in the source. Interpolated text is not a literal of this type.
    package init(stringLiteral text: StaticString) {
        content = .text(text.withUTF8Buffer { String(decoding: $0, as: UTF8.self) })
    }

    package init(integerLiteral number: Int) {
        content = .bare(String(number))
    }

    private init(_ content: Content) {
        self.content = content
    }

    /// Declares that readers of logs may see this value. A review can search for it.
    package static func `public`(_ value: some Loggable) -> LogValue { value.logValue }

    /// The type of an error and, for the types of this program, its case. External errors show their type only, because
    /// their descriptions may quote input.
    package static func kind(of error: any Error) -> LogValue {
        if let failure = error as? any ExitError { return .init(.text(failure.messages.joined(separator: " "))) }
        if let failure = error as? any DependencyFailure { return .init(.text(failure.reason)) }
        if let refusal = error as? ServiceError { return .init(.text("ServiceError.\(refusal.code.rawValue)")) }
        return .init(.text(String(reflecting: type(of: error))))
    }

    static func text(_ text: String) -> LogValue { .init(.text(text)) }

    static func number(_ number: some CustomStringConvertible) -> LogValue { .init(.bare(number.description)) }
}

extension String: Loggable { package var logValue: LogValue { .text(self) } }
extension Bool: Loggable { package var logValue: LogValue { .number(self) } }
extension Int: Loggable { package var logValue: LogValue { .number(self) } }
extension Int32: Loggable { package var logValue: LogValue { .number(self) } }
extension Int64: Loggable { package var logValue: LogValue { .number(self) } }
extension UInt16: Loggable { package var logValue: LogValue { .number(self) } }
extension UInt64: Loggable { package var logValue: LogValue { .number(self) } }
extension Double: Loggable {
    /// JSON has no infinity and no NaN: they become text.
    package var logValue: LogValue { isFinite ? .number(self) : .text(description) }
}
extension Duration: Loggable {
    /// Whole milliseconds.
    package var logValue: LogValue {
        .number(saturatedMilliseconds)
    }
}
extension Timestamp: Loggable { package var logValue: LogValue { .number(seconds) } }
extension Identifier: Loggable { package var logValue: LogValue { .text(rawValue) } }
extension ServiceName: Loggable { package var logValue: LogValue { .text(rawValue) } }
extension HostPort: Loggable { package var logValue: LogValue { .text(description) } }
