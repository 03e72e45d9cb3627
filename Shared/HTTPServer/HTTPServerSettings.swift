/// The address and the limits of a server. The defaults are those of the security rules, section 0.
package struct HTTPServerSettings: Sendable {
    /// `localhost` or an IPv4 or IPv6 address, without brackets.
    package var host: String
    /// 0 lets the kernel choose; `HTTPServer.port` has the chosen port.
    package var port: UInt16
    /// Whether other processes of the user may listen on the address, too, if they also share it. The kernel distributes
    /// the connections.
    package var sharesAddress = false
    /// Request line and header fields together; beyond: 431.
    package var headBytes = 16 << 10
    /// The target of the request line; beyond: 414.
    package var targetBytes = 8 << 10
    /// The body without its framing; beyond: 413.
    package var bodyBytes = 1 << 20
    /// How many bytes beyond `bodyBytes` are read and discarded, so that the client can read the 413.
    package var maximumDrainedBytes = 4 << 20
    /// From the opening of a connection, or the request line of a later request, to the end of the head; then 408.
    package var headTime = Duration.seconds(10)
    /// From the end of the head to the end of the body; then 408.
    package var bodyTime = Duration.seconds(30)
    /// Between two requests of a connection, and for a client to read a response; then the connection is closed.
    package var idleTime = Duration.seconds(60)
    /// After `beginShutdown`: how long running requests may take before they are cancelled.
    package var shutdownTime = Duration.seconds(4)
    /// After `beginShutdown`: a connection without a request for this time is closed. Until then its next request gets
    /// a response with `Connection: close`.
    package var drainTime = Duration.milliseconds(500)
    /// Bytes per second that a client must send of a body, or read of a response, over each `rateInterval`. Otherwise
    /// the request gets 408 or the response is cut off.
    package var minimumBytesPerSecond = 240
    package var rateInterval = Duration.seconds(5)
    /// The kernel's buffer for the parts of responses that a client has not read. The rest waits in the process, and so
    /// do later requests of the same connection.
    package var sendBufferBytes = 128 << 10
    /// Open connections. One more closes those that wait longest for a request, in the network with most connections.
    /// The process needs as many file descriptors, and a sixteenth more.
    package var connections = 4096
    /// File descriptors reserved for the process itself. A connection that would use one of them is closed at once.
    package var descriptorReserve = 64
    /// Open connections of one address (IPv6: of one /64); more are closed at once. `nil`: no limit.
    package var connectionsPerAddress: Int? = 100
    /// Addresses without that limit, because many clients share them.
    package var isExemptFromAddressLimit: @Sendable (IPAddress) -> Bool = { _ in false }
    /// Requests that handlers process; more get 503 at once.
    package var requestsInFlight = 1024

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }
}

/// Why a server does not start.
package enum HTTPServerError: Error, Equatable, Sendable {
    /// Neither `localhost` nor an IP address.
    case invalidHost(String)
    /// Another process listens there: `host:port`.
    case addressInUse(String)
    /// No interface of this machine has the address: `host:port`.
    case addressNotAvailable(String)
    /// A port below 1024 without the required privilege: `host:port`.
    case permissionDenied(String)
    /// The system refused a socket or a thread: the value of `errno`.
    case system(Int32)
}

extension HTTPServerError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidHost(let host): "\(host) is no IP address to listen on"
        case .addressInUse(let address): "\(address) is already in use"
        case .addressNotAvailable(let address): "\(address) is no address of this machine"
        case .permissionDenied(let address): "no permission to listen on \(address)"
        case .system(let number): "the system refused to start a server (errno \(number))"
        }
    }
}
