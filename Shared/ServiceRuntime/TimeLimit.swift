/// Runs `body`, and returns when it ends or when the time has passed. Then it still runs.
/// - Returns: whether it has ended.
@discardableResult
func runAtMost(_ limit: Duration, _ body: @Sendable @escaping () async -> Void) async -> Bool {
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    Task {
        await body()
        end.yield(true)
    }
    Task {
        // Nothing cancels it.
        try? await Task.sleep(for: limit)
        end.yield(false)
    }
    for await hasEnded in ends { return hasEnded }
    return false
}
