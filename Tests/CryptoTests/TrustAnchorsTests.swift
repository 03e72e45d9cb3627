import Crypto
import TestSupport
import Testing

@Suite struct TrustAnchorsTests {
    private static let now: Int64 = 1_800_000_000

    private let root: CertificateAuthority
    private let intermediate: CertificateAuthority
    private let leaf: Certificate
    private let leafKey: PublicKey

    init() throws {
        root = try CertificateAuthority(commonName: "root")
        intermediate = try CertificateAuthority(commonName: "intermediate", issuer: root)
        leafKey = try PrivateKey.generateP256().publicKey
        leaf = try intermediate.issue(to: leafKey)
    }

    private func isTrusted(
        _ certificate: Certificate, _ intermediates: [Certificate] = [], by anchors: [Certificate], at time: Int64 = now
    ) throws -> Bool {
        do throws(CertificateError) {
            try TrustAnchors(anchors).verify(certificate, intermediates: intermediates, at: time)
            return true
        } catch {
            guard case .untrusted = error else { throw error }
            return false
        }
    }

    @Test func pathToAnAnchorIsTrusted() throws {
        let unrelated = try CertificateAuthority(commonName: "unrelated").certificate
        #expect(try isTrusted(leaf, [intermediate.certificate], by: [root.certificate]))
        #expect(try isTrusted(leaf, [intermediate.certificate], by: [unrelated, root.certificate]))
        #expect(try isTrusted(leaf, [unrelated, root.certificate, intermediate.certificate], by: [root.certificate]))
        #expect(try isTrusted(intermediate.certificate, by: [root.certificate]))
    }

    @Test func anchorsMayHaveTheSameName() throws {
        let other = try CertificateAuthority(commonName: "root").certificate
        for anchors in [[other, root.certificate], [root.certificate, other]] {
            #expect(try isTrusted(leaf, [intermediate.certificate], by: anchors))
        }
    }

    @Test func intermediateAndLeafCanBeAnchors() throws {
        #expect(try isTrusted(leaf, by: [intermediate.certificate]))
        #expect(try isTrusted(leaf, by: [leaf]))
        #expect(try !isTrusted(leaf, by: [leaf], at: leaf.notAfter + 1))
    }

    @Test func pathWithoutAnchorIsRefused() throws {
        let unrelated = try CertificateAuthority(commonName: "unrelated").certificate
        #expect(try !isTrusted(leaf, by: [root.certificate]))
        #expect(try !isTrusted(leaf, [intermediate.certificate, root.certificate], by: [unrelated]))
        #expect(try !isTrusted(leaf, [intermediate.certificate, root.certificate], by: []))
    }

    /// The names fit, the keys do not.
    @Test func signatureOfAnotherKeyIsRefused() throws {
        let other = try CertificateAuthority(commonName: "root")
        #expect(try !isTrusted(leaf, [intermediate.certificate], by: [other.certificate]))
        let imitation = try CertificateAuthority(commonName: "intermediate", issuer: root)
        #expect(try !isTrusted(leaf, [imitation.certificate], by: [root.certificate]))
    }

    @Test func everyFlippedBitOfTheSignatureIsRefused() throws {
        for bit in (leaf.der.count - 70) * 8..<leaf.der.count * 8 {
            var changed = leaf.der
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let certificate = try? Certificate(der: changed) else { continue }
            #expect(try !isTrusted(certificate, by: [intermediate.certificate]), "bit \(bit)")
        }
    }

    @Test func everyCertificateOfThePathMustBeValidAtTheTime() throws {
        let now = Self.now
        let expiring = try CertificateAuthority(commonName: "expiring", issuer: root) { $0.notAfter = now }
        let certificate = try expiring.issue(to: leafKey) {
            $0.notBefore = now - 10
            $0.notAfter = now + 10
        }
        // OpenSSL refuses the last second too.
        let times = [now - 11, now - 10, now - 1, now + 1]
        #expect(
            try times.map { try isTrusted(certificate, [expiring.certificate], by: [root.certificate], at: $0) }
                == [false, true, true, false])
    }

    @Test func issuerMustBeAnAuthority() throws {
        let extensions: [[CertificateBuilder.Extension]] = [
            [], [CertificateBuilder.basicConstraints(isAuthority: nil)],
            [CertificateBuilder.basicConstraints(isAuthority: false)],
            // Key usage with `keyCertSign` only: OpenSSL takes it for an authority.
            [("2.5.29.15", true, [3, 2, 2, 4])],
            // Basic constraints without that key usage.
            [CertificateBuilder.basicConstraints(isAuthority: true), ("2.5.29.15", true, [3, 2, 7, 0x80])],
        ]
        for (index, list) in extensions.enumerated() {
            let issuer = try CertificateAuthority(commonName: "issuer", issuer: root) { $0.extensions = list }
            let certificate = try issuer.issue(to: leafKey)
            #expect(try !isTrusted(certificate, [issuer.certificate], by: [root.certificate]), "case \(index)")
        }
    }

    @Test func pathLengthIsLimited() throws {
        let limited = try CertificateAuthority(commonName: "limited", issuer: root) {
            $0.extensions = [CertificateBuilder.basicConstraints(isAuthority: true, pathLength: 0)]
        }
        let below = try CertificateAuthority(commonName: "below", issuer: limited)
        #expect(try isTrusted(limited.issue(to: leafKey), [limited.certificate], by: [root.certificate]))
        let certificate = try below.issue(to: leafKey)
        #expect(try !isTrusted(certificate, [limited.certificate, below.certificate], by: [root.certificate]))
    }

    @Test func unknownCriticalExtensionIsRefused() throws {
        for isCritical in [false, true] {
            let certificate = try root.issue(to: leafKey) { $0.extensions = [("1.2.3.4", isCritical, [5, 0])] }
            #expect(try isTrusted(certificate, by: [root.certificate]) == !isCritical)
        }
    }

    @Test func tooManyIntermediatesAreRefused() throws {
        let many = [Certificate](repeating: intermediate.certificate, count: 9)
        #expect(try isTrusted(leaf, Array(many.dropLast()), by: [root.certificate]))
        #expect(try !isTrusted(leaf, many, by: [root.certificate]))
    }

    @Test(arguments: [WeakCertificates.signedWithSHA1, WeakCertificates.smallKey, WeakCertificates.underSmallKey])
    func weakPathIsRefused(pem: String) throws {
        let path = try Certificate.all(inPEM: pem)
        let time = path[0].notBefore + 1
        #expect(
            try !isTrusted(
                path[0], Array(path.dropFirst()), by: Certificate.all(inPEM: WeakCertificates.root), at: time))
    }
}
