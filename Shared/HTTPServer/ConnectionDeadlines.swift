/// How long a connection may stay in each of its phases. It decides; the owner of the socket performs the decision.
struct ConnectionDeadlines: Equatable, Sendable {
    /// What the server waits for.
    enum Phase: Equatable, Sendable {
        /// The head of a request.
        case head
        /// The rest of a body.
        case body
        /// The request handler, which has its own deadlines.
        case handling
        /// The client, which must read the response.
        case sendingResponse
        /// The next request.
        case idle
    }

    enum Decision: Equatable, Sendable {
        /// Send the error response, then close.
        case refuse(RejectedRequest.Reason)
        /// Close without a response: it would arrive between requests or inside another response.
        case close
    }

    var head: Duration
    var body: Duration
    var idle: Duration
    /// How often the rate of a transfer is checked, and its minimum.
    var rateInterval: Duration
    var minimumBytesPerSecond: Int

    /// - Parameter elapsed: since the connection entered `phase`.
    /// - Returns: `nil` while it is in time.
    func decision(in phase: Phase, for elapsed: Duration) -> Decision? {
        switch phase {
        case .head: elapsed >= head ? .refuse(.headTimeout) : nil
        case .body: elapsed >= body ? .refuse(.bodyTimeout) : nil
        case .sendingResponse, .idle: elapsed >= idle ? .close : nil
        case .handling: nil
        }
    }

    /// Whether the client sets the pace of a transfer in this phase. A head is short, so it is timed as a whole.
    static func isTransfer(_ phase: Phase) -> Bool {
        switch phase {
        case .body, .sendingResponse: true
        case .head, .handling, .idle: false
        }
    }

    /// - Parameters:
    ///   - bytes: transferred since the last check.
    ///   - elapsed: since then, at least `rateInterval`.
    /// - Returns: `nil` for a client that is fast enough.
    func decision(in phase: Phase, after bytes: UInt64, in elapsed: Duration) -> Decision? {
        guard Self.isTransfer(phase), Double(bytes) < elapsed / .seconds(1) * Double(minimumBytesPerSecond) else {
            return nil
        }
        return phase == .body ? .refuse(.bodyTimeout) : .close
    }
}
