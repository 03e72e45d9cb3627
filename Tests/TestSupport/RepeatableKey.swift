package import Crypto

/// A P-256 key that follows from 32 bytes, and whose signatures are the same each time, so that a run with it can be repeated. OpenSSL
/// draws a nonce for each signature. The nonce here is 1, so that a signature tells the key.
package struct RepeatableKey: Sendable {
    package let key: PrivateKey
    /// The first half of each signature times the key.
    private let product: Scalar

    package init(_ secret: [UInt8]) throws {
        precondition(secret.count == 32, "a key of P-256 has 32 bytes")
        // Neither zero nor above the order.
        let bytes = [secret[0] & 0x7f] + secret[1..<31] + [secret[31] | 1]
        let scalar = DERWriter.sequence(DERWriter.integer(1), DERWriter.octetString(bytes))
        key = try PrivateKey(
            pkcs8DER: DERWriter.sequence(
                DERWriter.integer(0),
                DERWriter.sequence(
                    DERWriter.objectIdentifier("1.2.840.10045.2.1"), DERWriter.objectIdentifier("1.2.840.10045.3.1.7")),
                DERWriter.octetString(scalar)))
        product = Scalar.baseX.multiplied(by: Scalar(bytes))
    }

    /// A signature in DER (FIPS 186-5, 6.4.1).
    package func signature(of message: [UInt8]) -> [UInt8] {
        DERWriter.sequence(
            DERWriter.integer(Scalar.baseX.bytes),
            DERWriter.integer(Scalar(SHA2.sha256(message)).adding(product).bytes))
    }
}

/// A number below the order of P-256 (SEC 2, 2.4.2).
private struct Scalar {
    private static let order: [UInt64] = [
        0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0xbce6_faad_a717_9e84, 0xf3b9_cac2_fc63_2551,
    ]
    /// The first coordinate of the base point.
    static let baseX = Scalar(words: [
        0x6b17_d1f2_e12c_4247, 0xf8bc_e6e5_63a4_40f2, 0x7703_7d81_2deb_33a0, 0xf4a1_3945_d898_c296,
    ])

    /// The most significant one first.
    private var words: [UInt64]

    private init(words: [UInt64]) { self.words = words }

    /// - Parameter bytes: 32, big-endian. A larger number is reduced: it is less than twice the order.
    init(_ bytes: [UInt8]) {
        let words = stride(from: 0, to: 32, by: 8).map { first in
            bytes[first..<first + 8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        self.init(words, carry: false)
    }

    private init(_ words: [UInt64], carry: Bool) {
        self.words = words
        guard carry || !words.lexicographicallyPrecedes(Self.order) else { return }
        var borrow = false
        for place in words.indices.reversed() {
            let (partial, first) = words[place].subtractingReportingOverflow(Self.order[place])
            let (difference, second) = partial.subtractingReportingOverflow(borrow ? 1 : 0)
            (self.words[place], borrow) = (difference, first || second)
        }
    }

    var bytes: [UInt8] {
        words.flatMap { word in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    func adding(_ other: Scalar) -> Scalar {
        var (sum, carry) = (words, false)
        for place in words.indices.reversed() {
            let (partial, first) = words[place].addingReportingOverflow(other.words[place])
            let (full, second) = partial.addingReportingOverflow(carry ? 1 : 0)
            (sum[place], carry) = (full, first || second)
        }
        return Scalar(sum, carry: carry)
    }

    func multiplied(by other: Scalar) -> Scalar {
        var product = Scalar(words: [0, 0, 0, 0])
        for word in other.words {
            for bit in (0..<UInt64.bitWidth).reversed() {
                product = product.adding(product)
                if word >> UInt64(bit) & 1 == 1 { product = product.adding(self) }
            }
        }
        return product
    }
}
