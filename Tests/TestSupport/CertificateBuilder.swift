package import Crypto
import FoundationEssentials
import Glibc

/// Makes an X.509 certificate. Every field can be changed, also to a value that breaks a rule.
package struct CertificateBuilder {
    package typealias Attribute = (type: String, value: String)
    package typealias Extension = (identifier: String, isCritical: Bool, value: [UInt8])

    package var version = 3
    package var subject: [Attribute] = []
    package var issuer: [Attribute] = []
    /// Seconds since 1970.
    package var notBefore: Int64 = 1_700_000_000
    package var notAfter: Int64 = 1_900_000_000
    package var subjectPublicKeyInfo: [UInt8]
    package var extensions: [Extension] = []
    /// Replaces the signature algorithm that fits the key of the issuer.
    package var signatureAlgorithm: String?

    package init(publicKey: PublicKey) throws { subjectPublicKeyInfo = try publicKey.subjectPublicKeyInfo }

    /// - Parameter isAuthority: nil omits the field, as DER requires for false.
    package static func basicConstraints(isAuthority: Bool?, pathLength: Int? = nil) -> Extension {
        let value = DERWriter.sequence(
            isAuthority.map(DERWriter.boolean) ?? [], pathLength.map { DERWriter.integer($0) } ?? [])
        return ("2.5.29.19", true, value)
    }

    /// A distinguished name with one attribute in each set.
    package static func name(_ attributes: [Attribute]) -> [UInt8] {
        let sets = attributes.map { attribute in
            DERWriter.set(
                DERWriter.sequence(
                    DERWriter.objectIdentifier(attribute.type), DERWriter.utf8String(attribute.value)))
        }
        return DERWriter.element(0x30, sets.flatMap(\.self))
    }

    /// The certificate in DER.
    package func signed(by key: PrivateKey) throws -> [UInt8] {
        let identifier =
            signatureAlgorithm ?? (key.algorithm == .rs256 ? "1.2.840.113549.1.1.11" : "1.2.840.10045.4.3.2")
        let algorithm = DERWriter.sequence(DERWriter.objectIdentifier(identifier))
        let validity = DERWriter.sequence(Self.time(notBefore), Self.time(notAfter))
        let extensions = extensions.map { entry in
            DERWriter.sequence(
                DERWriter.objectIdentifier(entry.identifier), entry.isCritical ? DERWriter.boolean(true) : [],
                DERWriter.octetString(entry.value))
        }
        let toBeSigned = DERWriter.sequence(
            version == 1 ? [] : DERWriter.context(0, DERWriter.integer(version &- 1)),
            DERWriter.integer(Random.bytes(8)), algorithm, Self.name(issuer), validity, Self.name(subject),
            subjectPublicKeyInfo,
            extensions.isEmpty
                ? [] : DERWriter.context(3, DERWriter.element(0x30, extensions.flatMap(\.self))))
        return DERWriter.sequence(
            toBeSigned, algorithm, DERWriter.bitString(try Self.signature(of: toBeSigned, by: key)))
    }

    /// A signature as certificates and authenticators encode it: for ECDSA in DER.
    package static func signature(of message: [UInt8], by key: PrivateKey) throws -> [UInt8] {
        let signature = try key.sign(message, key.algorithm)
        guard key.algorithm == .es256 else { return signature }
        return DERWriter.sequence(
            DERWriter.integer(Array(signature.prefix(32))), DERWriter.integer(Array(signature.suffix(32))))
    }

    /// GeneralizedTime.
    private static func time(_ seconds: Int64) -> [UInt8] {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        func padded(_ value: Int32, _ count: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        let date = padded(parts.tm_year + 1900, 4) + padded(parts.tm_mon + 1, 2) + padded(parts.tm_mday, 2)
        let clock = padded(parts.tm_hour, 2) + padded(parts.tm_min, 2) + padded(parts.tm_sec, 2)
        return DERWriter.element(0x18, Array((date + clock + "Z").utf8))
    }
}

/// A certification authority for tests.
package struct CertificateAuthority {
    package let key: PrivateKey
    package let certificate: Certificate
    package let name: [CertificateBuilder.Attribute]

    /// - Parameters:
    ///   - issuer: nil makes the certificate self-signed.
    ///   - change: changes the certificate before it is signed.
    package init(
        commonName: String, key: PrivateKey? = nil, issuer: CertificateAuthority? = nil,
        change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws {
        let key = try key ?? .generateP256()
        var builder = try CertificateBuilder(publicKey: key.publicKey)
        builder.subject = [("2.5.4.3", commonName)]
        builder.issuer = issuer?.name ?? builder.subject
        builder.extensions = [CertificateBuilder.basicConstraints(isAuthority: true)]
        change(&builder)
        self.key = key
        name = builder.subject
        certificate = try Certificate(der: builder.signed(by: issuer?.key ?? key))
    }

    /// A certificate that this authority issues.
    package func issue(
        to publicKey: PublicKey, change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> Certificate {
        try Certificate(der: issueDER(to: publicKey, change: change))
    }

    /// The same as bytes, which need not be acceptable.
    package func issueDER(
        to publicKey: PublicKey, change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> [UInt8] {
        var builder = try CertificateBuilder(publicKey: publicKey)
        builder.subject = [("2.5.4.3", "leaf")]
        builder.issuer = name
        builder.extensions = [CertificateBuilder.basicConstraints(isAuthority: nil)]
        change(&builder)
        return try builder.signed(by: key)
    }
}

extension Certificate {
    /// In PEM form.
    package var pem: String {
        "-----BEGIN CERTIFICATE-----\n\(Data(der).base64EncodedString())\n-----END CERTIFICATE-----\n"
    }
}
