package import EventLoop
import Synchronization

/// An HTTP/1.1 server on libmicrohttpd.
///
/// On the thread of an event loop the library reads a complete request within the limits of `HTTPServerSettings`. The
/// connection is then suspended, and a task on the same thread runs the handler. When the handler returns, the
/// connection is resumed and the response is sent. Requests beyond a limit never reach the handler.
package final class HTTPServer: Sendable {
    private let signal: DaemonSignal
    private let driver: ConnectionDriver
    private let daemon: MicrohttpdDaemon
    /// Ends when the last response is sent and the library is stopped.
    private let served: AsyncStream<Never>
    /// The port on which it listens.
    package let port: UInt16

    /// Binds, and accepts connections from now on.
    ///
    /// - Parameters:
    ///   - loop: serves the connections and runs the handlers, so that they must not block. `nil` for a loop of its own.
    ///   - refusal: the response to a rejected request. It runs on the thread of the loop, so it must not block.
    ///   - handler: the response to a request. A disconnected client is detected only when the response is ready; the
    ///     response is then dropped. The task is cancelled when a shutdown takes longer than `shutdownTime`.
    package init(
        _ settings: HTTPServerSettings, on loop: EventLoop? = nil,
        refusal: @Sendable @escaping (RejectedRequest) -> HTTPResponse,
        handler: @Sendable @escaping (HTTPRequest) async -> HTTPResponse
    ) throws(HTTPServerError) {
        let socket = try ListeningSocket(
            host: settings.host, port: settings.port, sharesAddress: settings.sharesAddress,
            sendBufferBytes: settings.sendBufferBytes)
        port = socket.port
        let loop = try Self.loop(loop)
        let signal = DaemonSignal(loop)
        self.signal = signal
        let driver = ConnectionDriver(settings, signal: signal, refusal: refusal, handler: handler)
        let daemon = try MicrohttpdDaemon(socket, settings, driver)
        let (served, end) = AsyncStream<Never>.makeStream()
        self.driver = driver
        self.daemon = daemon
        self.served = served
        loop.attach(signal.source) {
            DaemonSource(daemon, driver, signal)
        } ended: { _ in
            end.finish()
        }
    }

    private static func loop(_ loop: EventLoop?) throws(HTTPServerError) -> EventLoop {
        if let loop { return loop }
        do throws(EventLoopError) {
            return try EventLoop(label: "http")
        } catch {
            throw .system(error.number)
        }
    }

    deinit {
        // For servers without `run`, or whose `run` has not finished.
        driver.cancelRequests()
        signal.raise()
    }

    /// Current counters and gauges.
    package var statistics: HTTPServerStatistics { driver.statistics }

    /// Returns after a shutdown, once the last response is sent or `shutdownTime` has passed. Call it once. Cancellation
    /// begins a shutdown.
    package func run() async {
        await withTaskCancellationHandler {
            // A separate task, because a cancelled task would not wait for the running requests.
            await Task { for await _ in served {} }.value
        } onCancel: {
            beginShutdown()
        }
    }

    /// Closes each connection with its next response, and still accepts new ones: what sends requests here learns meanwhile that
    /// a shutdown will follow. So a proxy keeps no connection that the shutdown would close beside a request.
    package func announceShutdown() {
        driver.announceShutdown()
    }

    /// Refuses new connections and lets running requests finish. Each open connection may send one more request, and is
    /// closed if none arrives within `drainTime`. May be called more than once.
    package func beginShutdown() {
        guard driver.beginShutdown(at: .now) else { return }
        daemon.refuseHandshakes()
        daemon.closeListenerIfNoneWaits()
        signal.raise()
    }
}
