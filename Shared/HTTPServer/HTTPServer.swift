internal import Dispatch
internal import Synchronization

/// An HTTP/1.1 server on libmicrohttpd.
///
/// The library's thread reads a complete request within the limits of `HTTPServerSettings`, suspends the connection and
/// starts a task for the handler. When the handler returns, the connection is resumed and the response is sent.
/// Requests beyond a limit never reach the handler.
package final class HTTPServer: Sendable {
    private let driver: ConnectionDriver
    private let daemon: MicrohttpdDaemon
    private let isStopped = Mutex(false)
    private let tick: Duration
    /// An element triggers a check: time has passed, a connection ended, or a shutdown began.
    private let events: AsyncStream<Void>
    private let event: AsyncStream<Void>.Continuation
    /// The port on which it listens.
    package let port: UInt16

    /// Binds, and accepts connections from now on.
    ///
    /// - Parameters:
    ///   - refusal: the response to a rejected request. It runs on the server's own threads, so it must not block.
    ///   - handler: the response to a request. A disconnected client is detected only when the response is ready; the
    ///     response is then dropped. The task is cancelled when a shutdown takes longer than `shutdownTime`.
    package init(
        _ settings: HTTPServerSettings, refusal: @Sendable @escaping (RejectedRequest) -> HTTPResponse,
        handler: @Sendable @escaping (HTTPRequest) async -> HTTPResponse
    ) throws(HTTPServerError) {
        let (events, event) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let socket = try ListeningSocket(
            host: settings.host, port: settings.port, sendBufferBytes: settings.sendBufferBytes)
        port = socket.port
        driver = ConnectionDriver(settings, refusal: refusal, handler: handler) { event.yield() }
        daemon = try MicrohttpdDaemon(socket, settings, driver)
        self.events = events
        self.event = event
        let shortest = min(settings.headTime, settings.bodyTime, settings.idleTime)
        let pause = min(shortest / 8, settings.drainTime / 4, settings.rateInterval / 4)
        tick = min(max(pause, .milliseconds(5)), .milliseconds(250))
    }

    deinit {
        // For servers without `run`, or whose `run` has not finished.
        guard isStopped.withLock({ !$0 }) else { return }
        DispatchQueue.global().async { [driver, daemon] in
            driver.cancelRequests()
            daemon.stop()
        }
    }

    /// Current counters and gauges.
    package var statistics: HTTPServerStatistics { driver.statistics }

    /// Enforces the deadlines. Returns after a shutdown, once the last response is sent or `shutdownTime` has passed.
    /// Call it once. Cancellation begins a shutdown.
    package func run() async {
        await withTaskCancellationHandler {
            // A separate task, because a cancelled task would not wait for the running requests.
            await Task { await self.watch() }.value
        } onCancel: {
            beginShutdown()
        }
    }

    /// Refuses new connections and lets running requests finish. Each open connection may send one more request, and is
    /// closed if none arrives within `drainTime`. May be called more than once.
    package func beginShutdown() {
        guard driver.beginShutdown(at: .now) else { return }
        daemon.refuseHandshakes()
        if !daemon.endAccepting() {
            // Shorter than a tick: new clients wait for the kernel's response in the meantime.
            Task { [daemon] in
                repeat { try await Task.sleep(for: .milliseconds(2)) } while !daemon.endAccepting()
            }
        }
        event.yield()
    }

    private func watch() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [tick, event] in
                // Cancellation ends the loop, because it makes `sleep` throw.
                while (try? await Task.sleep(for: tick)) != nil { event.yield() }
            }
            for await _ in events {
                let now = ContinuousClock.now
                driver.closeTimedOutConnections(at: now)
                if driver.isDrained(at: now) { break }
            }
            group.cancelAll()
        }
        isStopped.withLock { $0 = true }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [driver, daemon] in
                driver.cancelRequests()
                daemon.stop()
                continuation.resume()
            }
        }
    }
}
