package import Vocabulary
package import ZeroMQ

/// One message of the bus: a frame with its header, and one with its body if it has one (`README.md` documents every
/// byte). The broker reads the header and never a body.
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
        /// The process whose request this is, in a request that a broker passes on to a worker. The broker writes it,
        /// whatever the caller wrote. Nil while it does not know who its peers are.
        package var caller: BusName?
        /// JSON of a `RequestEnvelope`.
        package var body: ZeroMQFrame

        package init(
            service: BusName, id: RequestID, deadline: Moment, isIdempotent: Bool, payload: PayloadDigest,
            caller: BusName? = nil, body: ZeroMQFrame
        ) {
            self.service = service
            self.id = id
            self.deadline = deadline
            self.isIdempotent = isIdempotent
            self.payload = payload
            self.caller = caller
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

extension BusMessage {
    /// The protocol version; other versions are rejected.
    package static let version: UInt8 = 3
    /// 1 MiB.
    package static let maximumBodyBytes = 1 << 20

    static let tag: [UInt8] = Array("LKBUS".utf8)

    /// What is said to a peer of another version, and logged.
    static func versionMismatch(with other: UInt8) -> String {
        func written(_ version: UInt8) -> String { (version < 10 ? "0" : "") + String(version) }
        return "the peer speaks version \(written(other)) of the bus, and this process version \(written(version))"
    }

    fileprivate enum Command: UInt8 {
        case ready = 1
        case request, reply, heartbeat, disconnect, event, ended, block, leaving, confirmed, report, watch

        /// The header, and the body of the commands that have one.
        var partCount: Int {
            switch self {
            case .request, .reply, .event, .report: 2
            case .ready, .heartbeat, .disconnect, .ended, .block, .leaving, .confirmed, .watch: 1
            }
        }

        /// The flags that it may have. The others are reserved for later versions and must be zero.
        var flags: UInt8 {
            switch self {
            case .request: Flag.repeatable
            case .ended: Flag.hasPayload
            case .ready, .reply, .heartbeat, .disconnect, .event, .block, .leaving, .confirmed, .report, .watch: 0
            }
        }
    }

    private enum Flag {
        /// Of a request: the broker may give it to another worker.
        static let repeatable: UInt8 = 1
        /// Of `ended`: the payload digest is known.
        static let hasPayload: UInt8 = 1
    }

    // MARK: Reading

    /// Reads a message and moves the body out of it. The header is part number `first`: 1 after the routing id of a
    /// ROUTER, otherwise 0.
    /// - Parameter now: by the clock of this process. A request carries the time left, because clocks of different
    ///   machines differ.
    package init(
        _ message: inout ZeroMQMessage, from first: Int, at now: @autoclosure () -> Moment = BusTime.now().wall
    ) throws(BusMessageError) {
        let (command, flags) = try Self.beginning(of: message, at: first)
        switch command {
        case .ready:
            self = try Self.fields(of: message, at: first) { (fields) throws(BusMessageError) in
                let capacity: UInt16 = try fields.integer(or: .malformedCapacity)
                return .ready(.init(service: try fields.name(), instance: try fields.name(), capacity: capacity))
            }
        case .request:
            let body = try Self.body(&message, first + 1)
            self = try Self.fields(of: message, at: first) { (fields) throws(BusMessageError) in
                let id: RequestID = try fields.sixteenBytes(or: .malformedID)
                let deadline = try Self.deadline(try fields.integer(or: .malformedDeadline), at: now())
                let payload: PayloadDigest = try fields.sixteenBytes(or: .malformedPayloadDigest)
                return .request(
                    .init(
                        service: try fields.name(), id: id, deadline: deadline,
                        isIdempotent: flags & Flag.repeatable != 0, payload: payload,
                        caller: try fields.optionalName(), body: body))
            }
        case .reply:
            let body = try Self.body(&message, first + 1)
            self = try Self.fields(of: message, at: first) { (fields) throws(BusMessageError) in
                .reply(.init(id: try fields.sixteenBytes(or: .malformedID), body: body))
            }
        case .ended:
            self = try Self.fields(of: message, at: first) { (fields) throws(BusMessageError) in
                guard let cause = Ended.Cause(rawValue: try fields.integer(or: .malformedCause)) else {
                    throw .malformedCause
                }
                let payload = try Self.payload(
                    try fields.sixteenBytes(or: .malformedPayloadDigest), isKnown: flags & Flag.hasPayload != 0)
                return .ended(
                    .init(service: try fields.name(), instance: try fields.name(), cause: cause, payload: payload))
            }
        case .block:
            self = try Self.fields(of: message, at: first) { (fields) throws(BusMessageError) in
                let milliseconds: UInt32 = try fields.integer(or: .malformedDuration)
                return .block(try fields.sixteenBytes(or: .malformedPayloadDigest), milliseconds: milliseconds)
            }
        case .event:
            self = .event(try Self.body(&message, alone: first))
        case .report:
            self = .report(try Self.body(&message, alone: first))
        case .heartbeat:
            self = try Self.fields(of: message, at: first) { _ in .heartbeat }
        case .disconnect:
            self = try Self.fields(of: message, at: first) { _ in .disconnect }
        case .leaving:
            self = try Self.fields(of: message, at: first) { _ in .leaving }
        case .confirmed:
            self = try Self.fields(of: message, at: first) { _ in .confirmed }
        case .watch:
            self = try Self.fields(of: message, at: first) { _ in .watch }
        }
    }

    /// What every header begins with: tag, version, command and flags.
    private static func beginning(
        of message: borrowing ZeroMQMessage, at first: Int
    ) throws(BusMessageError) -> (Command, flags: UInt8) {
        guard message.count > first else { throw .unknownProtocol }
        let beginning = try message.withUnsafeBytes(of: first) {
            (bytes) throws(BusMessageError) -> (command: Command, flags: UInt8) in
            guard bytes.count > tag.count, bytes.prefix(tag.count).elementsEqual(tag) else { throw .unknownProtocol }
            guard bytes[tag.count] == version else { throw .unsupportedVersion(bytes[tag.count]) }
            var rest = BusHeaderReader(bytes, from: tag.count + 1)
            guard let command = Command(rawValue: try rest.integer(or: .unknownCommand)) else { throw .unknownCommand }
            return (command, try rest.integer(or: .malformedFlags))
        }
        guard message.count - first == beginning.command.partCount, !message.isTruncated else { throw .wrongPartCount }
        guard beginning.flags & ~beginning.command.flags == 0 else { throw .malformedFlags }
        return beginning
    }

    /// Reads the fields that follow the flags, which must be all.
    private static func fields(
        of message: borrowing ZeroMQMessage, at first: Int,
        _ read: (inout BusHeaderReader) throws(BusMessageError) -> Self
    ) throws(BusMessageError) -> Self {
        try message.withUnsafeBytes(of: first) { (bytes) throws(BusMessageError) in
            var reader = BusHeaderReader(bytes, from: tag.count + 3)
            let message = try read(&reader)
            guard reader.isAtEnd else { throw .trailingBytes }
            return message
        }
    }

    private static func deadline(_ milliseconds: UInt64, at now: Moment) throws(BusMessageError) -> Moment {
        // Half of the range stays unused, so that adding a duration to a deadline cannot overflow.
        guard milliseconds <= UInt64(Int64.max / 2) else { throw .malformedDeadline }
        return .init(milliseconds: now.milliseconds.addingSaturated(Int64(milliseconds)))
    }

    private static func payload(_ digest: PayloadDigest, isKnown: Bool) throws(BusMessageError) -> PayloadDigest? {
        guard isKnown || digest == .unknown else { throw .malformedPayloadDigest }
        return isKnown ? digest : nil
    }

    /// The body after a header without fields.
    private static func body(_ message: inout ZeroMQMessage, alone first: Int) throws(BusMessageError) -> ZeroMQFrame {
        let fields = message.withUnsafeBytes(of: first) { $0.count - (tag.count + 3) }
        guard fields == 0 else { throw .trailingBytes }
        return try body(&message, first + 1)
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
        draft.append { (header: inout [UInt8]) in
            header += Self.tag
            header.append(Self.version)
            switch self {
            case .ready(let ready):
                header.begin(.ready)
                header.append(bigEndian: ready.capacity)
                header.append(ready.service)
                header.append(ready.instance)
            case .request(let request):
                header.begin(.request, flags: request.isIdempotent ? Flag.repeatable : 0)
                header.append(request.id)
                header.append(bigEndian: UInt64(max(0, request.deadline.milliseconds(since: now()))))
                header.append(request.payload)
                header.append(request.service)
                header.append(request.caller)
            case .reply(let reply):
                header.begin(.reply)
                header.append(reply.id)
            case .heartbeat: header.begin(.heartbeat)
            case .disconnect: header.begin(.disconnect)
            case .event: header.begin(.event)
            case .ended(let ended):
                header.begin(.ended, flags: ended.payload == nil ? 0 : Flag.hasPayload)
                header.append(ended.cause.rawValue)
                header.append(ended.payload ?? .unknown)
                header.append(ended.service)
                header.append(ended.instance)
            case .block(let payload, let milliseconds):
                header.begin(.block)
                header.append(bigEndian: milliseconds)
                header.append(payload)
            case .leaving: header.begin(.leaving)
            case .confirmed: header.begin(.confirmed)
            case .report: header.begin(.report)
            case .watch: header.begin(.watch)
            }
        }
        switch self {
        case .request(let request): draft.appendBody(request.body)
        case .reply(let reply): draft.appendBody(reply.body)
        case .event(let body), .report(let body): draft.appendBody(body)
        case .ready, .heartbeat, .disconnect, .ended, .block, .leaving, .confirmed, .watch: break
        }
    }
}

extension PayloadDigest {
    /// In the place of a digest that is not known.
    fileprivate static let unknown = PayloadDigest(high: 0, low: 0)
}

extension [UInt8] {
    fileprivate mutating func begin(_ command: BusMessage.Command, flags: UInt8 = 0) {
        append(command.rawValue)
        append(flags)
    }
}
