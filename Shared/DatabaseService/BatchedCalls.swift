import EventLoop

/// Combines the calls of a process: while one batch runs, all further calls wait for the next one. So at most one runs at a
/// time, and a call is never served by a batch that began before it.
///
/// The calls that wait are bounded by the capacity of the process.
package actor BatchedCalls<Request: Sendable, Reply: Sendable> {
    private struct Call {
        var request: Request
        var continuation: CheckedContinuation<Reply, any Error>
    }

    private let body: @Sendable ([Request]) async throws -> [Reply]
    private var waiting: [Call] = []
    private var isRunning = false

    /// - Parameter body: runs a batch. It returns a reply for each request, in their order.
    package init(_ body: @escaping @Sendable ([Request]) async throws -> [Reply]) {
        self.body = body
    }

    /// - Throws: the error of the batch, which all its calls get.
    package func reply(to request: Request) async throws -> Reply {
        try await withCheckedThrowingContinuation { continuation in
            waiting.append(Call(request: request, continuation: continuation))
            guard !isRunning else { return }
            isRunning = true
            // Not a child: the end of one call does not end the batch of the others.
            EventLoop.startTask { await self.run() }
        }
    }

    private func run() async {
        while !waiting.isEmpty {
            let calls = waiting
            waiting = []
            do {
                let replies = try await body(calls.map(\.request))
                precondition(replies.count == calls.count, "a batch replies to each of its requests")
                for (call, reply) in zip(calls, replies) { call.continuation.resume(returning: reply) }
            } catch {
                for call in calls { call.continuation.resume(throwing: error) }
            }
        }
        isRunning = false
    }
}
