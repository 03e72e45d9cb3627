import Crypto
import FoundationEssentials
import Vocabulary

@testable import WebAuthn

extension FuzzTarget {
    /// A certificate of an attestation statement, and its path to itself.
    static func readCertificate(_ input: [UInt8]) throws {
        guard let certificate = try? Certificate(der: input) else { return }
        try demand(certificate.der == input, "a certificate keeps its bytes")
        try demand([1, 2, 3, nil].contains(certificate.version), "a version is one of three")
        _ = certificate.isValid(at: now.timestamp.seconds)
        _ = certificate.publicKeyIdentifier
        _ = certificate.isAuthority
        _ = try? certificate.extendedKeyUsage
        _ = try? certificate.alternativeDirectoryNames
        _ = certificate.issuerURLs
        if let key = try? VerificationKey(subjectPublicKeyInfo: certificate.subjectPublicKeyInfo) {
            _ = key.isValid(signature: input, for: input, .ecdsa(.sha256))
        }
        let anchors = TrustAnchors([certificate])
        _ = try? anchors.verify(certificate, intermediates: [certificate], at: certificate.notBefore)
    }

    /// DER, and the extension that describes a key of Android.
    static func readASN1(_ input: [UInt8]) throws {
        _ = AndroidKeyDescription(der: input)
        var elements = [ASN1Element(der: input)].compactMap(\.self)
        while let element = elements.popLast() {
            try demand(element.content.count < input.count, "an element is longer than its content")
            _ = element.unsignedValue
            elements += element.children(maximum: 100) ?? []
        }
    }

    /// The two structures of a TPM.
    static func readTPMStructures(_ input: [UInt8]) throws {
        _ = TPMCertifyInfo(input)
        if let area = TPMPublicArea(input) {
            try demand((34...66).contains(area.name.count), "a name is an algorithm and a hash")
        }
    }

    /// The payload of a metadata BLOB.
    static func readMetadata(_ input: [UInt8]) throws {
        guard let metadata = try? AuthenticatorMetadata(payload: input) else { return }
        try demand(metadata.isOutdated(at: .max), "every BLOB has a successor")
    }
}
