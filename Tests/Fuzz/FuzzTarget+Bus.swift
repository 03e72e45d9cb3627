import Bus
import Contracts
import FoundationEssentials
import JSON
import PhoneNumbers
import TestSupport
import Vocabulary
import ZeroMQ

extension FuzzTarget {
    /// Reads the input as the parts of one message (each after its length in two bytes, big-endian), and those as
    /// frames. Accepted input must be written identically.
    static func readFrames(_ input: [UInt8]) throws {
        var rest = input[...]
        var parts: [[UInt8]] = []
        while let first = rest.popFirst(), let second = rest.popFirst() {
            let length = min(Int(first) << 8 | Int(second), rest.count)
            parts.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        var message = ZeroMQMessage(parts)
        guard let frames = try? BusMessage(&message, from: 0, at: now) else {
            _ = BusMessage.refusalOfOldRequest(message, from: 0)
            return
        }
        var draft = ZeroMQMessageBuilder()
        frames.write(to: &draft, at: now)
        try demand(draft.parts == parts, "frames are written as they were read")
    }

    /// Reads the input as JSON as the gateway and the bus do. Foundation must build the same value from input that is
    /// accepted, and the value must survive encoding.
    static func readJSON(_ input: Data) throws {
        _ = try? BusCall(body: input).params(of: Identity.UpdateAccount.self)
        guard let document = try? JSONDocument(input) else { return }
        _ = try? document.decode(Account.self, names: .camelOrSnakeCase)
        _ = try? document.decode([String: Double].self)
        let value = try document.decode(JSONValue.self)
        try demand(FoundationJSON.builds(value, of: input), "Foundation builds the same value")
        // A large number with a fraction may become an integer once.
        let settled = try writtenAndRead(value)
        try demand(try writtenAndRead(settled) == settled, "a value does not change on its way")
        let sorted = try WireJSON.encodeSorted(settled)
        try demand(try WireJSON.encodeSorted(try writtenAndRead(settled)) == sorted, "equal values have equal bytes")
    }

    private static func writtenAndRead(_ value: JSONValue) throws -> JSONValue {
        try WireJSON.decode(JSONValue.self, from: try WireJSON.encode(value))
    }

    /// Reads the input as a phone number from a client. An accepted number must be in its own normal form.
    static func readPhoneNumber(_ text: String) throws {
        guard let number = try? ParsedPhoneNumber(text) else { return }
        try demand(try ParsedPhoneNumber(number.number.rawValue) == number, "a number is its own form")
    }
}
