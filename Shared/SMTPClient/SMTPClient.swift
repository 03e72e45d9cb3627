internal import Blocking
internal import Curl
internal import Synchronization

/// Hands messages to a mail server, on libcurl. Each thread keeps its connection for the next message.
package struct SMTPClient: Sendable {
    /// What the client puts up with.
    package struct Limits: Sendable {
        /// From the start to the end of the handshakes.
        package var connectTime = Duration.seconds(10)
        /// From the start until the server has taken the message, however slowly it drips.
        package var totalTime = Duration.seconds(60)
        /// Messages that are sent at the same time, each over a connection of its own.
        package var connections = 4

        package init() {}
    }

    private let server: SMTPServer
    private let limits: Limits
    private let authorities: String?
    private let pool: BlockingPool
    private let handles = CurlHandlePool(closing: .onOwnThread(label: "smtp-goodbye"))
    private let stop = SMTPAbortFlag()

    /// - Parameter authorities: a PEM file with the certificates to trust, instead of the system's.
    package init(_ server: SMTPServer, _ limits: Limits = Limits(), authorities: String? = nil) {
        self.server = server
        self.limits = limits
        self.authorities = authorities
        pool = BlockingPool(label: "smtp", threads: limits.connections, waiting: limits.connections)
    }

    /// Sends a message: on return the server has taken it. The task's cancellation does not interrupt it.
    package func send(_ message: SMTPMessage) async throws(SMTPError) {
        let result: Result<Void, SMTPError>
        do {
            result = try await pool.run { [server, limits, authorities, handles, stop] in
                Result { () throws(SMTPError) in
                    try handles.withHandle { handle throws(SMTPError) in
                        try SMTPTransfer.send(
                            message, to: server, limits, authorities: authorities, on: handle, until: stop)
                    }
                }
            }
        } catch {
            // The pool belongs to this value: what is left is a full line, or a task cancelled in it.
            throw .overloaded
        }
        try result.get()
    }

    /// Ends what is being sent, within a second or so, and whatever is sent later: the process is about to end.
    package func abort() {
        stop.requestAbort()
    }
}

/// A wish that transfers look at from their own threads.
final class SMTPAbortFlag: Sendable {
    private let flag = Atomic(false)

    func requestAbort() { flag.store(true, ordering: .relaxed) }
    var isRequested: Bool { flag.load(ordering: .relaxed) }
}
