package import Vocabulary
package import ZeroMQ

/// One message of the bus in its frames (`README.md` documents every byte). The broker reads this much and never reads
/// a body.
package enum BusMessage: Equatable, Sendable {
    /// A process joins, or repeats its capacity.
    case ready(Ready)
    case request(Request)
    case reply(Reply)
    case heartbeat
    /// From a process: send no new requests. From a broker: this process is unknown and must join (again).
    case disconnect
    /// JSON of a `BusEvent`.
    case event(ZeroMQFrame)
    /// JSON of a `ProcessReport`.
    case report(ZeroMQFrame)
    /// From a process: send the reports of the others here.
    case watch
    /// From the launcher: a process has ended.
    case ended(Ended)
    /// Workers crashed over requests with this payload. The brokers refuse them for this number of milliseconds.
    case block(PayloadDigest, milliseconds: UInt32)
    /// From a broker that is about to stop: send no new requests here.
    case leaving
    /// Confirms `leaving` and the `disconnect` of a process: no new request follows on this connection. A process also
    /// sends it after the `disconnect` of a leaving broker: it has read everything before that.
    case confirmed

    /// The process that joins.
    package struct Ready: Equatable, Sendable {
        package var service: BusName
        /// Unique for each start of a process. A second process with this name replaces the first.
        package var instance: BusName
        /// Requests that the process accepts at once from one broker; 0 for a client.
        package var capacity: UInt16

        package init(service: BusName, instance: BusName, capacity: UInt16) {
            self.service = service
            self.instance = instance
            self.capacity = capacity
        }
    }

    /// A request to a service, with its deadline.
    package struct Request: Equatable, Sendable {
        package var service: BusName
        package var id: RequestID
        /// By the clock of this process. After it the caller has stopped waiting.
        package var deadline: Moment
        /// Whether the broker may give it to another worker when the first one is lost.
        package var isIdempotent: Bool
        /// Equal for requests with equal content.
        package var payload: PayloadDigest
        /// JSON of a `RequestEnvelope`.
        package var body: ZeroMQFrame

        package init(
            service: BusName, id: RequestID, deadline: Moment, isIdempotent: Bool, payload: PayloadDigest,
            body: ZeroMQFrame
        ) {
            self.service = service
            self.id = id
            self.deadline = deadline
            self.isIdempotent = isIdempotent
            self.payload = payload
            self.body = body
        }
    }

    /// Which process ended, and how.
    package struct Ended: Equatable, Sendable {
        package enum Cause: UInt8, Sendable {
            /// The process was killed or stopped, or it exited: its requests are not the cause.
            case stopped = 1
            case crashed = 2
        }

        package var service: BusName
        package var instance: BusName
        package var cause: Cause
        /// The request over which it crashed, if the process could report it.
        package var payload: PayloadDigest?

        package init(service: BusName, instance: BusName, cause: Cause, payload: PayloadDigest? = nil) {
            self.service = service
            self.instance = instance
            self.cause = cause
            self.payload = payload
        }
    }

    /// The reply to the request with the same id.
    package struct Reply: Equatable, Sendable {
        package var id: RequestID
        /// JSON of a `ReplyEnvelope`.
        package var body: ZeroMQFrame

        package init(id: RequestID, body: ZeroMQFrame) {
            self.id = id
            self.body = body
        }
    }
}

/// Why a message is malformed.
package enum BusMessageError: Error, Equatable, Sendable {
    /// The first part is not the protocol's tag.
    case unknownProtocol
    case unsupportedVersion(UInt8)
    case unknownCommand
    case wrongPartCount
    case malformedName
    case malformedID
    case malformedDeadline
    case malformedFlags
    case malformedCapacity
    case malformedPayloadDigest
    case malformedCause
    case malformedDuration
    /// Empty, or longer than `BusMessage.maximumBodyBytes`.
    case malformedBody
    /// The peer chose its own routing id.
    case customRoutingID
}

extension BusMessage {
    /// The protocol version; other versions are rejected.
    package static let version: UInt8 = 2
    /// 1 MiB.
    package static let maximumBodyBytes = 1 << 20

    private static let tag: [UInt8] = Array("LKBUS".utf8)
    private static let tagAndVersion: [UInt8] = tag + [version]

    private enum Command: UInt8 {
        case ready = 1
        case request, reply, heartbeat, disconnect, event, ended, block, leaving, confirmed, report, watch

        /// Parts of the message, including tag and command.
        var partCount: Int {
            switch self {
            case .ready: 5
            case .request: 8
            case .reply, .block: 4
            case .heartbeat, .disconnect, .leaving, .confirmed, .watch: 2
            case .event, .report: 3
            case .ended: 6
            }
        }
    }

    // MARK: Reading

    /// Reads a message and moves the body out of it. The protocol tag is part number `first`: 1 after the routing id of
    /// a ROUTER, otherwise 0.
    /// - Parameter now: by the clock of this process. A request carries the time left, because clocks of different
    ///   machines differ.
    package init(
        _ message: inout ZeroMQMessage, from first: Int, at now: @autoclosure () -> Moment = BusTime.now().wall
    ) throws(BusMessageError) {
        let command = try Self.command(of: message, at: first)
        let service = first + 2
        switch command {
        case .ready:
            self = .ready(
                .init(
                    service: try Self.name(message, service), instance: try Self.name(message, service + 1),
                    capacity: try Self.capacity(message, service + 2)))
        case .request:
            self = .request(
                .init(
                    service: try Self.name(message, service), id: try Self.id(message, service + 1),
                    deadline: try Self.deadline(message, service + 2, at: now()),
                    isIdempotent: try Self.isIdempotent(message, service + 3),
                    payload: try Self.payload(message, service + 4), body: try Self.body(&message, service + 5)))
        case .reply:
            self = .reply(.init(id: try Self.id(message, first + 2), body: try Self.body(&message, first + 3)))
        case .heartbeat:
            self = .heartbeat
        case .disconnect:
            self = .disconnect
        case .event:
            self = .event(try Self.body(&message, first + 2))
        case .ended:
            self = .ended(
                .init(
                    service: try Self.name(message, service), instance: try Self.name(message, service + 1),
                    cause: try Self.cause(message, service + 2),
                    payload: try Self.optionalPayload(message, service + 3)))
        case .block:
            self = .block(
                try Self.payload(message, first + 2), milliseconds: try Self.milliseconds(message, first + 3))
        case .leaving:
            self = .leaving
        case .confirmed:
            self = .confirmed
        case .report:
            self = .report(try Self.body(&message, first + 2))
        case .watch:
            self = .watch
        }
    }

    private static func command(of message: borrowing ZeroMQMessage, at first: Int) throws(BusMessageError) -> Command {
        let count = message.count - first
        guard count >= 2 else { throw .unknownProtocol }
        try message.withUnsafeBytes(of: first) { (bytes) throws(BusMessageError) in
            guard bytes.count == tagAndVersion.count, bytes.dropLast().elementsEqual(tag) else {
                throw .unknownProtocol
            }
            guard bytes.last == version else { throw .unsupportedVersion(bytes.last ?? 0) }
        }
        let command = message.withUnsafeBytes(of: first + 1) { bytes in
            bytes.count == 1 ? bytes.first.flatMap { Command(rawValue: $0) } : nil
        }
        guard let command else { throw .unknownCommand }
        guard count == command.partCount, !message.isTruncated else { throw .wrongPartCount }
        return command
    }

    private static func name(_ message: borrowing ZeroMQMessage, _ part: Int) throws(BusMessageError) -> BusName {
        guard let name = message.withUnsafeBytes(of: part, { BusName($0) }) else { throw .malformedName }
        return name
    }

    private static func id(_ message: borrowing ZeroMQMessage, _ part: Int) throws(BusMessageError) -> RequestID {
        guard let id = message.withUnsafeBytes(of: part, { RequestID($0) }) else { throw .malformedID }
        return id
    }

    private static func deadline(
        _ message: borrowing ZeroMQMessage, _ part: Int, at now: Moment
    ) throws(BusMessageError) -> Moment {
        let milliseconds = message.withUnsafeBytes(of: part) { bytes in
            bytes.count == 8 ? UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) : nil
        }
        // Half of the range stays unused, so that adding a duration to a deadline cannot overflow.
        guard let milliseconds, milliseconds <= UInt64(Int64.max / 2) else { throw .malformedDeadline }
        return .init(milliseconds: now.milliseconds.addingSaturated(Int64(milliseconds)))
    }

    /// Bit 0. The other bits are reserved for later versions and must be zero.
    private static func isIdempotent(_ message: borrowing ZeroMQMessage, _ part: Int) throws(BusMessageError) -> Bool {
        let flags = message.withUnsafeBytes(of: part) { $0.count == 1 ? $0.first : nil }
        guard let flags, flags & ~1 == 0 else { throw .malformedFlags }
        return flags == 1
    }

    private static func capacity(_ message: borrowing ZeroMQMessage, _ part: Int) throws(BusMessageError) -> UInt16 {
        let capacity = message.withUnsafeBytes(of: part) { bytes in
            bytes.count == 2 ? UInt16(bigEndian: bytes.loadUnaligned(as: UInt16.self)) : nil
        }
        guard let capacity else { throw .malformedCapacity }
        return capacity
    }

    private static func payload(
        _ message: borrowing ZeroMQMessage, _ part: Int
    ) throws(BusMessageError) -> PayloadDigest {
        guard let digest = message.withUnsafeBytes(of: part, { PayloadDigest($0) }) else {
            throw .malformedPayloadDigest
        }
        return digest
    }

    private static func optionalPayload(
        _ message: borrowing ZeroMQMessage, _ part: Int
    ) throws(BusMessageError) -> PayloadDigest? {
        message.withUnsafeBytes(of: part, { $0.isEmpty }) ? nil : try payload(message, part)
    }

    private static func cause(_ message: borrowing ZeroMQMessage, _ part: Int) throws(BusMessageError) -> Ended.Cause {
        let cause = message.withUnsafeBytes(of: part) { $0.count == 1 ? $0.first.flatMap(Ended.Cause.init) : nil }
        guard let cause else { throw .malformedCause }
        return cause
    }

    private static func milliseconds(_ message: borrowing ZeroMQMessage, _ part: Int) throws(BusMessageError) -> UInt32
    {
        let milliseconds = message.withUnsafeBytes(of: part) { bytes in
            bytes.count == 4 ? UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)) : nil
        }
        guard let milliseconds else { throw .malformedDuration }
        return milliseconds
    }

    private static func body(_ message: inout ZeroMQMessage, _ part: Int) throws(BusMessageError) -> ZeroMQFrame {
        let count = message.withUnsafeBytes(of: part) { $0.count }
        guard (1...maximumBodyBytes).contains(count) else { throw .malformedBody }
        return message.take(part)
    }

    // MARK: Writing

    /// Writes the parts without the routing id and replaces the content of `draft`.
    /// - Parameter now: by the clock of this process.
    package func write(to draft: inout ZeroMQMessageBuilder, at now: @autoclosure () -> Moment = BusTime.now().wall) {
        draft.removeAll()
        draft.append(Self.tagAndVersion)
        switch self {
        case .ready(let ready):
            draft.append(CollectionOfOne(Command.ready.rawValue))
            draft.append(ready.service.rawValue.utf8)
            draft.append(ready.instance.rawValue.utf8)
            withUnsafeBytes(of: ready.capacity.bigEndian) { draft.append($0) }
        case .request(let request):
            draft.append(CollectionOfOne(Command.request.rawValue))
            draft.append(request.service.rawValue.utf8)
            request.id.withBytes { draft.append($0) }
            let left = max(0, request.deadline.milliseconds(since: now()))
            withUnsafeBytes(of: left.bigEndian) { draft.append($0) }
            draft.append(CollectionOfOne(request.isIdempotent ? 1 : 0))
            request.payload.withBytes { draft.append($0) }
            draft.appendBody(request.body)
        case .reply(let reply):
            draft.append(CollectionOfOne(Command.reply.rawValue))
            reply.id.withBytes { draft.append($0) }
            draft.appendBody(reply.body)
        case .heartbeat:
            draft.append(CollectionOfOne(Command.heartbeat.rawValue))
        case .disconnect:
            draft.append(CollectionOfOne(Command.disconnect.rawValue))
        case .event(let body):
            draft.append(CollectionOfOne(Command.event.rawValue))
            draft.appendBody(body)
        case .ended(let ended):
            draft.append(CollectionOfOne(Command.ended.rawValue))
            draft.append(ended.service.rawValue.utf8)
            draft.append(ended.instance.rawValue.utf8)
            draft.append(CollectionOfOne(ended.cause.rawValue))
            if let payload = ended.payload {
                payload.withBytes { draft.append($0) }
            } else {
                draft.append([])
            }
        case .block(let payload, let milliseconds):
            draft.append(CollectionOfOne(Command.block.rawValue))
            payload.withBytes { draft.append($0) }
            withUnsafeBytes(of: milliseconds.bigEndian) { draft.append($0) }
        case .leaving:
            draft.append(CollectionOfOne(Command.leaving.rawValue))
        case .confirmed:
            draft.append(CollectionOfOne(Command.confirmed.rawValue))
        case .report(let body):
            draft.append(CollectionOfOne(Command.report.rawValue))
            draft.appendBody(body)
        case .watch:
            draft.append(CollectionOfOne(Command.watch.rawValue))
        }
    }
}
