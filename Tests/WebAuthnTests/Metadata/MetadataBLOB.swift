import Crypto
import Foundation
import TestSupport
import Testing
import Vocabulary
import WebAuthn

/// Makes BLOBs of a metadata service.
struct MetadataBLOB {
    static let now: Int64 = 1_750_000_000

    let root: CertificateAuthority
    let signingKey: PrivateKey
    /// `x5c`
    var certificates: [Certificate]
    var algorithm = "ES256"
    /// JSON members of the header after the others, each with a comma before it.
    var furtherHeaderMembers = ""
    var nextUpdate = "2025-07-01"
    var entries: [String] = []

    init(
        signingKey: PrivateKey? = nil, commonName: String = "mds.fidoalliance.org",
        change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws {
        root = try CertificateAuthority(commonName: "metadata root")
        let intermediate = try CertificateAuthority(commonName: "metadata issuer", issuer: root)
        self.signingKey = try signingKey ?? .generateP256()
        let leaf = try intermediate.issue(to: self.signingKey.publicKey) {
            $0.subject = [("2.5.4.10", "FIDO"), ("2.5.4.3", commonName)]
            change(&$0)
        }
        certificates = [leaf, intermediate.certificate]
    }

    static func entry(
        aaguid: String, description: String = "Model", roots: [Certificate] = [], statuses: [String] = []
    ) -> String {
        entry("\"aaguid\":\"\(aaguid)\"", description, roots, statuses)
    }

    /// An entry of a U2F authenticator.
    static func entry(keyIdentifier: [UInt8], roots: [Certificate], statuses: [String] = []) -> String {
        entry("\"attestationCertificateKeyIdentifiers\":[\"\(keyIdentifier.hexadecimal)\"]", "Model", roots, statuses)
    }

    private static func entry(
        _ identification: String, _ description: String, _ roots: [Certificate], _ statuses: [String]
    ) -> String {
        let roots = roots.map { "\"\(Data($0.der).base64EncodedString())\"" }.joined(separator: ",")
        let reports = statuses.map { "{\"status\":\"\($0)\",\"effectiveDate\":\"2024-01-01\"}" }.joined(separator: ",")
        return """
            {\(identification),"metadataStatement":{"description":"\(description)",\
            "attestationRootCertificates":[\(roots)]},"statusReports":[\(reports)],\
            "timeOfLastStatusChange":"2024-01-01"}
            """
    }

    /// The parts before the signature.
    var signingInput: String {
        let certificates = certificates.map { "\"\(Data($0.der).base64EncodedString())\"" }.joined(separator: ",")
        let header = "{\"alg\":\"\(algorithm)\",\"typ\":\"JWT\",\"x5c\":[\(certificates)]\(furtherHeaderMembers)}"
        let payload = """
            {"legalHeader":"…","no":77,"nextUpdate":"\(nextUpdate)","entries":[\(entries.joined(separator: ","))]}
            """
        return [header, payload].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    }

    var signature: [UInt8] {
        get throws { try signingKey.sign(Array(signingInput.utf8), signingKey.algorithm) }
    }

    var bytes: [UInt8] {
        get throws { Array((signingInput + "." + Base64URL.encode(try signature)).utf8) }
    }

    func parse(_ bytes: [UInt8]? = nil, at now: Int64 = now) throws -> AuthenticatorMetadata {
        try AuthenticatorMetadata(blob: bytes ?? self.bytes, root: root.certificate, at: now)
    }

    /// Verified metadata with one entry.
    static func metadata(
        aaguid: AAGUID, roots: [Certificate], statuses: [String] = []
    ) throws -> AuthenticatorMetadata {
        var blob = try MetadataBLOB()
        blob.entries = [entry(aaguid: aaguid.description, roots: roots, statuses: statuses)]
        return try blob.parse()
    }
}
