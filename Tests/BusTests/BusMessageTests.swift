import Bus
import Contracts
import FoundationEssentials
import JSON
import TestSupport
import Testing
import Vocabulary
import ZeroMQ

@Suite struct BusMessageTests {
    static let id = RequestID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)
    static let tag: [UInt8] = Array("LKBUS".utf8) + [3]
    static let payload = PayloadDigest(high: 0x1011_1213_1415_1617, low: 0x1819_1a1b_1c1d_1e1f)
    static let json = Array("{}".utf8)

    static func parts(_ frames: BusMessage, at now: Moment = Moment(milliseconds: 0)) -> [[UInt8]] {
        var draft = ZeroMQMessageBuilder()
        frames.write(to: &draft, at: now)
        return draft.parts
    }

    static func read(
        _ parts: [[UInt8]], at now: Moment = Moment(milliseconds: 0)
    ) throws(BusMessageError) -> BusMessage {
        var message = ZeroMQMessage(parts)
        return try BusMessage(&message, from: 0, at: now)
    }

    /// A message and its bytes.
    struct Example {
        var frames: BusMessage
        var command: UInt8
        var flags: UInt8 = 0
        /// The fields of the header after the flags.
        var fields: [[UInt8]] = []
        var body: [UInt8]?

        var parts: [[UInt8]] {
            let header = BusMessageTests.tag + [command, flags] + fields.flatMap { $0 }
            return body.map { [header, $0] } ?? [header]
        }
    }

    /// A name as it stands in a header.
    private static func name(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    private static let request = BusMessage.Request(
        service: BusName("identity")!, id: id, deadline: Moment(milliseconds: 0x0102_0304_0506_0708),
        isIdempotent: true, payload: payload, body: ZeroMQFrame(json))
    private static let requestFields: [[UInt8]] = [
        Array(0...15), [1, 2, 3, 4, 5, 6, 7, 8], Array(0x10...0x1f), name("identity"), [0],
    ]
    private static let forwarded: BusMessage.Request = {
        var forwarded = request
        forwarded.isIdempotent = false
        forwarded.caller = BusName("gateway.1")
        return forwarded
    }()

    static let examples: [Example] = [
        Example(
            frames: .ready(.init(service: BusName("mfa-sms")!, instance: BusName("mfa-sms.1")!, capacity: 0x0140)),
            command: 1, fields: [[1, 0x40], name("mfa-sms"), name("mfa-sms.1")]),
        Example(frames: .request(request), command: 2, flags: 1, fields: requestFields, body: json),
        Example(
            frames: .request(forwarded), command: 2, fields: requestFields.dropLast() + [name("gateway.1")],
            body: json),
        Example(
            frames: .reply(.init(id: id, body: ZeroMQFrame(json))), command: 3, fields: [Array(0...15)], body: json),
        Example(frames: .heartbeat, command: 4),
        Example(frames: .disconnect, command: 5),
        Example(frames: .event(ZeroMQFrame(json)), command: 6, body: json),
        Example(
            frames: .ended(
                .init(
                    service: BusName("identity")!, instance: BusName("identity.1")!, cause: .crashed, payload: payload)),
            command: 7, flags: 1, fields: [[2], Array(0x10...0x1f), name("identity"), name("identity.1")]),
        Example(
            frames: .ended(.init(service: BusName("identity")!, instance: BusName("identity.1")!, cause: .stopped)),
            command: 7, fields: [[1], Array(repeating: 0, count: 16), name("identity"), name("identity.1")]),
        Example(
            frames: .block(payload, milliseconds: 60_000), command: 8,
            fields: [[0, 0, 0xea, 0x60], Array(0x10...0x1f)]),
        Example(frames: .leaving, command: 9),
        Example(frames: .confirmed, command: 10),
        Example(frames: .report(ZeroMQFrame(json)), command: 11, body: json),
        Example(frames: .watch, command: 12),
    ]

    @Test func everyCommandHasDocumentedBytes() throws {
        for example in Self.examples {
            #expect(Self.parts(example.frames) == example.parts)
            #expect(try Self.read(example.parts) == example.frames)
        }
    }

    /// The README, which authors of other clients follow, contains every command, the fields of its header, and whether
    /// it has flags and a body.
    @Test func readmeListsEveryField() throws {
        let readme = try String(
            contentsOfFile: #filePath.replacing("Tests/BusTests/BusMessageTests.swift", with: "Shared/Bus/README.md"),
            encoding: .utf8)
        let version = Self.tag.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        #expect(readme.contains("`\(version)`"))
        let rows = readme.split(separator: "\n").compactMap {
            $0.firstMatch(of: /^\| `([0-9a-f]{2})` \| \w+ \| (.*) ?\| (.*) ?\| (.*) ?\|$/)?.output
        }
        var documented: Set<String> = []
        for (_, command, flags, fields, body) in rows {
            let count = fields.split(separator: ",").count { $0.contains { $0 != " " } }
            let hasFlags = flags.contains("bit 0")
            documented.insert("\(try #require(UInt8(command, radix: 16))) \(hasFlags) \(count) \(body.contains("*"))")
        }
        let commands = Dictionary(grouping: Self.examples, by: \.command)
        let expected = commands.map { command, examples in
            "\(command) \(examples.contains { $0.flags != 0 }) \(examples[0].fields.count) \(examples[0].body != nil)"
        }
        #expect(documented == Set(expected))
    }

    @Test func messageIsReadAfterRoutingID() throws {
        for example in Self.examples {
            var message = ZeroMQMessage([[0, 1, 2, 3, 4]] + example.parts)
            #expect(try BusMessage(&message, from: 1, at: Moment(milliseconds: 0)) == example.frames)
        }
    }

    /// Each process uses its own clock: a clock that is years ahead makes no request late.
    @Test(arguments: [(5000, 5000), (0, 0), (-1, 0)] as [(Int64, Int64)])
    func deadlineIsSentAsRemainingTime(left: Int64, read: Int64) throws {
        let (here, there) = (Moment(milliseconds: 1_700_000_000_000), Moment(milliseconds: 1_800_000_000_000))
        var request = Self.request
        request.deadline = here + .milliseconds(left)
        let parts = Self.parts(.request(request), at: here)
        request.deadline = there + .milliseconds(read)
        #expect(try Self.read(parts, at: there) == .request(request))
    }

    @Test func missingOrAddedPartIsRefused() {
        for example in Self.examples {
            let parts = example.parts
            #expect(throws: BusMessageError.wrongPartCount) { try Self.read(parts + [[]]) }
            #expect(throws: BusMessageError.wrongPartCount) {
                try Self.read(Array(parts.prefix(1)) + Array(repeating: [], count: ZeroMQMessage.maximumParts))
            }
            let error: BusMessageError = example.body == nil ? .unknownProtocol : .wrongPartCount
            #expect(throws: error) { try Self.read(Array(parts.dropLast())) }
        }
    }

    /// Every header ends where its last field ends: neither a shorter one nor a longer one is read.
    @Test func headerOfAnotherLengthIsRefused() {
        for example in Self.examples {
            let header = example.parts[0]
            let rest = Array(example.parts.dropFirst())
            for count in 0..<header.count {
                #expect(throws: BusMessageError.self) { try Self.read([Array(header.prefix(count))] + rest) }
            }
            #expect(throws: BusMessageError.trailingBytes) { try Self.read([header + [0]] + rest) }
        }
    }

    /// The first bytes of a `heartbeat`, which has nothing else.
    static let brokenBeginnings: [([UInt8], BusMessageError)] = [
        ([], .unknownProtocol), (Array("LKBUS".utf8), .unknownProtocol),
        (Array("lkbus".utf8) + [3, 4, 0], .unknownProtocol),
        (Array("LKBUS".utf8) + [0, 4, 0], .unsupportedVersion(0)),
        (Array("LKBUS".utf8) + [2], .unsupportedVersion(2)), (Array("LKBUS".utf8) + [4, 4, 0], .unsupportedVersion(4)),
        (tag, .unknownCommand), (tag + [0, 0], .unknownCommand), (tag + [13, 0], .unknownCommand),
        (tag + [4], .malformedFlags), (tag + [4, 1], .malformedFlags),
    ]

    @Test(arguments: brokenBeginnings.indices) func malformedBeginningIsNamed(number: Int) {
        let (bytes, error) = Self.brokenBeginnings[number]
        #expect(throws: error) { try Self.read([bytes]) }
    }

    /// Only the flags of the command are accepted.
    @Test func unknownFlagsAreRefused() {
        for example in Self.examples {
            for bit in 0..<8 where bit > 0 || ![2, 7].contains(example.command) {
                var parts = example.parts
                parts[0][7] |= 1 << bit
                #expect(throws: BusMessageError.malformedFlags) { try Self.read(parts) }
            }
        }
    }

    private static let long = Array(repeating: UInt8(0x61), count: 65)

    /// Field `index` of example `example` with other content.
    static let broken: [(example: Int, index: Int, content: [UInt8], error: BusMessageError)] = [
        (0, 1, [0], .malformedName), (0, 1, name("a b"), .malformedName), (0, 1, [2, 0xc3, 0xa9], .malformedName),
        (0, 1, [65] + long, .malformedName), (0, 2, [255] + long, .malformedName), (0, 2, [1, 0], .malformedName),
        (0, 2, [2, 0x61], .malformedName), (0, 2, [1, 0x61, 0x61], .trailingBytes),
        (1, 1, Array(repeating: 0xff, count: 8), .malformedDeadline),
        (1, 1, [0x40, 0, 0, 0, 0, 0, 0, 0], .malformedDeadline),
        (1, 3, name("a/b"), .malformedName), (1, 4, name("a/b"), .malformedName), (1, 4, [65] + long, .malformedName),
        (1, 4, [], .malformedName), (1, 4, [0, 0], .trailingBytes),
        (3, 0, Array(0...14), .malformedID), (3, 0, Array(0...16), .trailingBytes), (3, 0, [], .malformedID),
        (7, 0, [0], .malformedCause), (7, 0, [3], .malformedCause), (8, 1, Array(0...15), .malformedPayloadDigest),
        (9, 0, [1], .malformedPayloadDigest), (9, 1, [], .malformedPayloadDigest),
    ]

    @Test(arguments: broken.indices) func malformedFieldIsNamed(number: Int) {
        let broken = Self.broken[number]
        var example = Self.examples[broken.example]
        example.fields[broken.index] = broken.content
        #expect(throws: broken.error) { try Self.read(example.parts) }
    }

    @Test func emptyOrLongBodyIsRefused() {
        for var example in Self.examples where example.body != nil {
            for body in [[], Array(repeating: 0x20, count: BusMessage.maximumBodyBytes + 1)] as [[UInt8]] {
                example.body = body
                #expect(throws: BusMessageError.malformedBody) { try Self.read(example.parts) }
            }
        }
    }

    @Test func messageAtLimitsIsAccepted() throws {
        let name = [64] + Self.long.dropLast()
        var ready = Self.examples[0]
        ready.fields = [[0xff, 0xff], name, name]
        _ = try Self.read(ready.parts)
        var request = Self.examples[1]
        request.fields[1] = [0x3f] + Array(repeating: 0xff, count: 7)
        request.fields[4] = name
        request.body = Array(repeating: 0x20, count: BusMessage.maximumBodyBytes)
        _ = try Self.read(request.parts)
    }

    /// The log of this process and the reply to a request of version 02 name both versions.
    @Test func otherVersionIsNamed() throws {
        let sentence = "the peer speaks version 02 of the bus, and this process version 03"
        #expect("\(BusMessageError.unsupportedVersion(2))" == sentence)
        let tag = Array("LKBUS".utf8) + [2]
        let request: [[UInt8]] = [
            tag, [2], Array("identity".utf8), Array(0...15), Array(repeating: 0, count: 8), [1], Array(0x10...0x1f),
            Self.json,
        ]
        let reply = try #require(Self.refusal(of: request))
        #expect(reply.prefix(3) == [tag, [3], Array(0...15)])
        let envelope = try WireJSON.decode(ReplyEnvelope<Echo.EchoRequest.Reply>.self, from: reply[3])
        guard case .error(let id, let error) = envelope else { throw BusMessageError.malformedBody }
        #expect(id == "\(Self.id)")
        #expect(error == WireError(.invalidRequest, sentence))
        // Nothing else has a reply.
        for (number, content) in [(0, Self.tag), (1, [3]), (3, Array(0...14))] {
            var other = request
            other[number] = content
            #expect(Self.refusal(of: other) == nil)
        }
        for other in [request.dropLast(), request + [[]]] {
            #expect(Self.refusal(of: Array(other)) == nil)
        }
    }

    private static func refusal(of parts: [[UInt8]]) -> [[UInt8]]? {
        let message = ZeroMQMessage(parts)
        return BusMessage.refusalOfOldRequest(message, from: 0)?.parts
    }

    @Test(arguments: 0..<300 as Range<UInt64>) func randomMessageRoundTrips(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let frames = Self.random(&random)
        #expect(try Self.read(Self.parts(frames)) == frames)
    }

    @Test(arguments: 0..<300 as Range<UInt64>) func randomBytesAreRefusedOrRoundTrip(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        // Damages a valid message, because pure noise is rejected at the tag.
        var parts = Self.parts(Self.random(&random))
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: 0..<parts.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: parts[index] = random.bytes(Int.random(in: 0...20, using: &random))
            case 1: parts.insert(random.bytes(Int.random(in: 0...3, using: &random)), at: index)
            case 2: if parts.count > 1 { parts.remove(at: index) }
            default:
                guard !parts[index].isEmpty else { continue }
                let byte = Int.random(in: 0..<parts[index].count, using: &random)
                parts[index][byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
        guard let frames = try? Self.read(parts) else { return }  // Most of them are rejected.
        #expect(Self.parts(frames) == parts)
    }

    static func random(_ random: inout SeededRandom) -> BusMessage {
        func name() -> BusName {
            let letters = Array("abcxyzABCXYZ019.-_".utf8)
            let count = Int.random(in: 1...64, using: &random)
            return BusName((0..<count).map { _ in letters.randomElement(using: &random)! })!  // Only valid letters.
        }
        func body() -> ZeroMQFrame { ZeroMQFrame(random.bytes(Int.random(in: 1...500, using: &random))) }
        let id = RequestID(high: random.next(), low: random.next())
        let payload = PayloadDigest(high: random.next(), low: random.next())
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            let capacity = UInt16.random(in: 0...UInt16.max, using: &random)
            return .ready(.init(service: name(), instance: name(), capacity: capacity))
        case 1:
            let deadline = Moment(milliseconds: Int64.random(in: 0...(Int64.max / 2), using: &random))
            let isIdempotent = Bool.random(using: &random)
            return .request(
                .init(
                    service: name(), id: id, deadline: deadline, isIdempotent: isIdempotent, payload: payload,
                    caller: Bool.random(using: &random) ? name() : nil, body: body()))
        case 2: return .reply(.init(id: id, body: body()))
        case 3: return .heartbeat
        case 4: return .disconnect
        case 5: return .block(payload, milliseconds: .random(in: 0 ... .max, using: &random))
        case 6: return .leaving
        case 7: return .confirmed
        case 8: return .report(body())
        case 9: return .watch
        case 10:
            return .ended(
                .init(
                    service: name(), instance: name(), cause: Bool.random(using: &random) ? .crashed : .stopped,
                    payload: Bool.random(using: &random) ? payload : nil))
        default: return .event(body())
        }
    }
}

@Suite struct RequestIDTests {
    @Test func requestIDIsWrittenAsHexadecimalDigits() {
        #expect(BusMessageTests.id.description == "000102030405060708090a0b0c0d0e0f")
        #expect(RequestID(high: .max, low: .max).description == String(repeating: "f", count: 32))
    }

    @Test func randomRequestIDsAreUnique() {
        #expect(Set((0..<1000).map { _ in RequestID.random() }).count == 1000)
    }
}
