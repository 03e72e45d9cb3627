import CBOR
import TestSupport
import Testing

@Suite struct CBORDecoderTests {
    private let decoder = CBORDecoder()

    private func decode(_ hex: String) throws -> CBORValue {
        try decoder.decode(try #require([UInt8](hex: hex)))
    }

    /// Examples of RFC 8949 appendix A.
    @Test(
        arguments: [
            ("00", .unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)), ("18ff", .unsigned(255)),
            ("190100", .unsigned(256)), ("1903e8", .unsigned(1000)), ("1a000f4240", .unsigned(1_000_000)),
            ("1bffffffffffffffff", .unsigned(.max)), ("20", .negative(0)), ("3863", .negative(99)),
            ("3bffffffffffffffff", .negative(.max)), ("f90000", .float(0)), ("f93e00", .float(1.5)),
            ("fa47c35000", .float(100_000)), ("fb3ff199999999999a", .float(1.1)), ("f4", .bool(false)),
            ("f5", .bool(true)), ("f6", .null), ("f7", .undefined), ("40", .bytes([])),
            ("4401020304", .bytes([1, 2, 3, 4])),
            ("60", .text("")), ("62c3bc", .text("ü")), ("64f0908591", .text("\u{10151}")), ("80", .array([])),
            (
                "8301820203820405",
                .array([
                    .unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)]),
                ])
            ),
            ("a0", .map(CBORMap())),
            (
                "a201020304",
                .map(
                    CBORMap([
                        .init(key: .unsigned(1), value: .unsigned(2)), .init(key: .unsigned(3), value: .unsigned(4)),
                    ]))
            ),
            (
                "826161a161626163",
                .array([
                    .text("a"), .map(CBORMap([.init(key: .text("b"), value: .text("c"))])),
                ])
            ),
        ] as [(String, CBORValue)])
    func itemIsDecoded(hex: String, value: CBORValue) throws {
        #expect(try decode(hex) == value)
    }

    /// Security rule JS8.
    @Test(
        arguments: [
            ("", .malformed), ("18", .malformed), ("1b00000000", .malformed), ("4401", .malformed),
            ("6261", .malformed),
            ("8201", .malformed), ("a101", .malformed), ("1c", .malformed), ("1d", .malformed), ("1e", .malformed),
            ("1f", .malformed), ("62c328", .malformed), ("62c080", .malformed), ("63eda080", .malformed),
            ("f818", .malformed), ("f0", .malformed), ("0000", .trailingBytes), ("a000", .trailingBytes),
            ("1817", .notShortest), ("190017", .notShortest), ("1900ff", .notShortest), ("1a0000ffff", .notShortest),
            ("1b00000000ffffffff", .notShortest), ("3817", .notShortest), ("580100", .notShortest),
            ("7800", .notShortest), ("980100", .notShortest), ("b8010000", .notShortest),
            ("a201010102", .duplicateKey), ("a2616101616102", .duplicateKey), ("a220002000", .duplicateKey),
            ("9f01ff", .unsupported), ("5f4101ff", .unsupported), ("7f6161ff", .unsupported),
            ("bf0101ff", .unsupported),
            ("ff", .unsupported), ("c11a514b67b0", .unsupported), ("a1800100", .unsupported), ("a14000", .unsupported),
            ("a1f500", .unsupported), ("a18000", .unsupported), ("a1a000", .unsupported),
            ("a11bffffffffffffffff00", .unsupported),
        ] as [(String, CBORError)])
    func itemIsRejected(hex: String, error: CBORError) {
        #expect(throws: error) { try decode(hex) }
    }

    /// A library that allocates for the announced length would need more memory than exists.
    /// Security rule JS8.
    @Test(arguments: [
        "9bffffffffffffffff", "9b1000000000000000", "9a7fffffff", "bbffffffffffffffff", "bb1000000000000000",
        "ba7fffffff",
        "5b8000000000000000", "5b7fffffffffffffff", "5a7fffffff", "7bffffffffffffffff",
    ])
    func announcedLengthIsNotAllocated(hex: String) {
        #expect(throws: CBORError.malformed) { try decode(hex) }
    }

    @Test func keysAreComparedInCanonicalOrderOnly() throws {
        let canonical = CBORDecoder(keyOrder: .canonical)
        for hex in ["a202010102", "a2616201616102", "a262616100616200", "a220000100", "a238640020ff"] {
            #expect(throws: CBORError.self) { try canonical.decode(try #require([UInt8](hex: hex))) }
        }
        #expect(throws: CBORError.keyOrder) { try canonical.decode([0xa2, 2, 1, 1, 2]) }
        #expect(try decoder.decode([0xa2, 2, 1, 1, 2]).map?[1] == .unsigned(2))
        for hex in ["a201020304", "a3010020006161f5", "a2616100626161f5", "a5010203262001215820"] {
            #expect(throws: Never.self) {
                let bytes =
                    try #require([UInt8](hex: hex)) + (hex.hasSuffix("5820") ? .init(repeating: 0, count: 33) : [])
                _ = try? canonical.decode(bytes)
            }
        }
        #expect(try canonical.decode([0xa3, 1, 0, 0x20, 0, 0x61, 0x61, 0xf5]).map?["a"] == .bool(true))
    }

    @Test func firstItemReportsItsLength() throws {
        let (value, byteCount) = try decoder.decodeFirst(of: [0xa1, 0x01, 0x41, 0xff, 0xa0, 0x00])
        #expect(value.map?[1] == .bytes([0xff]))
        #expect(byteCount == 4)
    }

    // MARK: Limits

    private func nested(_ depth: Int) -> [UInt8] { .init(repeating: 0x81, count: depth) + [0] }

    @Test func depthIsLimited() {
        #expect(throws: Never.self) { try decoder.decode(nested(4)) }
        #expect(throws: CBORError.tooDeep) { try decoder.decode(nested(5)) }
        #expect(throws: CBORError.tooDeep) { try decoder.decode(nested(100_000)) }
    }

    @Test func itemsAreLimited() throws {
        let decoder = CBORDecoder(maximumItems: 10)
        #expect(try decoder.decode([0x89] + .init(repeating: 0, count: 9)).array?.count == 9)
        #expect(throws: CBORError.tooManyItems) { try decoder.decode([0x8a] + .init(repeating: 0, count: 10)) }
    }

    @Test func bytesAreLimited() {
        let decoder = CBORDecoder(maximumBytes: 10)
        #expect(throws: Never.self) { try decoder.decode([0x49] + .init(repeating: 0, count: 9)) }
        #expect(throws: CBORError.tooLong) { try decoder.decode([0x4a] + .init(repeating: 0, count: 10)) }
    }

    // MARK: Values

    @Test func integerIsNilOutsideOf64Bits() throws {
        #expect(CBORValue.unsigned(UInt64(Int64.max)).integer == .max)
        #expect(CBORValue.unsigned(UInt64(Int64.max) + 1).integer == nil)
        #expect(CBORValue.negative(UInt64(Int64.max)).integer == .min)
        #expect(CBORValue.negative(UInt64(Int64.max) + 1).integer == nil)
        #expect(CBORValue.negative(6).integer == -7)
    }

    /// The Kelvin sign equals K for Swift.
    @Test func textKeysAreComparedByBytes() throws {
        let map = try #require(try decode("a163e284aa01").map)
        #expect(map["\u{212a}"] == .unsigned(1))
        #expect(map["K"] == nil)
    }

    @Test(arguments: 0..<300 as Range<UInt64>) func randomBytesAreReadWithoutTrap(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = (0..<64).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        guard let (_, byteCount) = try? decoder.decodeFirst(of: bytes) else { return }
        #expect((1...bytes.count).contains(byteCount))
    }
}
