internal import CZMQ

/// What libzmq refused to do.
package enum ZeroMQError: Error, Equatable, Sendable {
    /// A call that had to succeed did not: which one, on what, and libzmq's words for the reason.
    case failed(call: String, on: String, reason: String)
    /// Nothing can take the message now: no connection, or the queue of it is full (`EAGAIN`).
    case wouldBlock
    /// A ROUTER no longer has a connection with that routing id (`EHOSTUNREACH`).
    case noSuchPeer

    /// The failure of the call that just returned.
    static func last(_ call: String, on subject: String = "") -> Self {
        switch zmq_errno() {
        case EAGAIN: .wouldBlock
        case EHOSTUNREACH: .noSuchPeer
        case let code: .failed(call: call, on: subject, reason: String(cString: zmq_strerror(code)))
        }
    }
}

extension ZeroMQError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .failed(let call, let subject, let reason): "\(call) \(subject): \(reason)"
        case .wouldBlock: "nothing can take the message now"
        case .noSuchPeer: "the peer is gone"
        }
    }
}
