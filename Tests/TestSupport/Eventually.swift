/// What a test waited for in vain.
package struct WaitTimeoutError: Error, CustomStringConvertible {
    package let description: String
}

/// Looks again and again until there is an answer. For what happens in another process, of which nobody tells us.
/// - Parameters:
///   - what: what should happen, to end the sentence "It never happened that".
///   - patience: against hanging, not a promise: a busy machine may take long.
package func waitFor<Answer: Sendable>(
    _ what: String, timeout: Duration = .seconds(180), _ look: () async throws -> Answer?
) async throws -> Answer {
    let end = ContinuousClock.now + timeout
    repeat {
        if let answer = try await look() { return answer }
        try await Task.sleep(for: .milliseconds(10))
    } while ContinuousClock.now < end
    throw WaitTimeoutError(description: "It never happened that \(what)")
}

/// Looks again and again until something is so.
package func eventually(
    _ what: String, timeout: Duration = .seconds(180), _ isSo: () async throws -> Bool
) async throws {
    try await waitFor(what, timeout: timeout) { try await isSo() ? () : nil }
}
