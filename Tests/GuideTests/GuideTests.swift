import Testing

/// The calls of the public guides, and their journeys with real processes. Serialized: a guide uses the default
/// application of the process, and a machine with two cores can serve one mesh.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum GuideTests {}

/// The form of the calls.
enum Form: CaseIterable, CustomTestStringConvertible {
    case async, completionHandlers

    var testDescription: String {
        switch self {
        case .async: "async"
        case .completionHandlers: "completion handlers"
        }
    }
}

/// Makes a call with a completion handler, and waits for its result.
@MainActor
func completion<Value: Sendable>(
    _ call: @MainActor (_ completion: @escaping @MainActor @Sendable (Value?, (any Error)?) -> Void) -> Void
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        call { value, error in
            if let value, error == nil {
                continuation.resume(returning: value)
            } else {
                continuation.resume(throwing: error ?? MissingResultError())
            }
        }
    }
}

/// The same for a call without a result.
@MainActor
func completion(
    _ call: @MainActor (_ completion: @escaping @MainActor @Sendable ((any Error)?) -> Void) -> Void
) async throws {
    let _: Void = try await completion { completion in call { completion((), $0) } }
}

/// A completion handler received neither a result nor an error.
struct MissingResultError: Error {}
