/// An object that runs during the lifetime of the process: a bus connection, an HTTP server, a store with its writer.
package protocol ProcessComponent: Sendable {
    /// Runs until `beginShutdown()` was called and all accepted work is finished. An earlier return or an error ends
    /// the process.
    func run() async throws
    /// Accepts no new work from now on. Called once; returns without waiting for running work.
    func beginShutdown() async
}

/// A component that a signal stops.
package protocol SignaledComponent: ProcessComponent {
    var stop: StopSignal { get }
}

extension SignaledComponent {
    package func beginShutdown() async { stop.raise() }
}
