extension EventLoop {
    /// Suspends the task for 85 to 110 percent of this time. For periodic work, which then shares the wake-ups
    /// of its process: on the thread of a loop the sleep ends when the loop wakes up for another reason in this time.
    /// - Throws: `CancellationError`.
    package static func sleep(forAbout duration: Duration) async throws {
        guard let core = CurrentEventLoopCore.value else {
            try await Task.sleep(for: duration, tolerance: Sleepers<Never>.longest(duration) - duration)
            return
        }
        try await core.sleep(forAbout: duration)
    }
}
