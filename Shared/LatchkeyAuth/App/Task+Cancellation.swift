extension Task where Failure == any Error {
    /// The value; `CancellationError` as soon as the calling task is cancelled, while this one goes on.
    var valueOrCancellation: Success {
        get async throws {
            let (results, result) = AsyncThrowingStream<Success, any Error>.makeStream()
            Task<Void, Never> {
                do {
                    result.yield(try await value)
                } catch {
                    result.finish(throwing: error)
                }
            }
            for try await value in results { return value }
            throw _Concurrency.CancellationError()
        }
    }
}
