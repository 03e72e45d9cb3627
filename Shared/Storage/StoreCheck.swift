import EventLoop
import Synchronization

/// One running check of a store. It continues when its caller stops waiting, because cancellation does not stop a
/// hanging database call.
final class StoreCheck: Sendable {
    private struct State {
        var result: StoreCheckResult?
        var waiter: CheckedContinuation<StoreCheckResult, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    init(_ probe: StoreProbe, _ kind: StoreCheckKind) {
        Task(executorPreference: EventLoop.current) {
            do {
                try await probe.check(kind)
                self.finish(.working)
            } catch {
                self.finish(StoreCheckResult(error))
            }
        }
    }

    /// For one caller at a time.
    /// - Returns: `unanswered` if the check has not ended in time, or the task is cancelled. It may be awaited again.
    func result(within timeout: Duration) async -> StoreCheckResult {
        let timer = Task(executorPreference: EventLoop.current) {
            // Cancelled when it is no longer needed.
            guard (try? await EventLoop.sleep(forAbout: timeout)) != nil else { return }
            self.resume(with: .unanswered)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let known = state.withLock { state in
                    let known = state.result ?? (state.isCancelled ? .unanswered : nil)
                    if known == nil { state.waiter = waiter }
                    return known
                }
                if let known { waiter.resume(returning: known) }
            }
        } onCancel: {
            state.withLock { $0.isCancelled = true }
            resume(with: .unanswered)
        }
    }

    private func finish(_ result: StoreCheckResult) {
        state.withLock { $0.result = result }
        resume(with: result)
    }

    private func resume(with result: StoreCheckResult) {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: result)
    }
}
