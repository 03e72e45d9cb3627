package import Crypto

/// Signs for players as Game Center does, with a certificate of its own chain.
package struct GameCenterSigner: Sendable {
    /// Where devices find the certificate.
    package static let certificateURL = "https://static.gc.apple.com/public-key/gc-prod-10.cer"
    /// Where servers find the certificate of its issuer.
    package static let issuerURL = "http://cacerts.digicert.com/CodeSigning.crt"

    package let root: Certificate
    package let intermediate: Certificate
    package let certificate: Certificate
    private let key: PrivateKey

    /// - Parameter change: changes the certificate before it is signed.
    package init(key: PrivateKey? = nil, change: (inout CertificateBuilder) -> Void = { _ in }) throws {
        let rootAuthority = try CertificateAuthority(commonName: "Root G4")
        let authority = try CertificateAuthority(commonName: "Code Signing CA", issuer: rootAuthority)
        let key = try key ?? TestKey.rsa()
        root = rootAuthority.certificate
        intermediate = authority.certificate
        self.key = key
        certificate = try authority.issue(to: key.publicKey) { builder in
            builder.subject = [("2.5.4.10", "Apple Inc."), ("2.5.4.3", "Apple Inc.")]
            builder.extensions += [Self.codeSigning, Self.issuerAccess(Self.issuerURL)]
            change(&builder)
        }
    }

    /// The signature of a player. `milliseconds` is the time since 1970.
    package func sign(playerID: String, bundleID: String, milliseconds: Int64, salt: [UInt8]) throws -> [UInt8] {
        let time = (0..<8).reversed().map { UInt8(truncatingIfNeeded: milliseconds >> ($0 * 8)) }
        return try key.sign(Array(playerID.utf8) + Array(bundleID.utf8) + time + salt, key.algorithm)
    }

    /// The extended key usage of certificates that sign code.
    package static let codeSigning: CertificateBuilder.Extension = (
        "2.5.29.37", false, DERWriter.sequence(DERWriter.objectIdentifier("1.3.6.1.5.5.7.3.3"))
    )

    /// The authority information access.
    package static func issuerAccess(_ url: String) -> CertificateBuilder.Extension {
        let location = DERWriter.element(0x86, Array(url.utf8))
        let description = DERWriter.sequence(DERWriter.objectIdentifier("1.3.6.1.5.5.7.48.2"), location)
        return ("1.3.6.1.5.5.7.1.1", false, DERWriter.sequence(description))
    }
}
