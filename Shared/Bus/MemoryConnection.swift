import Synchronization

/// The connection of a process to the broker that it contains: messages are handed over in memory. Its ends may be on
/// one thread or on two.
package final class MemoryConnection: Sendable {
    /// The maximum number of messages that wait in each direction: as many as a connection of libzmq to a broker holds.
    package static let maximumWaiting = 10_000

    private struct Direction {
        var messages = FIFO<BusMessage>()
        /// Gives the receiver a turn; nil while there is none.
        var wake: (@Sendable () -> Void)?
    }

    private struct State {
        var toBroker = Direction()
        var toMember = Direction()
    }

    private let state = Mutex(State())
    /// Gives the loop of the member a turn.
    private let wakeMember: @Sendable () -> Void

    /// - Parameter wakeMember: gives the sources of the loop with the member's end a turn.
    package init(wakeMember: @escaping @Sendable () -> Void) {
        self.wakeMember = wakeMember
    }

    private func send(_ message: BusMessage, _ direction: WritableKeyPath<State, Direction>) -> BusMemoryOutcome {
        let (wake, outcome): ((@Sendable () -> Void)?, BusMemoryOutcome) = state.withLock { state in
            guard let wake = state[keyPath: direction].wake else { return (nil, .closed) }
            guard state[keyPath: direction].messages.count < Self.maximumWaiting else { return (nil, .full) }
            state[keyPath: direction].messages.append(message)
            return (wake, .sent)
        }
        wake?()
        return outcome
    }

    // MARK: The end of the broker

    /// The broker takes messages from now on.
    /// - Parameter wake: gives it a turn.
    package func openBroker(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.toBroker.wake = wake }
        wakeMember()
    }

    /// The broker has ended. What it has sent can still be received.
    package func closeBroker() {
        state.withLock { $0.toBroker = Direction() }
        wakeMember()
    }

    package func sendToMember(_ message: BusMessage) -> BusMemoryOutcome { send(message, \.toMember) }
    package func receiveAtBroker() -> BusMessage? { state.withLock { $0.toBroker.messages.popFirst() } }
    package var hasMessageForBroker: Bool { state.withLock { !$0.toBroker.messages.isEmpty } }

    // MARK: The end of the member

    /// The end that the process itself uses.
    package func makeMember() -> any BusSocket {
        state.withLock { $0.toMember.wake = wakeMember }
        return MemorySocket(self)
    }

    fileprivate func closeMember() { state.withLock { $0.toMember = Direction() } }
    fileprivate func sendToBroker(_ message: BusMessage) -> BusMemoryOutcome { send(message, \.toBroker) }
    fileprivate func receiveAtMember() -> BusMessage? { state.withLock { $0.toMember.messages.popFirst() } }

    fileprivate var stateOfMember: (canReceive: Bool, canSend: Bool) {
        state.withLock { state in
            let isOpen = state.toBroker.wake != nil
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

    /// None: poll(2) skips it. The connection wakes the loop instead.
    var descriptor: Int32 { get throws { -1 } }

    var hasUnsignaledInput: Bool { connection.stateOfMember.canReceive }
}
