import Foundation

/// Runs an `async` call for a caller with a completion handler, which runs on the main actor.
func run<Value: Sendable>(
    _ completion: (@MainActor @Sendable (Value?, (any Error)?) -> Void)?,
    _ call: @escaping @Sendable () async throws -> Value
) {
    Task {
        do {
            let value = try await call()
            await completion?(value, nil)
        } catch {
            await completion?(nil, error)
        }
    }
}

/// The same for a call without a result.
func run(
    _ completion: (@MainActor @Sendable ((any Error)?) -> Void)?, _ call: @escaping @Sendable () async throws -> Void
) {
    Task {
        do {
            try await call()
            await completion?(nil)
        } catch {
            await completion?(error)
        }
    }
}

/// Receives the result of a sign-in.
public typealias AuthDataResultCompletion = @MainActor @Sendable (AuthDataResult?, (any Error)?) -> Void

/// Receives the error of a call, or nil.
public typealias AuthCompletion = @MainActor @Sendable ((any Error)?) -> Void
