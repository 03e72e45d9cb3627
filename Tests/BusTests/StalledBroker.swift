import Blocking
import Bus
import Contracts
import Dispatch
import JSON
import Synchronization
import TestSupport
import Vocabulary
import ZeroMQ

/// A broker that sends one request and then reads nothing until it is told to.
final class StalledBroker: Sendable {
    static let requestID = RequestID(high: 1, low: 2)

    private let endpoint: String
    private let mayStart = DispatchSemaphore(value: 0)
    private let mayEnd = DispatchSemaphore(value: 0)
    private let expectsReply = Mutex(false)

    init(_ endpoint: String) {
        self.endpoint = endpoint
    }

    /// Sends the request, as soon as a process has joined.
    func sendRequest() { mayStart.signal() }

    /// - Parameter untilReply: whether it reads until the reply; otherwise it ends at once.
    func end(untilReply: Bool) {
        expectsReply.withLock { $0 = untilReply }
        mayEnd.signal()
    }

    /// - Returns: the reply to the request, if it is expected.
    func run() async throws -> BusMessage.Reply? {
        let thread = BlockingPool(label: "stalled", threads: 1, maximumWaiting: 0)
        defer { thread.shutDown() }
        return try await thread.run { [self] in
            let socket = try ZeroMQSocket(.router, in: ZeroMQContext())
            try socket.bind(to: endpoint)
            let peer = try socket.acceptMember()
            var message = ZeroMQMessage()
            var draft = ZeroMQMessageBuilder()
            mayStart.wait()
            let deadline = BusTime.now().wall + .seconds(300)
            let envelope = RequestEnvelope(
                id: Self.requestID.description, params: Echo.Once(text: ""), deadline: deadline, trace: .random())
            let request = BusMessage.Request(
                service: BusName(.notifier), id: Self.requestID, deadline: deadline, isIdempotent: false,
                payload: PayloadDigest(high: 1, low: 1), body: ZeroMQFrame(try WireJSON.encode(envelope)))
            BusMessage.request(request).write(to: &draft)
            try socket.send(draft, to: peer)
            mayEnd.wait()
            while expectsReply.withLock({ $0 }) {
                while try !socket.receive(into: &message) { try socket.waitForMessage() }
                if case .reply(let reply) = try BusMessage(&message, from: 1) { return reply }
            }
            return nil
        }
    }
}
