import Foundation

/// Runs calls that block, such as those of C, outside the cooperative threads: on a thread of their own.
package func onThread<Value: Sendable>(_ body: @Sendable @escaping () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
