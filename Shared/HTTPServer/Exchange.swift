internal import CMicrohttpd
import FoundationEssentials
import Synchronization

/// One request and its response: the user data of the library's request.
///
/// `@unchecked Sendable`: the variables are used only on the library's thread of the connection. Other threads use
/// `state`. It has its own lock, because resuming costs a system call and other threads need not wait for it.
final class Exchange: @unchecked Sendable {
    enum Stage {
        case head
        case body
        /// The handler runs, or has finished and the connection is resumed.
        case handling
    }

    private enum State {
        case notStarted
        /// The connection is suspended.
        case running(Task<Void, Never>)
        case responded(HTTPResponse)
        /// The response is no longer needed.
        case abandoned
    }

    let target: RequestTarget
    var stage = Stage.head
    var head: RequestHead?
    /// Why the request will be refused once its body is drained.
    var refusal: RejectedRequest.Reason?
    /// Bytes of body that arrived, stored or not.
    var received = 0
    var body = Data()
    private let connection: Connection
    private let signal: DaemonSignal
    private let state = Mutex(State.notStarted)

    init(_ target: RequestTarget, _ connection: OpaquePointer, _ signal: DaemonSignal) {
        self.target = target
        self.signal = signal
        self.connection = Connection(pointer: connection)
    }

    /// The library's connection.
    ///
    /// `@unchecked Sendable`: it is used on the library's thread. Any thread may resume it while it is suspended, and
    /// the suspension keeps it alive.
    private struct Connection: @unchecked Sendable {
        let pointer: OpaquePointer

        /// The library resumes it when it runs next.
        func resume(_ signal: DaemonSignal) {
            MHD_resume_connection(pointer)
            signal.raise()
        }
    }

    /// On the library's thread only.
    var socket: Int32 { latchkey_mhd_socket(connection.pointer) }

    /// Whether the fields read so far contain a `Content-Length` that is not a number. On the library's thread only.
    var hasUnreadableLength: Bool {
        let name = "Content-Length"
        var value: UnsafePointer<CChar>?
        var size = 0
        guard
            MHD_lookup_connection_value_n(connection.pointer, .HEADER_KIND, name, name.utf8.count, &value, &size)
                == .YES, let value
        else { return false }
        return !RequestHead.isLength(UnsafeRawBufferPointer(start: value, count: size))
    }

    /// Suspends the connection until `handle` returns. It runs on the event loop.
    ///
    /// - Returns: false if the request was cancelled before.
    func start(_ handle: @Sendable @escaping () async -> HTTPResponse) -> Bool {
        state.withLock { state in
            guard case .notStarted = state else { return false }
            MHD_suspend_connection(connection.pointer)
            // Started with the lock held: even a fast handler resumes the connection only after the suspension.
            state = .running(Task(executorPreference: signal.loop) { self.finish(with: await handle()) })
            return true
        }
    }

    private func finish(with response: HTTPResponse) {
        state.withLock { state in
            guard case .running = state else { return }
            state = .responded(response)
            connection.resume(signal)
        }
    }

    /// Cancels the request. When this method returns, the connection is not suspended and will not be.
    func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            switch state {
            case .running(let task):
                state = .abandoned
                connection.resume(signal)
                return task
            case .notStarted:
                state = .abandoned
                return nil
            case .responded, .abandoned:
                return nil
            }
        }
        task?.cancel()
    }

    /// The response of a request that was started; `nil` if it was cancelled.
    var response: HTTPResponse? {
        state.withLock { if case .responded(let response) = $0 { response } else { nil } }
    }
}
