/// The progress of a delivery: the last command that was sent.
package enum SMTPStage: Int, Comparable, CaseIterable, Sendable {
    case connect, greeting, startTLS, authentication, sender, recipient, content

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Why the server did not accept a message.
package enum SMTPError: Error, Equatable, Sendable {
    /// The reply code was 400 or above. 4xx: temporary; 5xx: permanent (RFC 5321 §4.2.1).
    case refused(SMTPStage, code: Int)
    /// The host name has no address.
    case cannotResolve
    /// The server does not accept the connection.
    case cannotConnect
    /// The server did not reply in time. At `content`, it may have accepted the message.
    case timedOut(SMTPStage)
    /// The connection was closed. At `content`, the server may have accepted the message.
    case connectionLost(SMTPStage)
    /// The server does not offer STARTTLS, which is required.
    case noTLS
    /// The certificate or the TLS version of the server is not accepted; with the message of the library.
    case tls(String)
    /// The server rejected the user name and password.
    case authentication
    /// The address needs SMTPUTF8 (RFC 6531), which the server does not offer.
    case noInternationalAddresses
    /// The domain of an address has no DNS form (RFC 5891).
    case invalidDomain
    /// `SMTPClient.abort()` was called. At `content`, the server may have accepted the message.
    case aborted
    /// The maximum number of messages is being sent and waits; this one was not attempted.
    case overloaded
    /// Any other error, with the number of the library (`CURLcode`).
    case other(code: Int)

    /// The name of the case, with the reply code of the server.
    var kind: String {
        switch self {
        case .refused(_, let code): String(code)
        case .cannotResolve: "cannotResolve"
        case .cannotConnect: "cannotConnect"
        case .timedOut: "timedOut"
        case .connectionLost: "connectionLost"
        case .noTLS: "noTLS"
        case .tls: "tls"
        case .authentication: "authentication"
        case .noInternationalAddresses: "noInternationalAddresses"
        case .invalidDomain: "invalidDomain"
        case .aborted: "aborted"
        case .overloaded: "overloaded"
        case .other: "other"
        }
    }
}
