internal import Foundation

/// A value that one thread at a time reads or changes.
///
/// `@unchecked Sendable`: every access holds the lock. `Synchronization.Mutex` would exclude Apple's systems of 2022
/// and 2023.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    /// - Parameter body: must not wait, and must not use this object.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
