internal import CMicrohttpd
import Glibc
import Synchronization

/// The library's daemon, which reads and writes the sockets and reports events to a `ConnectionDriver`.
///
/// `@unchecked Sendable`: the pointer never changes. `run` and `stop` are called on one thread, "the library's thread".
/// The library allows the other calls on any thread.
final class MicrohttpdDaemon: @unchecked Sendable {
    private let daemon: OpaquePointer
    /// Retained for the callbacks, released when the last of them has returned.
    private let context: Unmanaged<ConnectionDriver>
    /// Released at the same time.
    private let callbacks: UnsafeMutablePointer<latchkey_mhd_callbacks>
    private let accepting: Mutex<Accepting>

    /// The progress of the end of accepting.
    private enum Accepting {
        case listening(Int32)
        /// The listening socket is closed, and the library may still process its last connection.
        case closed
        /// The library will report, or has reported, the connection that marks the end of accepting.
        case marked
    }

    /// Takes ownership of the socket and starts to accept.
    init(
        _ socket: consuming ListeningSocket, _ settings: HTTPServerSettings, _ driver: ConnectionDriver
    ) throws(HTTPServerError) {
        let descriptor = socket.release()
        context = Unmanaged.passRetained(driver)
        callbacks = .allocate(capacity: 1)
        callbacks.initialize(to: Self.callbacks(context.toOpaque()))
        let daemon = latchkey_mhd_start(
            latchkey_mhd_settings(
                listening_socket: descriptor,
                // Some more, because a new connection opens before the one that it replaces has closed.
                connections: UInt32(clamping: settings.connections + max(8, settings.connections / 16)),
                // The head, a copy of its cookies by the library, and internal data. For larger heads the library sends
                // its own 431 or 414.
                connection_memory: settings.headBytes * 5 / 2),
            callbacks)
        guard let daemon else {
            let error = errno
            callbacks.deallocate()
            context.release()
            Glibc.close(descriptor)
            throw .system(error)
        }
        self.daemon = daemon
        accepting = Mutex(.listening(descriptor))
    }

    /// After this call the kernel starts no new connections; those that it has started are accepted. A client that
    /// connects at this time tries again after a second, as after a lost packet.
    func refuseHandshakes() {
        accepting.withLock { accepting in
            // Without the filter, a connection that is being established is reset.
            if case .listening(let descriptor) = accepting { _ = latchkey_refuse_handshakes(descriptor) }
        }
    }

    /// Closes the listening socket if no connection waits in the kernel's queue, where it would be reset. After that the
    /// kernel refuses new connections.
    func closeListenerIfNoneWaits() {
        accepting.withLock { accepting in
            if case .listening(let descriptor) = accepting, Self.closeIfNoneWaits(descriptor) { accepting = .closed }
        }
    }

    /// Closes the listening socket as soon as possible. Then the library reports when it has opened the last connection.
    /// On the library's thread only. Call it until it returns true.
    ///
    /// - Returns: whether both steps are done.
    func endAccepting() -> Bool {
        closeListenerIfNoneWaits()
        return accepting.withLock { accepting in
            if case .closed = accepting, markEndOfAccepting() { accepting = .marked }
            return if case .marked = accepting { true } else { false }
        }
    }

    /// `MHD_quiesce_daemon` is not used: both it and the library's thread, if awake, remove the socket from epoll, and
    /// the second removal ends the process (libmicrohttpd 0.9.75). Instead, `dup2` replaces and thereby closes the
    /// listening socket. The new socket accepts no connections. The library closes it when it stops.
    private static func closeIfNoneWaits(_ descriptor: Int32) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, 0) <= 0 else { return false }
        let mute = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard mute >= 0 else { return false }
        defer { Glibc.close(mute) }
        // Fails only for numbers that are not open.
        _ = dup2(mute, descriptor)
        return true
    }

    /// Adds a connection of this process to the library, with a closed peer. The library accepts and opens one connection
    /// after another: when it reports this one, it has reported all others.
    private func markEndOfAccepting() -> Bool {
        var pair = (own: Int32(-1), other: Int32(-1))
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let status = withUnsafeMutablePointer(to: &pair) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { socketpair(AF_UNIX, type, 0, $0) }
        }
        guard status == 0 else { return false }
        Glibc.close(pair.other)
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        // Takes the descriptor over, and closes it when it fails because there are too many connections.
        return MHD_add_connection(daemon, pair.own, &address, socklen_t(MemoryLayout<sockaddr>.size)) == .YES
    }

    /// Whether this is the address of the connection that marks the end of accepting.
    static func isEndOfAccepting(_ address: UnsafePointer<sockaddr>) -> Bool {
        address.pointee.sa_family == sa_family_t(AF_UNIX)
    }

    /// Readable when `run` has something to do.
    var descriptor: Int32 { latchkey_mhd_descriptor(daemon) }

    /// Whether `run` has something to do that the descriptor does not signal.
    var hasWork: Bool { latchkey_mhd_has_work(daemon) != 0 }

    /// Reads, writes and reports events, without waiting.
    func run() {
        MHD_run(daemon)
    }

    /// Closes all connections. Call it once, after suspended connections were resumed.
    func stop() {
        // The library closes the listening socket. After that another file may get the same number.
        accepting.withLock { $0 = .marked }
        MHD_stop_daemon(daemon)
        callbacks.deallocate()
        context.release()
    }

    // MARK: Callbacks

    private static func callbacks(_ context: UnsafeMutableRawPointer) -> latchkey_mhd_callbacks {
        latchkey_mhd_callbacks(
            context: context,
            accept: { context, address, _ in
                guard let context, let address else { return .NO }
                return MicrohttpdDaemon.driver(context).accepts(address) ? .YES : .NO
            },
            connection: { context, connection, _, event in
                guard let context, let connection else { return }
                if event == .CONNECTION_NOTIFY_STARTED {
                    MicrohttpdDaemon.driver(context).opened(connection)
                } else {
                    MicrohttpdDaemon.driver(context).closed(connection)
                }
            },
            request_line: { context, target, connection in
                guard let context, let target, let connection else { return nil }
                let exchange = MicrohttpdDaemon.driver(context).began(RequestTarget(target), connection)
                // Released in `completed`, which the library calls once for every reported request line.
                return Unmanaged.passRetained(exchange).toOpaque()
            },
            request: { context, connection, _, method, version, body, bodySize, slot in
                guard let context, let connection, let method, let version, let bodySize, let exchange = slot?.pointee
                else { return .NO }
                let isGoingOn = MicrohttpdDaemon.advance(
                    Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue(), MicrohttpdDaemon.driver(context),
                    connection, method, version, UnsafeRawBufferPointer(start: body, count: bodySize.pointee))
                bodySize.pointee = 0
                return isGoingOn ? .YES : .NO
            },
            refuses: { context in
                if let context { MicrohttpdDaemon.driver(context).libraryRefuses() }
            },
            completed: { context, connection, slot, _ in
                guard let context, let connection, let exchange = slot?.pointee else { return }
                let completed = Unmanaged<Exchange>.fromOpaque(exchange)
                MicrohttpdDaemon.driver(context).completed(completed.takeUnretainedValue(), connection)
                // The release for the `passRetained` in `request_line`.
                completed.release()
                slot?.pointee = nil
            })
    }

    /// What the callbacks of a streamed response get.
    private final class StreamContext {
        let exchange: Exchange
        let driver: ConnectionDriver

        init(_ exchange: Exchange, _ driver: ConnectionDriver) {
            self.exchange = exchange
            self.driver = driver
        }
    }

    /// The library copies at most so many bytes at once.
    private static let streamBlockBytes = 16 << 10

    /// A message whose body the library asks for while it sends it.
    static func streamedMessage(of exchange: Exchange, _ driver: ConnectionDriver) -> OpaquePointer? {
        let context = Unmanaged.passRetained(StreamContext(exchange, driver))
        let message = MHD_create_response_from_callback(
            UInt64.max, streamBlockBytes,
            { context, _, buffer, count in
                guard let context, let buffer else { return latchkey_stream_failed }
                let stream = Unmanaged<StreamContext>.fromOpaque(context).takeUnretainedValue()
                return stream.driver.readStream(
                    of: stream.exchange, into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
            }, context.toOpaque(),
            { context in
                // The release for the `passRetained` above, once for each message.
                if let context { Unmanaged<StreamContext>.fromOpaque(context).release() }
            })
        if message == nil { context.release() }
        return message
    }

    private static func driver(_ context: UnsafeMutableRawPointer) -> ConnectionDriver {
        Unmanaged<ConnectionDriver>.fromOpaque(context).takeUnretainedValue()
    }

    /// The library calls this once for the head, once for each part of the body, once at its end, and once after
    /// resumption.
    private static func advance(
        _ exchange: Exchange, _ driver: ConnectionDriver, _ connection: OpaquePointer,
        _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>, _ piece: UnsafeRawBufferPointer
    ) -> Bool {
        switch exchange.stage {
        case .head:
            let line = RequestLine(method: method, version: version, target: exchange.target)
            return driver.readHead(exchange, line, connection)
        case .body where !piece.isEmpty:
            return driver.readBody(exchange, piece, connection)
        case .body:
            return driver.start(exchange, connection)
        case .handling:
            return driver.sendResponse(exchange, connection)
        }
    }
}
