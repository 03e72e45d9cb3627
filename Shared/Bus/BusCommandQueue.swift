internal import Contracts
internal import Synchronization
internal import ZeroMQ

/// What the tasks of this process hand to the thread that owns the sockets.
enum BusCommand: Sendable {
    case send(OutgoingCall)
    /// The caller was cancelled.
    case cancel(RequestID)
    /// A handler is done with a request that came over a link.
    case reply(link: Int, BusMessage.Reply)
    case publish(ZeroMQFrame)
    /// To every broker.
    case report(BusMessage.Ended)
    case beginShutdown
}

/// How a call ends: the reply's body, or why there is none.
typealias CallResult = Result<ZeroMQFrame, WireError>

/// A call on its way to the loop.
struct OutgoingCall: Sendable {
    var request: BusMessage.Request
    var isRetryable: Bool
    var expiresAt: ContinuousClock.Instant
    /// Resumed exactly once, by whoever holds it at last.
    var continuation: CheckedContinuation<CallResult, Never>
}

/// The locked box between tasks and the loop. The lock is never held across a system call.
final class BusCommandQueue: Sendable {
    private struct State {
        var commands: [BusCommand] = []
        /// Whether the loop waits in `poll` and must be woken.
        var isLoopAsleep = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp
    /// Calls and events beyond it are refused; replies always fit, because running requests are bounded elsewhere.
    private let limit: Int

    init(wakeUp: WakeUp, limit: Int) {
        self.wakeUp = wakeUp
        self.limit = limit
    }

    enum RejectionReason { case full, closed }

    /// - Returns: why the command was not taken; nil if it was.
    func enqueue(_ command: sending BusCommand) -> RejectionReason? {
        let isBounded =
            switch command {
            case .send, .publish: true
            case .cancel, .reply, .report, .beginShutdown: false
            }
        var mustWake = false
        let refusal: RejectionReason? = state.withLock { state in
            guard !state.isClosed else { return .closed }
            guard !isBounded || state.commands.count < limit else { return .full }
            state.commands.append(command)
            mustWake = state.isLoopAsleep
            state.isLoopAsleep = false
            return nil
        }
        if mustWake { wakeUp.signal() }
        return refusal
    }

    /// Everything posted so far. `spare` gives its memory to the commands that follow.
    func drain(reusing spare: inout [BusCommand]) {
        spare.removeAll(keepingCapacity: true)
        state.withLock { swap(&$0.commands, &spare) }
    }

    /// The loop wants to wait.
    /// - Returns: false if something was posted in the meantime.
    func prepareToWait() -> Bool {
        state.withLock { state in
            state.isLoopAsleep = state.commands.isEmpty
            return state.isLoopAsleep
        }
    }

    func finishWaiting() {
        state.withLock { $0.isLoopAsleep = false }
    }

    /// Refuses everything from now on.
    /// - Returns: what was posted and will not be performed.
    func close() -> [BusCommand] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }
}
