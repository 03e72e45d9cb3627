import Contracts
import EventLoop
import Synchronization
import ZeroMQ

/// A command from a task of this process to the thread that owns the sockets.
enum BusCommand: Sendable {
    case send(OutgoingCall)
    /// The task of the caller was cancelled.
    case cancel(RequestID)
    /// A handler has finished a request that arrived over a link.
    case reply(link: Int, BusMessage.Reply)
    /// An event or a report, sent to one broker.
    case publish(BusMessage)
    /// Sent to every broker.
    case report(BusMessage.Ended)
    /// A task of this process subscribes to reports.
    case watch
    case beginShutdown
}

/// The result of a call: the body of the reply, or an error.
typealias CallResult = Result<ZeroMQFrame, ServiceError>

/// A call that is enqueued for the loop.
struct OutgoingCall: Sendable {
    var request: BusMessage.Request
    var isRetryable: Bool
    var expiresAt: ContinuousClock.Instant
    /// Resumed exactly once, by the last owner of the call.
    var continuation: CheckedContinuation<CallResult, Never>
}

/// The locked queue between the tasks and the loop. The lock is never held across a system call.
final class BusCommandQueue: Sendable {
    private struct State {
        var commands: [BusCommand] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Of the loop that performs the commands.
    let signal: SourceSignal
    /// Calls and events beyond this count are rejected. Replies always fit, because running requests have their own
    /// limit.
    private let limit: Int

    init(signal: SourceSignal, limit: Int) {
        self.signal = signal
        self.limit = limit
    }

    enum RejectionReason { case full, closed }

    /// - Returns: why the command was rejected; nil if it was accepted.
    func enqueue(_ command: sending BusCommand) -> RejectionReason? {
        let isBounded =
            switch command {
            case .send, .publish: true
            case .cancel, .reply, .report, .watch, .beginShutdown: false
            }
        let refusal: RejectionReason? = state.withLock { state in
            guard !state.isClosed else { return .closed }
            guard !isBounded || state.commands.count < limit else { return .full }
            state.commands.append(command)
            return nil
        }
        if refusal == nil { signal.raise() }
        return refusal
    }

    /// Returns all enqueued commands. The memory of `spare` is reused for the commands that follow.
    func drain(reusing spare: inout [BusCommand]) {
        spare.removeAll(keepingCapacity: true)
        state.withLock { swap(&$0.commands, &spare) }
    }

    /// Rejects all further commands.
    /// - Returns: the enqueued commands, which will not be performed.
    func close() -> [BusCommand] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}
