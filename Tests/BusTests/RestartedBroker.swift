import Blocking
import Bus
import Dispatch
import ZeroMQ

/// A broker that forgets the process that joined it, and knows it again at once, as one that was started again does.
final class RestartedBroker: Sendable {
    private let endpoint: String
    private let next = DispatchSemaphore(value: 0)

    init(_ endpoint: String) {
        self.endpoint = endpoint
    }

    /// Forgets the process at the first call, and ends at the second.
    func restart() { next.signal() }

    func run() async throws {
        let thread = BlockingPool(label: "restarted", threads: 1, maximumWaiting: 0)
        defer { thread.shutDown() }
        try await thread.run { [self] in
            let socket = try ZeroMQSocket(.router, in: ZeroMQContext())
            try socket.bind(to: endpoint)
            let peer = try socket.acceptMember()
            var draft = ZeroMQMessageBuilder()
            next.wait()
            for frames in [BusMessage.disconnect, .heartbeat] {
                frames.write(to: &draft)
                try socket.send(draft, to: peer)
            }
            next.wait()
        }
    }
}
