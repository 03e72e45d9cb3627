import Broker
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

    /// Reads the input as messages of several peers to one broker (each after its peer in one byte and its length in one
    /// byte: a header, and a body unless the header has none), with the time that passes between them. Its state must
    /// stay consistent whatever they say.
    static func readBrokerInput(_ input: [UInt8]) throws {
        var rest = input[...]
        var now = BusTime(steady: ContinuousClock.now, wall: now)
        var limits = BrokerLimits()
        (limits.queuedPerService, limits.queuedPerCaller, limits.queuedInTotal) = (4, 3, 6)
        limits.members = 4
        var state = BrokerState(limits: limits, at: now)
        while let peer = rest.popFirst(), let length = rest.popFirst() {
            let header = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            let from = Peer(UInt32(peer & 7))
            now = now + .milliseconds(Int64(peer >> 3) * 8)
            let content = [[header], [header, Array("{}".utf8)]].lazy.compactMap { parts in
                var message = ZeroMQMessage(parts)
                return try? BusMessage(&message, from: 0, at: now.wall)
            }.first
            _ = state.receive(content.map(BusInput.frames) ?? .malformed(.unknownCommand), from: from, at: now)
            _ = state.tick(at: now)
            try demand(state.inconsistency == nil, state.inconsistency ?? "")
        }
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
