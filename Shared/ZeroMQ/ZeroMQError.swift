internal import CZMQ

/// An error of libzmq.
package enum ZeroMQError: Error, Equatable, Sendable {
    /// A call failed unexpectedly: its name, its object, and libzmq's reason.
    case failed(call: String, on: String, reason: String)
    /// The message cannot be sent now: there is no connection, or its queue is full (`EAGAIN`).
    case wouldBlock
    /// A ROUTER has no connection with that routing id anymore (`EHOSTUNREACH`).
    case noSuchPeer

    /// The error of the call that just returned.
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
