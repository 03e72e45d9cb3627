/// A condition did not occur before the timeout of a test.
package struct WaitTimeoutError: Error, CustomStringConvertible {
    package let description: String
}

/// Polls until there is a result. For events in another process that sends no notification.
/// - Parameters:
///   - what: the expected event, which completes the sentence "It never happened that".
///   - timeout: prevents a hanging test. It is not a performance limit: a busy machine may take long.
package func waitFor<Value: Sendable>(
    _ what: String, timeout: Duration = .seconds(180), _ look: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + timeout
    repeat {
        if let response = try await look() { return response }
        try await Task.sleep(for: .milliseconds(10))
    } while ContinuousClock.now < end
    throw WaitTimeoutError(description: "It never happened that \(what)")
}

/// Polls until a condition is true.
package func eventually(
    _ what: String, timeout: Duration = .seconds(180), _ isSo: () async throws -> Bool
) async throws {
    try await waitFor(what, timeout: timeout) { try await isSo() ? () : nil }
}

/// The same for what tasks and threads of the test itself change.
/// - Parameter line: of the call.
package func eventually(line: Int = #line, _ isSo: () -> Bool) async throws {
    try await eventually("the condition of line \(line) held", isSo)
}
