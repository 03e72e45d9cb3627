/// Bytes with a meaning of their own, for example a challenge. Encodes as base64url text without padding.
package struct OctetString: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension OctetString: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64URL.decode(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64url without padding")
        }
        self.bytes = bytes
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64URL.encode(bytes))
    }
}

/// The credential ID of a passkey: 1 to 1023 bytes that an authenticator has chosen (Web Authentication Level 3, 7.1
/// step 25). Two IDs are equal when their bytes are. Encodes as base64url text without padding.
package struct CredentialID: Hashable, Sendable {
    package static let byteCounts = 1...1023

    package let bytes: [UInt8]

    /// - Returns: nil for a length out of `byteCounts`.
    package init?(_ bytes: [UInt8]) {
        guard Self.byteCounts.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}

extension CredentialID: Codable {
    package init(from decoder: any Decoder) throws {
        let octets = try OctetString(from: decoder)
        guard let id = CredentialID(octets.bytes) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not 1 to 1023 bytes"))
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        try OctetString(bytes).encode(to: encoder)
    }
}

extension CredentialID: CustomStringConvertible {
    /// Base64url text without padding.
    package var description: String { Base64URL.encode(bytes) }
}
