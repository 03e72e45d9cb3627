/// Something that runs for as long as the process does: a bus connection, an HTTP server, a store with its writer.
package protocol ProcessComponent: Sendable {
    /// Runs until `beginShutdown()` was called and everything in hand is finished. To return earlier, or to throw, ends
    /// the process.
    func run() async throws
    /// Takes nothing new from here on. Called once; returns without waiting for what still runs.
    func beginShutdown() async
}
