import EventLoop
import Glibc

/// The unit of systemd with `Type=notify` as which this process runs, if it does. The service manager learns the state of the
/// process from datagrams to the socket that NOTIFY_SOCKET names (sd_notify(3)).
package struct SystemdUnit: Sendable {
    package enum State: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        /// Without it for the time of `WatchdogSec=`, the unit is ended and restarted.
        case alive = "WATCHDOG=1"
    }

    /// The unit of this process; nil without one.
    package static let ofProcess = SystemdUnit(.process)

    private let address: sockaddr_un
    private let addressBytes: socklen_t
    /// How often the service manager must learn that the process works; nil if it does not ask.
    package let heartbeat: Duration?

    /// - Returns: nil without NOTIFY_SOCKET, and if it is no path that fits into an address.
    package init?(_ environment: Environment) {
        guard let path = environment["NOTIFY_SOCKET"] else { return nil }
        var bytes = Array(path.utf8)
        // unix(7): a name outside of the file system begins with a zero byte, for which the variable has "@".
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 } else if bytes.first != UInt8(ascii: "/") { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        self.address = address
        addressBytes = socklen_t(MemoryLayout<sockaddr_un>.size - capacity + bytes.count)
        // Half of the time: one heartbeat may be late.
        heartbeat = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { microseconds in
            microseconds > 1 ? .microseconds(microseconds / 2) : nil
        }
    }

    /// Sends a state. It does not wait. A state that is lost has the effect that the service manager describes: it waits
    /// for `ready`, and ends a process without `alive`.
    package func send(_ state: State) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = state.rawValue.withCString { text in
                    sendto(
                        descriptor, text, strlen(text), Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address,
                        addressBytes)
                }
            }
        }
    }
}

/// Tells the service manager that the process works, and that it stops. It runs where the other components run, so that
/// the heartbeats end when these cannot go on.
struct ServiceManagerReports: SignaledComponent {
    let manager: SystemdUnit
    let stop = StopSignal()

    func run() async throws {
        await stop.run {
            guard let heartbeat = manager.heartbeat else { return }
            while !Task.isCancelled {
                manager.send(.alive)
                // Cancellation shortens it, and the loop checks for that.
                try? await EventLoop.sleep(forAbout: heartbeat)
            }
        }
        manager.send(.stopping)
    }
}
