internal import CZMQ

/// Decides for every socket of a context who may connect with which key (ZAP, RFC 27 of ZeroMQ). It belongs to the thread
/// that created it, and it must exist before a server socket is bound: libzmq 4.3.4 lets every key in while nothing is bound
/// to the address of the handler, unless the socket enforces its domain.
package struct ZeroMQAuthenticator: ~Copyable {
    private static let address = "inproc://zeromq.zap.01"
    private static let version = "1.0"

    private let handle: UnsafeMutableRawPointer
    /// Keeps the context alive until the socket is closed.
    private let context: ZeroMQContext
    private var message = ZeroMQMessage()

    /// - Throws: `ZeroMQError`, also if the context has another handler.
    package init(in context: ZeroMQContext) throws(ZeroMQError) {
        handle = try Self.open(in: context)
        self.context = context
    }

    private static func open(in context: ZeroMQContext) throws(ZeroMQError) -> UnsafeMutableRawPointer {
        guard let handle = zmq_socket(context.handle, ZMQ_REP) else { throw .last("zmq_socket") }
        var linger: Int32 = 0
        // Fails only for another value.
        zmq_setsockopt(handle, ZMQ_LINGER, &linger, MemoryLayout<Int32>.size)
        guard zmq_bind(handle, address) == 0 else {
            let error = ZeroMQError.last("zmq_bind", on: address)
            zmq_close(handle)
            throw error
        }
        return handle
    }

    deinit {
        zmq_close(handle)  // Fails only for a value that is not a socket.
    }

    /// Readable when a question may have arrived. `answer` consumes the signal.
    package func descriptor() throws(ZeroMQError) -> Int32 { try ZeroMQSocket.descriptor(of: handle) }

    /// Answers every question that waits. The name of an admitted connection is its public key: see
    /// `ZeroMQMessage.publicKey`.
    package mutating func answer(_ isAdmitted: (CurvePublicKey) -> Bool) throws(ZeroMQError) {
        while try message.receive(from: handle) {
            // Version, request id, domain, address, routing id, mechanism, credentials.
            let requestID = message.count > 1 ? message.bytes(of: 1) : []
            var key: CurvePublicKey?
            if message.count == 7, !message.isTruncated, message.bytes(of: 0).elementsEqual(Self.version.utf8),
                message.bytes(of: 5).elementsEqual("CURVE".utf8)
            {
                key = message.withUnsafeBytes(of: 6) { CurvePublicKey(bytes: $0) }
            }
            let admitted = key.flatMap { isAdmitted($0) ? $0 : nil }
            // 300 ends the connection, and the peer tries again: its key may be listed later. After 400 libzmq never would.
            try reply([
                Array(Self.version.utf8), requestID, Array((admitted == nil ? "300" : "200").utf8), [],
                Array((admitted?.text ?? "").utf8), [],
            ])
        }
    }

    private func reply(_ parts: [[UInt8]]) throws(ZeroMQError) {
        for (place, part) in parts.enumerated() {
            let flags = place == parts.count - 1 ? ZMQ_DONTWAIT : ZMQ_DONTWAIT | ZMQ_SNDMORE
            guard zmq_send(handle, part, part.count, flags) >= 0 else {
                let error = ZeroMQError.last("zmq_send", on: Self.address)
                // The connection that asked has ended.
                if case .failed = error { throw error }
                return
            }
        }
    }
}
