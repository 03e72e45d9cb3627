/// How far a delivery got: the last command that was sent.
package enum SMTPStage: Int, Comparable, CaseIterable, Sendable {
    case connect, greeting, startTLS, authentication, sender, recipient, content

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Why the server did not take a message.
package enum SMTPError: Error, Equatable, Sendable {
    /// It answered with a code of 400 or above. 4xx: not now; 5xx: not this (RFC 5321 §4.2.1).
    case refused(SMTPStage, code: Int)
    /// The name of the server has no address.
    case cannotResolve
    /// Nobody listens there, or not for us.
    case cannotConnect
    /// It did not answer in time. At `content`, it may have taken the message.
    case timedOut(SMTPStage)
    /// The connection ended. At `content`, it may have taken the message.
    case connectionLost(SMTPStage)
    /// It does not offer STARTTLS, and without it nothing is sent.
    case noTLS
    /// It is not who it should be, or speaks no TLS we accept; with the library's words.
    case tls(String)
    /// It does not take our name and password.
    case authentication
    /// The address needs SMTPUTF8 (RFC 6531), which it does not offer.
    case noInternationalAddresses
    /// The domain of an address cannot be written as the DNS needs it (RFC 5891).
    case invalidDomain
    /// `SMTPClient.abort()` was called. At `content`, it may have taken the message.
    case aborted
    /// As many messages are being sent and wait as may; this one was not tried.
    case overloaded
    /// Anything else, with the library's number (`CURLcode`).
    case other(code: Int)
}
