extension EventLoop {
    /// Begins a task that belongs to no other one: it goes on when the calling task is cancelled. On the thread of a loop
    /// the task runs there too.
    @discardableResult
    package static func startTask<Success: Sendable>(
        _ body: @escaping @Sendable () async -> Success
    ) -> Task<Success, Never> {
        Task(executorPreference: current, operation: body)
    }
}
