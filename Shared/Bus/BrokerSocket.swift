/// The connection of a `BusLoop` to one broker.
final class BrokerSocket {
    let socket: any BusSocket
    var state: BrokerLink
    /// Whether input may have arrived that the descriptor of the socket does not signal.
    var mayHaveInput = true
    /// Requests of this broker that handlers process.
    var running: Set<RequestID> = []
    /// Replies that the connection did not take, the oldest first. Their callers wait.
    var unsentReplies: [BusMessage.Reply] = []
    /// The last heartbeat of the broker has no reply yet.
    var owesReply = false
    /// This process has a subscriber of reports, and the broker does not know it.
    var mustWatch = false
    /// The broker knows this process, and no diagnostic says so yet.
    var hasJoined = false
    /// When the addresses of its host are looked at again; nil for a broker with an address.
    var followsHostAt: ContinuousClock.Instant?
    /// This process sent `disconnect`. Requests that the broker sent before it may still arrive.
    var awaitsConfirmation = false

    init(socket: any BusSocket, state: BrokerLink) {
        self.socket = socket
        self.state = state
    }
}
