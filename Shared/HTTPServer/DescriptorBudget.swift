import Glibc

/// The number of connections that the file descriptors of a process allow.
package enum DescriptorBudget {
    /// Kept free: when no descriptor is free, libdispatch ends the process.
    static let reserve = 64
    /// Descriptors that a gateway uses besides its connections: the bus, timers, its log.
    package static let gateway = 64

    /// - Parameters:
    ///   - limit: the maximum of the result.
    ///   - ownUse: descriptors that the process uses besides its connections.
    ///   - listeners: servers of this process that share its descriptors.
    ///   - descriptors: the descriptors that the process may open; the default is the current limit of the system.
    /// - Returns: the value of `HTTPServerSettings.connections` for each server; at least 1.
    package static func connections(
        atMost limit: Int, besides ownUse: Int = gateway, listeners: Int, descriptors: Int = allowed()
    ) -> Int {
        let each = (descriptors - reserve - ownUse) / max(1, listeners)
        // A server briefly uses some more: see `MicrohttpdDaemon`.
        return max(1, min(limit, (each - 8) * 16 / 17))
    }

    package static func allowed() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }
}
