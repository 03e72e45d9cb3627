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
        /// The response has a stream; the bytes of its last part that are not sent yet.
        case streaming(HTTPBodyStream, rest: Data)
        /// The connection is suspended until there is a part.
        case producing(Task<Void, Never>)
        case streamEnded
        /// The rest of the stream cannot be sent.
        case streamFailed
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
    private let hasStream = Atomic(false)

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

    /// Whether the response has a stream, which counts as in flight until its end.
    var isStreamed: Bool { hasStream.load(ordering: .acquiring) }

    /// Suspends the connection until `handle` returns. It runs on the event loop.
    ///
    /// - Parameter returned: called before the connection is resumed, with whether the response has a stream that will be
    ///   sent.
    /// - Returns: false if the request was cancelled before.
    func start(
        _ handle: @Sendable @escaping () async -> HTTPResponse, returned: @Sendable @escaping (Bool) -> Void
    ) -> Bool {
        state.withLock { state in
            guard case .notStarted = state else { return false }
            MHD_suspend_connection(connection.pointer)
            // Started with the lock held: even a fast handler resumes the connection only after the suspension.
            state = .running(
                task { self.finish(with: await handle(), returned) })
            return true
        }
    }

    private func task(_ body: @Sendable @escaping () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: signal.loop, operation: body)
    }

    private func finish(with response: HTTPResponse, _ returned: (Bool) -> Void) {
        state.withLock { state in
            guard case .running = state else { return returned(false) }
            hasStream.store(response.stream != nil, ordering: .releasing)
            returned(response.stream != nil)
            state = .responded(response)
            connection.resume(signal)
        }
    }

    // MARK: Streams

    /// The stream is what is sent from now on.
    func begin(_ stream: HTTPBodyStream) {
        state.withLock { state in
            if case .responded = state { state = .streaming(stream, rest: Data()) }
        }
    }

    enum StreamBytes {
        case copied(Int)
        /// A part is needed first: `produce`.
        case none
        case end
        case failure
    }

    /// Copies bytes of the current part.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> StreamBytes {
        state.withLock { state in
            switch state {
            case .streaming(let stream, let rest):
                guard !rest.isEmpty else { return .none }
                let count = min(buffer.count, rest.count)
                rest.copyBytes(to: buffer, count: count)
                state = .streaming(stream, rest: rest.dropFirst(count))
                return .copied(count)
            case .streamEnded: return .end
            case .notStarted, .running, .responded, .producing, .streamFailed, .abandoned: return .failure
            }
        }
    }

    /// Suspends the connection until the stream has a part. Within the library's call for bytes only.
    ///
    /// - Returns: false if the request was cancelled before.
    func produce() -> Bool {
        state.withLock { state in
            guard case .streaming(let stream, _) = state else { return false }
            MHD_suspend_connection(connection.pointer)
            state = .producing(
                task { self.finish(stream, await Self.part(of: stream)) })
            return true
        }
    }

    private static func part(of stream: HTTPBodyStream) async -> Result<Data?, any Error> {
        do {
            while let part = try await stream.next() {
                if !part.isEmpty { return .success(part) }
            }
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }

    private func finish(_ stream: HTTPBodyStream, _ part: Result<Data?, any Error>) {
        state.withLock { state in
            guard case .producing = state else { return }
            switch part {
            case .success(let part?): state = .streaming(stream, rest: part)
            case .success(nil): state = .streamEnded
            case .failure: state = .streamFailed
            }
            connection.resume(signal)
        }
    }

    // MARK: Cancellation

    /// Cancels the request. When this method returns, the connection is not suspended and will not be.
    func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            switch state {
            case .running(let task), .producing(let task):
                state = .abandoned
                connection.resume(signal)
                return task
            case .notStarted, .streaming:
                state = .abandoned
                return nil
            case .responded, .streamEnded, .streamFailed, .abandoned:
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
