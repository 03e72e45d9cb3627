import Foundation
import LatchkeyAuth

/// A JWS in compact form (RFC 7515 section 7.1) with its header decoded, not verified.
struct CompactToken: Sendable {
    /// The longest token that is read, in bytes. Tokens of the server have about 1 KiB.
    static let maximumBytes = 16 << 10

    /// `kid` of the header.
    let keyID: String
    /// The signed bytes: the first two parts as they came.
    let signingInput: [UInt8]
    let payload: Data
    let signature: [UInt8]

    /// - Throws: `malformed`, `wrongAlgorithm`; `unknownKey` for a header without `kid`.
    init(_ token: String) throws(IDTokenVerificationError) {
        let bytes = Array(token.utf8.prefix(Self.maximumBytes + 1))
        guard bytes.count <= Self.maximumBytes else { throw .malformed }
        // At bytes: a `Character` can be a dot with a combining mark.
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let headerPart = parts.first, let signaturePart = parts.last,
            let payloadPart = parts.dropFirst().first
        else { throw .malformed }
        // `try?`: another shape is malformed.
        guard let header = Self.data(headerPart).flatMap({ try? JSONDecoder().decode(Header.self, from: $0) }),
            let payload = Self.data(payloadPart)
        else { throw .malformed }
        // RFC 8725 section 3.1: the verifier decides on the algorithm. `jwk`, `jku` and `x5c` are not read at all.
        guard header.alg == "RS256", !header.hasExtension else { throw .wrongAlgorithm }
        guard header.typ.map({ $0.lowercased() == "jwt" }) ?? true, let signature = Self.data(signaturePart) else {
            throw .malformed
        }
        guard let keyID = header.kid else { throw .unknownKey }
        self.keyID = keyID
        signingInput = Array(bytes.dropLast(signaturePart.count + 1))
        self.payload = payload
        self.signature = Array(signature)
    }

    private static func data(_ part: ArraySlice<UInt8>) -> Data? {
        Data(base64URL: String(decoding: part, as: UTF8.self))
    }

    private struct Header: Decodable {
        var alg: String
        var kid: String?
        var typ: String?
        /// Whether a member changes the meaning of the parts (RFC 7515 section 4.1.11, RFC 7797, RFC 7516).
        var hasExtension: Bool

        private enum CodingKeys: String, CodingKey { case alg, kid, typ, crit, b64, enc, zip }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            alg = try members.decode(String.self, forKey: .alg)
            kid = try members.decodeIfPresent(String.self, forKey: .kid)
            typ = try members.decodeIfPresent(String.self, forKey: .typ)
            hasExtension = [CodingKeys.crit, .b64, .enc, .zip].contains { members.contains($0) }
        }
    }
}
