import Bus
import Contracts
import FoundationEssentials
import TestSupport
import Testing
import Vocabulary
import ZeroMQ

@Suite struct BusMessageTests {
    static let id = RequestID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)
    static let tag: [UInt8] = Array("LKBUS".utf8) + [2]
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

    static let examples: [(BusMessage, [[UInt8]])] = [
        (
            .ready(.init(service: BusName("mfa-sms")!, instance: BusName("mfa-sms.1")!, capacity: 0x0140)),
            [tag, [1], Array("mfa-sms".utf8), Array("mfa-sms.1".utf8), [1, 0x40]]
        ),
        (
            .request(
                .init(
                    service: BusName("identity")!, id: id, deadline: Moment(milliseconds: 0x0102_0304_0506_0708),
                    isIdempotent: true, payload: payload, body: ZeroMQFrame(json))),
            [
                tag, [2], Array("identity".utf8), Array(0...15), [1, 2, 3, 4, 5, 6, 7, 8], [1], Array(0x10...0x1f),
                json,
            ]
        ),
        (.reply(.init(id: id, body: ZeroMQFrame(json))), [tag, [3], Array(0...15), json]),
        (.heartbeat, [tag, [4]]),
        (.disconnect, [tag, [5]]),
        (.event(ZeroMQFrame(json)), [tag, [6], json]),
        (
            .ended(
                .init(
                    service: BusName("identity")!, instance: BusName("identity.1")!, cause: .crashed, payload: payload)),
            [tag, [7], Array("identity".utf8), Array("identity.1".utf8), [2], Array(0x10...0x1f)]
        ),
        (
            .ended(.init(service: BusName("identity")!, instance: BusName("identity.1")!, cause: .stopped)),
            [tag, [7], Array("identity".utf8), Array("identity.1".utf8), [1], []]
        ),
        (.block(payload, milliseconds: 60_000), [tag, [8], Array(0x10...0x1f), [0, 0, 0xea, 0x60]]),
        (.leaving, [tag, [9]]),
        (.confirmed, [tag, [10]]),
        (.report(ZeroMQFrame(json)), [tag, [11], json]),
        (.watch, [tag, [12]]),
    ]

    @Test func everyCommandHasDocumentedBytes() throws {
        for (frames, parts) in Self.examples {
            #expect(Self.parts(frames) == parts)
            #expect(try Self.read(parts) == frames)
        }
    }

    /// The README, which authors of other clients follow, contains every command and all its parts.
    @Test func readmeListsEveryPart() throws {
        let readme = try String(
            contentsOfFile: #filePath.replacing("Tests/BusTests/BusMessageTests.swift", with: "Shared/Bus/README.md"),
            encoding: .utf8)
        let version = Self.tag.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        #expect(readme.contains("`\(version)`"))
        let rows = readme.split(separator: "\n").compactMap {
            $0.firstMatch(of: /^\| `([0-9a-f]{2})` \| \w+ \| (.*) ?\|$/)?.output
        }
        var partCounts: [UInt8: Int] = [:]
        for (_, command, parts) in rows {
            partCounts[try #require(UInt8(command, radix: 16))] = parts.split(separator: ",").count {
                $0.contains { $0 != " " }
            }
        }
        for (_, parts) in Self.examples { #expect(partCounts[try #require(parts[1].first)] == parts.count - 2) }
        #expect(partCounts.count == Set(Self.examples.map { $0.1[1] }).count)
    }

    @Test func messageIsReadAfterRoutingID() throws {
        for (frames, parts) in Self.examples {
            var message = ZeroMQMessage([[0, 1, 2, 3, 4]] + parts)
            #expect(try BusMessage(&message, from: 1, at: Moment(milliseconds: 0)) == frames)
        }
    }

    /// Each process uses its own clock: a clock that is years ahead makes no request late.
    @Test(arguments: [(5000, 5000), (0, 0), (-1, 0)] as [(Int64, Int64)])
    func deadlineIsSentAsRemainingTime(left: Int64, read: Int64) throws {
        let (here, there) = (Moment(milliseconds: 1_700_000_000_000), Moment(milliseconds: 1_800_000_000_000))
        guard case .request(var request) = Self.examples[1].0 else { throw BusMessageError.unknownCommand }
        request.deadline = here + .milliseconds(left)
        let parts = Self.parts(.request(request), at: here)
        request.deadline = there + .milliseconds(read)
        #expect(try Self.read(parts, at: there) == .request(request))
    }

    @Test func missingOrAddedPartIsRefused() {
        for (_, parts) in Self.examples {
            #expect(throws: BusMessageError.wrongPartCount) { try Self.read(parts + [[]]) }
            #expect(throws: BusMessageError.self) { try Self.read(Array(parts.dropLast())) }
        }
        let many = Self.examples[3].1 + Array(repeating: [], count: ZeroMQMessage.maximumParts)
        #expect(throws: BusMessageError.wrongPartCount) { try Self.read(many) }
    }

    /// Part `index` of example `example` with other content.
    static let broken: [(example: Int, index: Int, content: [UInt8], fault: BusMessageError)] = [
        (3, 0, [], .unknownProtocol), (3, 0, Array("LKBUS".utf8), .unknownProtocol),
        (3, 0, Array("lkbus".utf8) + [2], .unknownProtocol), (3, 0, tag + [1], .unknownProtocol),
        (3, 0, Array("LKBUS".utf8) + [0], .unsupportedVersion(0)),
        (3, 0, Array("LKBUS".utf8) + [1], .unsupportedVersion(1)),
        (3, 1, [], .unknownCommand), (3, 1, [0], .unknownCommand), (3, 1, [13], .unknownCommand),
        (3, 1, [4, 4], .unknownCommand),
        (0, 2, [], .malformedName), (0, 2, Array("a b".utf8), .malformedName), (0, 2, [0xc3, 0xa9], .malformedName),
        (0, 2, Array(repeating: 0x61, count: 65), .malformedName), (0, 3, [0], .malformedName),
        (0, 4, [], .malformedCapacity), (0, 4, [1], .malformedCapacity), (0, 4, [0, 0, 1], .malformedCapacity),
        (1, 2, Array("a/b".utf8), .malformedName),
        (1, 3, Array(0...14), .malformedID), (1, 3, Array(0...16), .malformedID),
        (1, 4, Array(repeating: 0, count: 7), .malformedDeadline),
        (1, 4, Array(repeating: 0, count: 9), .malformedDeadline),
        (1, 4, Array(repeating: 0xff, count: 8), .malformedDeadline),
        (1, 4, [0x40, 0, 0, 0, 0, 0, 0, 0], .malformedDeadline),
        (1, 5, [], .malformedFlags), (1, 5, [2], .malformedFlags), (1, 5, [0, 0], .malformedFlags),
        (1, 6, [], .malformedPayloadDigest), (1, 6, Array(0...16), .malformedPayloadDigest),
        (6, 4, [], .malformedCause), (6, 4, [0], .malformedCause), (6, 4, [3], .malformedCause),
        (6, 5, [1], .malformedPayloadDigest), (8, 2, [], .malformedPayloadDigest), (8, 3, [1], .malformedDuration),
        (1, 7, [], .malformedBody), (2, 2, [], .malformedID), (2, 3, [], .malformedBody), (5, 2, [], .malformedBody),
        (5, 2, Array(repeating: 0x20, count: BusMessage.maximumBodyBytes + 1), .malformedBody),
    ]

    @Test(arguments: broken.indices) func malformedPartIsNamed(number: Int) {
        let broken = Self.broken[number]
        var parts = Self.examples[broken.example].1
        parts[broken.index] = broken.content
        #expect(throws: broken.fault) { try Self.read(parts) }
    }

    @Test func messageAtLimitsIsAccepted() throws {
        var ready = Self.examples[0].1
        ready[2] = Array(repeating: 0x61, count: 64)
        ready[4] = [0xff, 0xff]
        _ = try Self.read(ready)
        var request = Self.examples[1].1
        request[4] = [0x3f] + Array(repeating: 0xff, count: 7)
        request[7] = Array(repeating: 0x20, count: BusMessage.maximumBodyBytes)
        _ = try Self.read(request)
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
                    body: body()))
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
