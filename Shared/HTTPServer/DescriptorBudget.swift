internal import Glibc

/// How many connections the file descriptors of a process suffice for.
package enum DescriptorBudget {
    /// Kept free: without a descriptor to spare, libdispatch ends the process.
    static let reserve = 64
    /// What a process has open beside its connections: the bus, timers, its log.
    static let ownUse = 64

    /// - Parameters:
    ///   - limit: more are never given.
    ///   - listeners: servers of this process that share its descriptors.
    ///   - descriptors: what the process may have open; the default is what the system allows now.
    /// - Returns: for `HTTPServerSettings.connections` of each server; at least 1.
    package static func connections(atMost limit: Int, listeners: Int, descriptors: Int = allowed()) -> Int {
        let each = (descriptors - reserve - ownUse) / max(1, listeners)
        // A server takes some more for a moment: see `MicrohttpdDaemon`.
        return max(1, min(limit, (each - 8) * 16 / 17))
    }

    package static func allowed() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }
}
