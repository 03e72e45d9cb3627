package import Crypto
import JSON
import Vocabulary

extension AuthenticatorMetadata {
    /// The published BLOB has about 10 MiB, most of it icons.
    package static let maximumBytes = 64 << 20

    private static let payloadLimits = JSONLimits(depth: 32, nodes: 2_000_000, stringBytes: 4 << 20)
    private static let maximumCertificates = 8

    /// Parses and verifies a BLOB (FIDO Metadata Service §3.1.7 and §3.2): a JWT that is signed by a certificate.
    /// - Parameters:
    ///   - blob: the content of the downloaded file.
    ///   - root: the trust anchor that FIDO names for the certificate.
    ///   - signer: the common name that the certificate must have. The root of the published BLOB also issues
    ///     certificates for others.
    ///   - seconds: the time since 1970 at which the certificate must be valid.
    package init(
        blob: [UInt8], root: Certificate, signer: String = "mds.fidoalliance.org", at seconds: Int64
    ) throws(MetadataError) {
        guard blob.count <= Self.maximumBytes else { throw .malformed }
        let parts = Self.withoutLineBreak(blob).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, let headerText = parts.first, let signatureText = parts.last,
            let payloadText = parts.dropFirst().first, let headerJSON = Base64URL.decode(headerText),
            let signature = Base64URL.decode(signatureText),
            let header = try? WireJSON.decode(Header.self, from: headerJSON)
        else { throw .malformed }
        let key = try Self.verifiedKey(of: header, root: root, signer: signer, at: seconds)
        guard header.crit == nil, let algorithm = SignatureAlgorithm(rawValue: header.alg) else {
            throw .unsupportedAlgorithm
        }
        let signed = Array("\(headerText).\(payloadText)".utf8)
        guard key.isValid(signature: signature, for: signed, algorithm) else { throw .invalidSignature }
        // The payload is decoded only after its signature is verified.
        guard let payload = Base64URL.decode(payloadText) else { throw .malformed }
        try self.init(payload: payload)
    }

    /// A file may end with a line break.
    private static func withoutLineBreak(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var rest = bytes[...]
        while rest.last == UInt8(ascii: "\n") || rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        return rest
    }

    private struct Header: Decodable {
        let alg: String
        let x5c: [String]
        /// Extensions that must be understood: there are none.
        let crit: [String]?
    }

    /// The key of the signing certificate, which is the first of `x5c`.
    private static func verifiedKey(
        of header: Header, root: Certificate, signer: String, at seconds: Int64
    ) throws(MetadataError) -> PublicKey {
        guard header.x5c.count <= maximumCertificates else { throw .malformed }
        var certificates: [Certificate] = []
        for text in header.x5c {
            guard let certificate = MetadataPayload.certificate(base64: text) else { throw .malformed }
            certificates.append(certificate)
        }
        guard let leaf = certificates.first, let keyInfo = try? leaf.subjectPublicKeyInfo,
            let key = try? PublicKey(subjectPublicKeyInfo: keyInfo)
        else { throw .malformed }
        do throws(CertificateError) {
            try TrustAnchors([root]).verify(leaf, intermediates: Array(certificates.dropFirst()), at: seconds)
        } catch {
            throw .untrustedSigner("\(error)")
        }
        guard leaf.subject.values(of: CertificateName.commonName) == [signer] else {
            throw .untrustedSigner("the common name is not \(signer)")
        }
        return key
    }

    /// Parses a payload whose signature is verified.
    init(payload bytes: [UInt8]) throws(MetadataError) {
        let payload: MetadataPayload
        do {
            payload = try WireJSON.decode(MetadataPayload.self, from: bytes, limits: Self.payloadLimits)
        } catch {
            throw .malformed
        }
        guard let nextUpdate = MetadataPayload.seconds(date: payload.nextUpdate) else { throw .malformed }
        var entries: [AAGUID: Entry] = [:]
        var entriesByKeyIdentifier: [String: Entry] = [:]
        for item in payload.entries {
            let entry = Entry(item)
            if let aaguid = item.aaguid.flatMap(AAGUID.init(text:)) { entries[aaguid] = entry }
            for identifier in item.attestationCertificateKeyIdentifiers ?? [] {
                entriesByKeyIdentifier[identifier] = entry
            }
        }
        self.init(
            number: payload.no, nextUpdate: nextUpdate, entries: entries,
            entriesByKeyIdentifier: entriesByKeyIdentifier)
    }
}

extension AuthenticatorMetadata.Entry {
    fileprivate init(_ item: MetadataPayload.Entry) {
        self.init(
            description: item.metadataStatement?.description ?? "",
            // A root that does not parse is not used.
            attestationRoots: (item.metadataStatement?.attestationRootCertificates ?? []).compactMap(
                MetadataPayload.certificate(base64:)),
            statuses: item.statusReports.map(\.status))
    }
}
