internal import CZMQ
import Glibc

/// One ROUTER or DEALER socket. It belongs to the thread that created it, because it is not `Sendable`.
package struct ZeroMQSocket: ~Copyable {
    /// A ROUTER is bound and distinguishes its peers; a DEALER is connected to one address.
    package enum Kind: Sendable { case router, dealer }

    /// The limits and timeouts of a socket. Everything has a bound (security rule BU7, BU9).
    package struct Options: Sendable {
        /// The limit of one part, in bytes. libzmq closes the connection of a peer that sends more.
        package var maximumMessageBytes: Int64 = 1 << 20
        /// Queued messages in each direction for each connection.
        package var highWaterMark: Int32 = 1000
        /// How long closing waits for unsent messages.
        package var lingerMilliseconds: Int32 = 500
        /// A connection without a complete handshake is closed after this time.
        package var handshakeMilliseconds: Int32 = 2000
        /// The first delay before a reconnection; it doubles up to the longest.
        package var reconnectMilliseconds: Int32 = 5
        package var longestReconnectMilliseconds: Int32 = 500
        /// Connections of a bound socket that wait to be accepted.
        package var backlog: Int32 = 256
        package var protection = Protection.none

        package init() {}
    }

    /// Who may connect, and what others on the way can read.
    package enum Protection: Sendable {
        /// Processes that can open the socket file, of this user or the superuser.
        case none
        /// A bound socket: peers whose keys the `ZeroMQAuthenticator` of the context admits.
        case server(CurveKeyPair)
        /// A connected socket: the peer that holds the server's key.
        case client(CurveKeyPair, server: CurvePublicKey)
    }

    /// `ZMQ_ZAP_ENFORCE_DOMAIN`, which the header of a stable release does not declare.
    private static let enforceDomain: Int32 = 93
    /// The domain of every socket here: without one libzmq does not ask the authenticator.
    private static let domain = "latchkey"

    private let handle: UnsafeMutableRawPointer
    /// Keeps the context alive until the socket is closed.
    private let context: ZeroMQContext

    /// A ROUTER reports unknown peers and does not drop messages to them silently (`ZMQ_ROUTER_MANDATORY`). A DEALER
    /// queues only for open connections (`ZMQ_IMMEDIATE`), so that sending without a connection fails at once.
    package init(_ kind: Kind, in context: ZeroMQContext, options: Options = .init()) throws(ZeroMQError) {
        handle = try Self.open(kind, in: context, options)
        self.context = context
    }

    private static func open(
        _ kind: Kind, in context: ZeroMQContext, _ options: Options
    ) throws(ZeroMQError) -> UnsafeMutableRawPointer {
        let type = kind == .router ? ZMQ_ROUTER : ZMQ_DEALER
        guard let handle = zmq_socket(context.handle, type) else { throw .last("zmq_socket") }
        do throws(ZeroMQError) {
            try configure(handle, kind, options)
            return handle
        } catch {
            zmq_close(handle)
            throw error
        }
    }

    private static func configure(
        _ handle: UnsafeMutableRawPointer, _ kind: Kind, _ options: Options
    ) throws(ZeroMQError) {
        func set<Value: FixedWidthInteger>(_ option: Int32, to value: Value) throws(ZeroMQError) {
            var value = value
            guard zmq_setsockopt(handle, option, &value, MemoryLayout<Value>.size) == 0 else {
                throw .last("zmq_setsockopt", on: "option \(option)")
            }
        }
        try set(ZMQ_MAXMSGSIZE, to: options.maximumMessageBytes)
        try set(ZMQ_SNDHWM, to: options.highWaterMark)
        try set(ZMQ_RCVHWM, to: options.highWaterMark)
        try set(ZMQ_LINGER, to: options.lingerMilliseconds)
        try set(ZMQ_HANDSHAKE_IVL, to: options.handshakeMilliseconds)
        try set(ZMQ_RECONNECT_IVL, to: options.reconnectMilliseconds)
        try set(ZMQ_RECONNECT_IVL_MAX, to: options.longestReconnectMilliseconds)
        try set(ZMQ_BACKLOG, to: options.backlog)
        try set(ZMQ_IPV6, to: Int32(1))
        switch kind {
        case .router: try set(ZMQ_ROUTER_MANDATORY, to: Int32(1))
        case .dealer: try set(ZMQ_IMMEDIATE, to: Int32(1))
        }
        try protect(handle, kind, options.protection)
    }

    private static func protect(
        _ handle: UnsafeMutableRawPointer, _ kind: Kind, _ protection: Protection
    ) throws(ZeroMQError) {
        func set(_ option: Int32, to text: String) throws(ZeroMQError) {
            guard zmq_setsockopt(handle, option, text, text.utf8.count) == 0 else {
                // Not the value, which can be a secret.
                throw .last("zmq_setsockopt", on: "option \(option)")
            }
        }
        func set<Value: FixedWidthInteger>(_ option: Int32, to number: Value) throws(ZeroMQError) {
            var number = number
            guard zmq_setsockopt(handle, option, &number, MemoryLayout<Value>.size) == 0 else {
                throw .last("zmq_setsockopt", on: "option \(option)")
            }
        }
        switch protection {
        case .none:
            guard kind == .router else { return }
            try set(ZMQ_IPC_FILTER_UID, to: geteuid())
            // It can do anything here anyway, and operators run commands as it.
            try set(ZMQ_IPC_FILTER_UID, to: uid_t(0))
        case .server(let keys):
            try set(enforceDomain, to: Int32(1))
            try set(ZMQ_ZAP_DOMAIN, to: domain)
            try set(ZMQ_CURVE_SERVER, to: Int32(1))
            try set(ZMQ_CURVE_SECRETKEY, to: keys.revealSecretKey())
        case .client(let keys, let server):
            try set(ZMQ_CURVE_PUBLICKEY, to: keys.publicKey.text)
            try set(ZMQ_CURVE_SECRETKEY, to: keys.revealSecretKey())
            try set(ZMQ_CURVE_SERVERKEY, to: server.text)
        }
    }

    deinit {
        zmq_close(handle)  // Fails only for a value that is not a socket.
    }

    /// Listens at an endpoint. With `tcp://127.0.0.1:*` the kernel chooses the port.
    package func bind(to endpoint: String) throws(ZeroMQError) {
        guard zmq_bind(handle, endpoint) == 0 else { throw .last("zmq_bind", on: endpoint) }
    }

    /// The address of the last `bind`, with the port that the kernel chose.
    package func boundEndpoint() throws(ZeroMQError) -> String {
        var text = [CChar](repeating: 0, count: 256)
        var count = text.count
        guard zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &text, &count) == 0 else {
            throw .last("zmq_getsockopt", on: "ZMQ_LAST_ENDPOINT")
        }
        return CurveKeyPair.string(text)
    }

    /// Connects in the background during the lifetime of the socket, also if no process listens there yet.
    package func connect(to endpoint: String) throws(ZeroMQError) {
        guard zmq_connect(handle, endpoint) == 0 else { throw .last("zmq_connect", on: endpoint) }
    }

    /// The same to a peer that holds a key. One socket can connect to an address with several keys: it exchanges messages
    /// over the connections whose handshakes succeed.
    package func connect(
        to endpoint: String, as keys: CurveKeyPair, serverKey: CurvePublicKey
    ) throws(ZeroMQError) {
        try Self.protect(handle, .dealer, .client(keys, server: serverKey))
        try connect(to: endpoint)
    }

    /// Ends every connection to an address.
    package func disconnect(from endpoint: String) throws(ZeroMQError) {
        guard zmq_disconnect(handle, endpoint) == 0 else { throw .last("zmq_disconnect", on: endpoint) }
    }

    /// Fills `message` with the next message, without waiting.
    /// - Returns: false if there is none.
    package func receive(into message: inout ZeroMQMessage) throws(ZeroMQError) -> Bool {
        try message.receive(from: handle)
    }

    /// Sends all parts of a message, or none of them, without waiting.
    /// - Parameter routingID: for a ROUTER, the connection to send to; it is a first part that is not transmitted.
    /// - Throws: `wouldBlock`, and for a ROUTER `noSuchPeer`.
    package func send(_ draft: borrowing ZeroMQMessageBuilder, to routingID: UInt32? = nil) throws(ZeroMQError) {
        if let routingID {
            let sent = withUnsafeBytes(of: ZeroMQRoutingID.bytes(routingID)) {
                zmq_send(handle, $0.baseAddress, $0.count, ZMQ_DONTWAIT | ZMQ_SNDMORE)
            }
            guard sent >= 0 else { throw .last("zmq_send") }
        }
        let last = draft.ends.count - 1
        let failed = draft.bytes.withUnsafeBytes { bytes in
            var start = 0
            for (index, end) in draft.ends.enumerated() {
                let isLast = index == last && draft.body == nil
                let flags = isLast ? ZMQ_DONTWAIT : ZMQ_DONTWAIT | ZMQ_SNDMORE
                // libzmq accepts or rejects a message with its first part; the others follow it.
                guard zmq_send(handle, bytes.baseAddress.map { $0 + start }, end - start, flags) >= 0 else {
                    return true
                }
                start = end
            }
            return false
        }
        if failed { throw .last("zmq_send") }
        guard let body = draft.body else { return }
        var copy = zmq_msg_t()
        zmq_msg_init(&copy)
        body.share(with: &copy)
        guard zmq_msg_send(&copy, handle, ZMQ_DONTWAIT) >= 0 else {
            let error = ZeroMQError.last("zmq_msg_send")
            zmq_msg_close(&copy)
            throw error
        }
    }

    /// Readable when the state of the socket may have changed: a message or a connection arrived, or a full queue has
    /// room. It signals changes only. So a loop may wait for it after `receive` has returned false, and if nothing was
    /// sent since.
    package func descriptor() throws(ZeroMQError) -> Int32 { try Self.descriptor(of: handle) }

    static func descriptor(of handle: UnsafeMutableRawPointer) throws(ZeroMQError) -> Int32 {
        var descriptor: Int32 = -1
        var count = MemoryLayout<Int32>.size
        guard zmq_getsockopt(handle, ZMQ_FD, &descriptor, &count) == 0 else {
            throw .last("zmq_getsockopt", on: "ZMQ_FD")
        }
        return descriptor
    }

    /// Whether a message has arrived, and whether a connection accepts one. Both come from one look at the socket,
    /// which may consume the signal of its descriptor: a loop that looks at one of them only can miss the other.
    package var state: (canReceive: Bool, canSend: Bool) {
        get throws(ZeroMQError) {
            var events: Int32 = 0
            var count = MemoryLayout<Int32>.size
            guard zmq_getsockopt(handle, ZMQ_EVENTS, &events, &count) == 0 else {
                throw .last("zmq_getsockopt", on: "ZMQ_EVENTS")
            }
            return (events & ZMQ_POLLIN != 0, events & ZMQ_POLLOUT != 0)
        }
    }

}

/// The routing ids that a ROUTER assigns to connections: a zero byte and a 32-bit number (zmq_socket(3), ROUTER). A
/// peer with a custom id could replace another one, so such ids have no number here.
package enum ZeroMQRoutingID {
    static func bytes(_ number: UInt32) -> (UInt8, UInt8, UInt8, UInt8, UInt8) {
        (
            0, UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
            UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)
        )
    }

    /// - Returns: nil for an id that the peer chose.
    package static func number(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard bytes.count == 5, bytes.first == 0 else { return nil }
        return UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
    }
}
