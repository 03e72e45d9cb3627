import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import MFATOTPService

/// `Tests/Vectors/hotp-totp.json`.
struct OTPVectors: Decodable {
    struct HOTP: Decodable {
        struct Case: Decodable {
            var counter: Int64
            var hmacSha1: String
            var otp: String
        }
        var secretHex: String
        var cases: [Case]
    }
    struct TOTP: Decodable {
        var algorithm: String
        var secretHex: String
        var unixTime: Int64
        var step: Int64
        var otp: String
    }
    struct Later: Decodable {
        var secretBase32: String
        var step: Int64
        var unixTime: Int64
        var otp: String
    }
    struct Behaviour: Decodable, CustomTestStringConvertible {
        var id: String
        var secretBase32: String
        var window: Int
        var unixTime: Int64
        var lastUsedStep: Int64?
        var code: String
        var accept: Bool
        var matchedStep: Int64?
        var lastUsedStepAfter: Int64?

        var testDescription: String { id }
    }
    var rfc4226: HOTP
    var rfc6238: [TOTP]
    var beyond2038: [Later]
    var behaviour: [Behaviour]

    static let all = Result { try VectorFile.load("hotp-totp.json", as: OTPVectors.self) }
}

@Suite struct TOTPCodeTests {
    @Test func codesMatchHOTPTable() throws {
        let table = try OTPVectors.all.get().rfc4226
        let secret = try #require([UInt8](hex: table.secretHex))
        #expect(table.cases.count == 10)
        for row in table.cases {
            #expect(TOTPCode(secret: secret, step: row.counter).text == row.otp)
            #expect(TOTPCode.truncated(try #require([UInt8](hex: row.hmacSha1))) % 1_000_000 == UInt32(row.otp))
        }
    }

    /// The table has eight digits: a code is the last six of them. Truncation is the same for longer hashes.
    @Test func codesMatchTOTPTable() throws {
        for row in try OTPVectors.all.get().rfc6238 {
            let secret = try #require([UInt8](hex: row.secretHex))
            #expect(TOTPCode.step(at: Moment(milliseconds: row.unixTime * 1000)) == row.step)
            if row.algorithm == "SHA1" {
                #expect(TOTPCode(secret: secret, step: row.step).text == row.otp.suffix(6))
            }
            let counter = withUnsafeBytes(of: row.step.bigEndian, Array.init)
            let mac =
                switch row.algorithm {
                case "SHA1": HMAC.sha1(key: secret, message: counter)
                case "SHA256": HMAC.sha256(key: secret, message: counter)
                default: HMAC.sha512(key: secret, message: counter)
                }
            #expect(TOTPCode.truncated(mac) % 100_000_000 == UInt32(row.otp))
        }
    }

    @Test func codesMatchVectorsBeyond2038() throws {
        for row in try OTPVectors.all.get().beyond2038 {
            let now = Moment(milliseconds: row.unixTime * 1000)
            let secret = try #require(Base32.decode(row.secretBase32))
            #expect(TOTPCode.step(at: now) == row.step)
            #expect(TOTPCode(secret: secret, step: row.step).text == row.otp)
            var factor = TOTPFactor(lastStep: row.step - 1, acceptedAt: now)
            #expect(factor.verify(TOTPCode(row.otp), secret: secret, window: 0, at: now) == .accepted)
            #expect(factor.lastStep == row.step)
        }
    }

    @Test(
        arguments: [
            (0, 0), (29_999, 0), (30_000, 1), (-1, -1), (-30_000, -1), (-30_001, -2), (Int64.max, Int64.max / 30_000),
        ] as [(Int64, Int64)])
    func stepLastsThirtySeconds(milliseconds: Int64, step: Int64) {
        #expect(TOTPCode.step(at: Moment(milliseconds: milliseconds)) == step)
    }

    /// Security rule TO9.
    @Test(arguments: [
        "", "12345", "1234567", "abcdef", "１２３４５６", "-12345", " 12345", "12345 ", "123 456", "+12345", "12345\n",
        "١٢٣٤٥٦", "12345\u{0}", "0x1234", "1e5000",
    ])
    func codeRequiresSixASCIIDigits(text: String) {
        #expect(TOTPCode(text) == nil)
    }

    @Test func codeIsRedactedInDescriptions() throws {
        let code = try #require(TOTPCode("123456"))
        #expect("\(code) \(String(reflecting: code))".contains("123456") == false)
        var dumped = ""
        dump(code, to: &dumped)
        #expect(!dumped.contains("49"))
    }

    /// Every textual form of a code keeps its leading zeros and has six characters.
    @Test func keepsLeadingZeros() {
        let secret = Array(repeating: UInt8(7), count: 20)
        let codes = (0..<5000).map { TOTPCode(secret: secret, step: $0).text }
        #expect(codes.allSatisfy { $0.count == 6 })
        #expect(codes.contains { $0.hasPrefix("0") })
    }
}
