import Crypto
import FoundationEssentials
import JSON

/// What the browser states about the ceremony: `CollectedClientData` (Web Authentication Level 3 §5.8.1).
package struct ClientData: Equatable, Sendable {
    /// The type of the ceremony.
    package enum Ceremony: String, Sendable {
        case registration = "webauthn.create"
        case authentication = "webauthn.get"
    }

    package let type: String
    package let challenge: String
    package let origin: String
    package let crossOrigin: Bool
    package let topOrigin: String?
    /// SHA-256 of the bytes as received.
    package let hash: [UInt8]

    package static let maximumBytes = 64 << 10

    /// The members that are verified. Others are ignored (§5.8.1.2).
    private struct Members: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
        let topOrigin: String?
    }

    /// Parses UTF-8 JSON after an optional byte order mark. Duplicate names are rejected.
    package init(json bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count <= Self.maximumBytes else { throw .malformedClientData }
        let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        let members: Members
        do {
            members = try WireJSON.decode(Members.self, from: Data(text))
        } catch {
            throw .malformedClientData
        }
        type = members.type
        challenge = members.challenge
        origin = members.origin
        crossOrigin = members.crossOrigin ?? false
        topOrigin = members.topOrigin
        hash = SHA2.sha256(bytes)
    }
}
