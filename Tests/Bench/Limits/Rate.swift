import Blocking

/// Measures operations per second.
enum Rate {
    /// - Parameter body: uses a processor; it runs on `threads` threads concurrently.
    static func perSecond(
        threads: Int, for time: Duration, _ body: @Sendable @escaping () throws -> Void
    ) async throws -> Double {
        let pool = BlockingPool(label: "limit", threads: threads, maximumWaiting: 0)
        defer { pool.shutDown() }
        return try await total(threads, for: time) { _, end in
            try await pool.run {
                var count = 0
                while .now < end {
                    try body()
                    count += 1
                }
                return count
            }
        }
    }

    /// - Parameter body: waits; `callers` tasks repeat it, each with its own number.
    static func perSecond(
        callers: Int, for time: Duration, _ body: @Sendable @escaping (_ caller: Int) async throws -> Void
    ) async throws -> Double {
        try await total(callers, for: time) { caller, end in
            var count = 0
            while .now < end {
                try await body(caller)
                count += 1
            }
            return count
        }
    }

    private static func total(
        _ parts: Int, for time: Duration,
        _ part: @Sendable @escaping (_ number: Int, _ end: ContinuousClock.Instant) async throws -> Int
    ) async throws -> Double {
        let start = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<parts { group.addTask { try await part(number, start + time) } }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
    }
}
