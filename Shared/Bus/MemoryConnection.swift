package import EventLoop
import Synchronization

/// The connection of a process to the broker that it contains: messages are handed over in memory. Its ends may be on
/// one thread or on two.
package final class MemoryConnection: Sendable {
    /// The maximum number of messages that wait in each direction: as many as a connection of libzmq to a broker holds.
    package static let maximumWaiting = 10_000

    private struct Direction {
        var messages = FIFO<BusMessage>()
        /// That of the receiver; nil while there is none.
        var signal: SourceSignal?
    }

    private struct State {
        var toBroker = Direction()
        var toMember = Direction()
    }

    private let state = Mutex(State())

    package init() {}

    private func send(_ message: BusMessage, _ direction: WritableKeyPath<State, Direction>) -> BusMemoryOutcome {
        let (signal, outcome): (SourceSignal?, BusMemoryOutcome) = state.withLock { state in
            guard let signal = state[keyPath: direction].signal else { return (nil, .closed) }
            guard state[keyPath: direction].messages.count < Self.maximumWaiting else { return (nil, .full) }
            state[keyPath: direction].messages.append(message)
            return (signal, .sent)
        }
        signal?.raise()
        return outcome
    }

    // MARK: The end of the broker

    /// The broker takes messages from now on.
    package func openBroker(_ signal: SourceSignal) {
        changeBroker { $0.signal = signal }
    }

    /// The broker has ended. What it has sent can still be received.
    package func closeBroker() {
        changeBroker { $0 = Direction() }
    }

    private func changeBroker(_ change: (inout Direction) -> Void) {
        let member = state.withLock { state in
            change(&state.toBroker)
            return state.toMember.signal
        }
        member?.raise()
    }

    package func sendToMember(_ message: BusMessage) -> BusMemoryOutcome { send(message, \.toMember) }
    package func receiveAtBroker() -> BusMessage? { state.withLock { $0.toBroker.messages.popFirst() } }
    package var hasMessageForBroker: Bool { state.withLock { !$0.toBroker.messages.isEmpty } }

    // MARK: The end of the member

    /// The end that the process itself uses.
    package func makeMember(_ signal: SourceSignal) -> any BusSocket {
        state.withLock { $0.toMember.signal = signal }
        return MemorySocket(self)
    }

    fileprivate func closeMember() { state.withLock { $0.toMember = Direction() } }
    fileprivate func sendToBroker(_ message: BusMessage) -> BusMemoryOutcome { send(message, \.toBroker) }
    fileprivate func receiveAtMember() -> BusMessage? { state.withLock { $0.toMember.messages.popFirst() } }

    fileprivate var stateOfMember: (canReceive: Bool, canSend: Bool) {
        state.withLock { state in
            let isOpen = state.toBroker.signal != nil
            return (
                !state.toMember.messages.isEmpty, isOpen && state.toBroker.messages.count < Self.maximumWaiting
            )
        }
    }
}

/// What became of a message that was handed over in memory.
package enum BusMemoryOutcome: Sendable { case sent, full, closed }

/// The end of a `MemoryConnection` that a member uses.
private final class MemorySocket: BusSocket {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) {
        self.connection = connection
    }

    deinit {
        connection.closeMember()
    }

    func send(_ message: BusMessage) throws -> Bool { connection.sendToBroker(message) == .sent }

    func receive() throws -> BusInput? { connection.receiveAtMember().map(BusInput.frames) }

    var state: (canReceive: Bool, canSend: Bool) { get throws { connection.stateOfMember } }

    func peersChanged() throws {}

    /// None: poll(2) skips it. The connection raises the signal instead.
    var descriptor: Int32 { get throws { -1 } }

    var hasUnsignaledInput: Bool { connection.stateOfMember.canReceive }
}
