import Blocking

/// A thread for a call that waits during the whole lifetime of the process.
package enum DetachedThread {
    /// What a system call and the report of its result need.
    private static let stackBytes = 512 << 10

    package static func start(_ body: @escaping @Sendable () -> Void) {
        DedicatedThread.start(label: "waiting", stackBytes: stackBytes, body)
    }
}
