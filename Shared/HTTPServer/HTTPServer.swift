internal import Dispatch
internal import Synchronization

/// An HTTP/1.1 server on libmicrohttpd.
///
/// The library's thread reads a whole request within the limits of `HTTPServerSettings`, suspends the connection and
/// starts a task for the handler; when that returns, the connection is resumed and the answer sent. Requests beyond a
/// limit never reach the handler.
package final class HTTPServer: Sendable {
    private let driver: ConnectionDriver
    private let daemon: MicrohttpdDaemon
    private let isStopped = Mutex(false)
    private let tick: Duration
    /// Elements say "look again": time has passed, a connection ended, or a shutdown began.
    private let events: AsyncStream<Void>
    private let event: AsyncStream<Void>.Continuation
    /// Where it listens.
    package let port: UInt16

    /// Binds, and accepts connections from now on.
    ///
    /// - Parameters:
    ///   - refusal: the answer to what the server turns away; called on the server's own threads, so it must not wait.
    ///   - handler: the answer to a request. A client that left is not noticed before the answer is ready, which is then
    ///     dropped. Cancelled when a shutdown takes longer than `shutdownTime`.
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
        // For servers that were never run, or whose `run` was not waited for.
        guard isStopped.withLock({ !$0 }) else { return }
        DispatchQueue.global().async { [driver, daemon] in
            driver.cancelRequests()
            daemon.stop()
        }
    }

    /// Counters and gauges of this moment.
    package var statistics: HTTPServerStatistics { driver.statistics }

    /// Keeps the deadlines and returns after a shutdown, when the last request is answered or `shutdownTime` is over.
    /// Call it once. Cancellation begins a shutdown.
    package func run() async {
        await withTaskCancellationHandler {
            // A task of its own, because a cancelled one would not wait for the requests that run.
            await Task { await self.watch() }.value
        } onCancel: {
            beginShutdown()
        }
    }

    /// Refuses new connections, lets running requests finish, and answers what comes on open connections, each for the
    /// last time; closes those on which nothing comes for `drainTime`. May be called more than once.
    package func beginShutdown() {
        guard driver.beginShutdown(at: .now) else { return }
        daemon.refuseHandshakes()
        if !daemon.endAccepting() {
            // Shorter than a tick: clients that come now wait for an answer from the kernel.
            Task { [daemon] in
                repeat { try await Task.sleep(for: .milliseconds(2)) } while !daemon.endAccepting()
            }
        }
        event.yield()
    }

    private func watch() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [tick, event] in
                // Ends by cancellation, which is what makes `sleep` throw.
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
