import Glibc

/// Checks whether the process has free file descriptors for clients. Some stay reserved for the process itself. When
/// none is free, libdispatch ends the process, and a log file or a bus socket cannot be reopened.
enum DescriptorReserve {
    /// - Parameter reserve: descriptors that stay free, but at most a quarter of all descriptors.
    static func allowsConnection(keeping reserve: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        // The kernel returns the lowest free number, so at least that many are in use.
        let probe = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return false }
        close(probe)
        return allowsConnection(lowestFree: probe, limit: UInt64(limit.rlim_cur), keeping: reserve)
    }

    /// - Parameter lowestFree: the lowest descriptor that is not in use.
    static func allowsConnection(lowestFree: Int32, limit: UInt64, keeping reserve: Int) -> Bool {
        let kept = min(UInt64(clamping: reserve), limit / 4)
        return UInt64(clamping: lowestFree) < limit - kept
    }
}
