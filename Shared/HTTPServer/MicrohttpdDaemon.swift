internal import CMicrohttpd
internal import Glibc
internal import Synchronization

/// The library's daemon: a thread that reads and writes the sockets and reports events to a `ConnectionDriver`.
///
/// `@unchecked Sendable`: the pointer never changes, and the library allows the calls made with it on any thread.
final class MicrohttpdDaemon: @unchecked Sendable {
    private let daemon: OpaquePointer
    /// Retained for the callbacks, released when the last of them has returned.
    private let context: Unmanaged<ConnectionDriver>
    /// Released likewise.
    private let callbacks: UnsafeMutablePointer<latchkey_mhd_callbacks>
    /// The listening socket; nil once it is no more.
    private let listening: Mutex<Int32?>

    /// Takes the socket over and starts to accept.
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
                // Some to spare: the newest is there before the one that makes room for it has gone.
                connections: UInt32(clamping: settings.connections + max(8, settings.connections / 16)),
                threads: UInt32(settings.threads),
                // A head, a copy of its cookies, which the library makes, and its bookkeeping. Larger heads get the
                // library's own 431 or 414 instead of ours.
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
        listening = Mutex(descriptor)
    }

    /// The kernel begins no more connections; those it has begun are accepted. A client that comes in this moment tries
    /// again after a second, as after a lost packet.
    func refuseHandshakes() {
        listening.withLock { descriptor in
            // Without the filter a connection that is just being made is reset.
            if let descriptor { _ = latchkey_refuse_handshakes(descriptor) }
        }
    }

    /// Stops accepting if no connection waits in the kernel's queue, where it would be reset. From then on the kernel
    /// refuses new ones.
    ///
    /// - Returns: whether it has stopped, now or before.
    @discardableResult
    func closeWhenAccepted() -> Bool {
        let isWaiting = listening.withLock { descriptor in
            guard let descriptor else { return false }
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, 0) > 0
        }
        if !isWaiting { close() }
        return !isWaiting
    }

    /// Closes the listening socket.
    ///
    /// Not by `MHD_quiesce_daemon`: it and the library's thread, if that is awake, both take the socket out of epoll, and
    /// who comes second ends the process (libmicrohttpd 0.9.75). Instead a socket that nobody can connect to takes the
    /// place of the listening one, which is closed by that. The library closes the other when it is stopped.
    private func close() {
        let mute = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // Without a descriptor to spare there is none for new connections either: the last of them wait for the end.
        guard mute >= 0 else { return }
        defer { Glibc.close(mute) }
        listening.withLock { descriptor in
            // Fails for numbers that are not open alone.
            if let descriptor { _ = dup2(mute, descriptor) }
            descriptor = nil
        }
    }

    /// Waits for the library's thread; never call it on a cooperative thread, and only once. Suspended connections must
    /// have been resumed.
    func stop() {
        // The library closes it, and then the number may be another's.
        listening.withLock { $0 = nil }
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
                // Released in `completed`, which the library calls once for every request line it reported.
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
                MicrohttpdDaemon.driver(context).completed(connection)
                // The one release that belongs to the `passRetained` in `request_line`.
                Unmanaged<Exchange>.fromOpaque(exchange).release()
                slot?.pointee = nil
            })
    }

    private static func driver(_ context: UnsafeMutableRawPointer) -> ConnectionDriver {
        Unmanaged<ConnectionDriver>.fromOpaque(context).takeUnretainedValue()
    }

    /// The library calls once for the head, once for each piece of body, once at the end, and once after resumption.
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
