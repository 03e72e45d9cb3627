/// Why a message is malformed.
package enum BusMessageError: Error, Equatable, Sendable {
    /// The first part does not begin with the protocol's tag.
    case unknownProtocol
    case unsupportedVersion(UInt8)
    case unknownCommand
    case wrongPartCount
    case malformedName
    case malformedID
    case malformedDeadline
    case malformedFlags
    case malformedCapacity
    case malformedPayloadDigest
    case malformedCause
    case malformedDuration
    /// Bytes follow the last field of the header.
    case trailingBytes
    /// Empty, or longer than `BusMessage.maximumBodyBytes`.
    case malformedBody
    /// The peer chose its own routing id.
    case customRoutingID
}

extension BusMessageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownProtocol: "it does not begin with LKBUS"
        case .unsupportedVersion(let version): BusMessage.versionMismatch(with: version)
        case .unknownCommand: "the command is unknown"
        case .wrongPartCount: "the command has another number of parts"
        case .malformedName: "a name is malformed"
        case .malformedID: "the request id is malformed"
        case .malformedDeadline: "the time left is malformed"
        case .malformedFlags: "the command has other flags"
        case .malformedCapacity: "the capacity is malformed"
        case .malformedPayloadDigest: "the payload digest is malformed"
        case .malformedCause: "the cause is malformed"
        case .malformedDuration: "the duration is malformed"
        case .trailingBytes: "bytes follow the header"
        case .malformedBody: "the body is empty or too long"
        case .customRoutingID: "the peer chose its own routing id"
        }
    }
}
