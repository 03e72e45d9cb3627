import Foundation

/// A value that one thread at a time reads or changes. Reflection does not show it.
///
/// `@unchecked Sendable`: every access holds the lock. `Synchronization.Mutex` would exclude Apple's systems of 2022
/// and 2023.
package final class Locked<Value>: @unchecked Sendable, CustomReflectable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) { self.value = value }

    /// - Parameter body: must not wait, and must not use this object.
    package func withLock<Result, Failure>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
