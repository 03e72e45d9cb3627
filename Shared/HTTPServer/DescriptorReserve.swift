internal import Glibc

/// Whether the process has file descriptors to spare for clients. What it needs for itself is not for them: without a
/// descriptor libdispatch ends the process, and a log file or a socket of the bus cannot be opened again.
enum DescriptorReserve {
    /// - Parameter reserve: descriptors that stay free; a quarter of them all where there are few.
    static func allowsConnection(keeping reserve: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        // The kernel gives the lowest free number, so at least so many are in use.
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
