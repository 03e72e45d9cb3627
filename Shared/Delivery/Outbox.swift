package import Contracts
package import Vocabulary

/// Rows that wait until their receivers have them: how a service stores them, and how it delivers one.
///
/// A row is delivered at least once. A receiver that gets one again must not act again.
package protocol Outbox: Sendable {
    associatedtype Receiver: DeliveryReceiver
    /// What one attempt delivers: a row, or several that travel together.
    associatedtype Item: Sendable
    /// The outcome of an attempt.
    associatedtype Outcome: Sendable

    /// Names the outbox in the log.
    var name: String { get }

    /// The receivers with a row that is due, in the order in which they get their turn. Most polls find none, and a read
    /// does not block writers. An outbox whose `lease` reads as little may name all its receivers.
    func receivers(at now: Moment) async throws -> [Receiver]

    /// Leases rows that are due. An outbox with one attempt at a time for each receiver may only read them, if its receiver
    /// knows a row that two processes send.
    /// - Parameter count: the most items to return.
    func lease(upTo count: Int, for receiver: Receiver, at now: Moment) async throws -> [Item]

    /// The outcome of an attempt that was not made: the rows are due again.
    static var interrupted: Outcome { get }

    /// Sends the rows. It returns soon after its task is cancelled: the process stops.
    func attempt(_ item: Item) async -> Outcome

    /// The requests that stored the rows, as far as they are known: the trace of an attempt has links to them.
    func origins(of item: Item) -> [TraceContext]

    /// What the outcome says about the receiver.
    func report(_ outcome: Outcome, of item: Item) -> ReceiverReport

    /// Stores the outcome, and ends the lease. It changes nothing when another process has the lease now.
    /// - Parameter jitter: 0 ..< 1.
    func record(_ outcome: Outcome, of item: Item, at now: Moment, jitter: Double) async throws

    /// Releases the leases of ended processes, so that their rows need not wait until the leases end.
    /// - Parameter hasEnded: whether the process that wrote this lease holder has certainly ended.
    /// - Returns: the number of leases.
    func releaseLeases(ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment) async throws
        -> Int

    /// Shows the beginning or the end of an outage.
    func show(_ change: OutageChange, of receiver: Receiver, at now: Moment) async
}

extension Outbox {
    /// For an outbox whose rows have no trace.
    package func origins(of item: Item) -> [TraceContext] { [] }

    /// For an outbox without leases.
    package func releaseLeases(
        ofEndedProcesses hasEnded: @escaping @Sendable (String) -> Bool, at now: Moment
    ) async throws -> Int { 0 }
}
