internal import CMalloc

/// Decides when a process returns memory to the kernel: when it has become idle after work, which includes its start.
package struct IdleMemory {
    /// Less processor time than this share of an interval is idle.
    static let idleShare = 0.05
    /// Work of this processor time leaves memory that is worth returning.
    static let work = 0.5

    private var lastSeconds = 0.0
    /// Processor seconds since the last return. The start of a process always leaves memory.
    private var pending = work

    /// - Parameters:
    ///   - processorSeconds: of the process so far.
    ///   - interval: seconds since the last call.
    /// - Returns: whether to return memory now.
    mutating func isDue(processorSeconds: Double, interval: Double) -> Bool {
        let used = processorSeconds - lastSeconds
        lastSeconds = processorSeconds
        pending += used
        guard used < Self.idleShare * interval, pending >= Self.work else { return false }
        pending = 0
        return true
    }

    /// Returns the free blocks of the allocator.
    package static func release() {
        malloc_trim(0)
    }
}
