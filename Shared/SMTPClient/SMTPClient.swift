import Blocking
import Curl
import Synchronization
import Tracing

/// Sends messages to a mail server with libcurl. Each thread keeps its connection for the next message.
package struct SMTPClient: Sendable {
    /// Timeouts and limits of the client.
    package struct Limits: Sendable {
        /// From the start to the end of the handshakes.
        package var connectTime = Duration.seconds(10)
        /// From the start until the server has accepted the message, including slow transfers.
        package var totalTime = Duration.seconds(60)
        /// Messages that are sent at the same time, each over its own connection.
        package var connections = 4

        package init() {}
    }

    private let server: SMTPServer
    private let limits: Limits
    private let caFilePath: String?
    private let pool: BlockingPool
    private let handles = CurlHandlePool(closing: .onOwnThread(label: "smtp-goodbye"))
    private let stop = SMTPAbortFlag()

    /// - Parameter caFilePath: a PEM file with the trusted certificates, instead of those of the system.
    package init(_ server: SMTPServer, _ limits: Limits = Limits(), caFilePath: String? = nil) {
        self.server = server
        self.limits = limits
        self.caFilePath = caFilePath
        pool = BlockingPool(label: "smtp", threads: limits.connections, maximumWaiting: limits.connections)
    }

    /// Sends a message. When it returns, the server has accepted the message. Cancellation of the task does not
    /// interrupt it. In a process that records traces it is a span of the work that it belongs to.
    package func send(_ message: SMTPMessage) async throws(SMTPError) {
        let span = ActiveSpan.current?.beginRequest()
        var failure: SMTPError?
        defer { span?.end(server, failure) }
        do throws(SMTPError) {
            try await transfer(message)
        } catch {
            failure = error
            throw error
        }
    }

    private func transfer(_ message: SMTPMessage) async throws(SMTPError) {
        try await onOwnThread { [server, limits, caFilePath, stop] handle throws(SMTPError) in
            try SMTPTransfer.send(message, to: server, limits, caFilePath: caFilePath, on: handle, until: stop)
        }
    }

    /// Connects to the server with TLS and user as for a message, and sends none: EHLO, STARTTLS, AUTH, NOOP.
    package func checkConnection() async throws(SMTPError) {
        try await onOwnThread { [server, limits, caFilePath, stop] handle throws(SMTPError) in
            try SMTPTransfer.check(server, limits, caFilePath: caFilePath, on: handle, until: stop)
        }
    }

    private func onOwnThread(
        _ body: @escaping @Sendable (CurlHandle) throws(SMTPError) -> Void
    ) async throws(SMTPError) {
        let result: Result<Void, SMTPError>
        do {
            result = try await pool.run { [handles] in
                Result { () throws(SMTPError) in
                    try handles.withHandle { handle throws(SMTPError) in try body(handle) }
                }
            }
        } catch {
            // The pool belongs to this value, so the only causes are a full queue and a task that was cancelled in it.
            throw .overloaded
        }
        try result.get()
    }

    /// Aborts running transfers within about a second, and all later ones. Called when the process stops.
    package func abort() {
        stop.requestAbort()
    }
}

/// A flag that transfers check on their own threads.
final class SMTPAbortFlag: Sendable {
    private let flag = Atomic(false)

    func requestAbort() { flag.store(true, ordering: .relaxed) }
    var isRequested: Bool { flag.load(ordering: .relaxed) }
}

extension ActiveSpan {
    fileprivate func end(_ server: SMTPServer, _ failure: SMTPError?) {
        let attributes: [Span.Attribute] = [
            ("network.protocol.name", .text("smtp")), ("server.address", .text(server.host)),
            ("server.port", .number(Int(server.port))),
        ]
        end("SMTP", attributes, error: failure?.kind)
    }
}
