import CBOR
package import Crypto

/// The public key of a credential: a COSE_Key (RFC 9052 §7) in the form that Web Authentication Level 3 §5.8.5 requires.
package struct CredentialPublicKey: Equatable, Sendable {
    /// The numbers of the key, big-endian.
    package enum Components: Equatable, Sendable {
        case ellipticCurve(VerificationKey.Curve, x: [UInt8], y: [UInt8])
        case edwards(VerificationKey.EdwardsCurve, x: [UInt8])
        case rsa(modulus: [UInt8], exponent: [UInt8])
    }

    /// The COSE_Key as received.
    package let bytes: [UInt8]
    package let algorithm: COSEAlgorithm
    package let components: Components
    /// The same key, ready to verify and to compare with the key of a certificate.
    package let verificationKey: VerificationKey

    /// CTAP2 canonical form. An RSA key of 8192 bits has about 1 KiB.
    static let decoder = CBORDecoder(
        maximumItems: 64, maximumBytes: AuthenticatorData.maximumBytes, keyOrder: .canonical)

    /// Labels of COSE_Key: common (RFC 9052 §7.1), EC2 and OKP (RFC 9053 §7), RSA (RFC 8230 §4).
    private enum Label {
        static let keyType: Int64 = 1
        static let algorithm: Int64 = 3
        static let curve: Int64 = -1
        static let x: Int64 = -2
        static let y: Int64 = -3
        static let rsaModulus: Int64 = -1
        static let rsaExponent: Int64 = -2
    }

    /// Throws `keyAlgorithm` for a missing or unsupported algorithm, else `malformedKey`.
    package init(_ bytes: [UInt8]) throws(WebAuthnError) {
        let item: CBORValue
        do throws(CBORError) {
            item = try Self.decoder.decode(bytes)
        } catch {
            throw .malformedKey
        }
        guard let map = item.map else { throw .malformedKey }
        guard let number = map[Label.algorithm]?.integer, let algorithm = COSEAlgorithm(rawValue: number) else {
            throw .keyAlgorithm
        }
        let components: Components =
            switch algorithm.keyType {
            case .ellipticCurve(let curve): try Self.ellipticCurve(curve, map)
            case .edwards(let curve): try Self.edwards(curve, map)
            case .rsa: try Self.rsa(map)
            }
        self.bytes = bytes
        self.algorithm = algorithm
        self.components = components
        do throws(CryptoError) {
            verificationKey =
                switch components {
                case .ellipticCurve(let curve, let x, let y): try VerificationKey(curve, x: x, y: y)
                case .edwards(let curve, let x): try VerificationKey(curve, publicKey: x)
                case .rsa(let modulus, let exponent): try VerificationKey(rsaModulus: modulus, exponent: exponent)
                }
        } catch {
            throw .malformedKey
        }
    }

    /// Whether `signature` is a signature of this message by this key with its algorithm.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        verificationKey.isValid(signature: signature, for: message, algorithm.scheme)
    }

    // MARK: Key types

    /// Key type EC2. A compressed point has a Boolean `y` and is rejected.
    private static func ellipticCurve(
        _ curve: VerificationKey.Curve, _ map: CBORMap
    ) throws(WebAuthnError) -> Components {
        let number: Int64 =
            switch curve {
            case .p256: 1
            case .p384: 2
            case .p521: 3
            }
        guard map[Label.keyType]?.integer == 2, map[Label.curve]?.integer == number,
            let x = map[Label.x]?.bytes, let y = map[Label.y]?.bytes
        else { throw .malformedKey }
        return .ellipticCurve(curve, x: x, y: y)
    }

    /// Key type OKP.
    private static func edwards(
        _ curve: VerificationKey.EdwardsCurve, _ map: CBORMap
    ) throws(WebAuthnError) -> Components {
        let number: Int64 =
            switch curve {
            case .ed25519: 6
            case .ed448: 7
            }
        guard map[Label.keyType]?.integer == 1, map[Label.curve]?.integer == number, let x = map[Label.x]?.bytes else {
            throw .malformedKey
        }
        return .edwards(curve, x: x)
    }

    /// Key type RSA. The numbers have no leading zeros (RFC 8230 §4).
    private static func rsa(_ map: CBORMap) throws(WebAuthnError) -> Components {
        guard map[Label.keyType]?.integer == 3, let modulus = map[Label.rsaModulus]?.bytes,
            let exponent = map[Label.rsaExponent]?.bytes, modulus.first != 0, exponent.first != 0
        else { throw .malformedKey }
        return .rsa(modulus: modulus, exponent: exponent)
    }
}
