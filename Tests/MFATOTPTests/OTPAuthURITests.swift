import Crypto
import TestSupport
import Testing

@testable import MFATOTPService

/// `Tests/Vectors/otpauth.json`.
private struct Vectors: Decodable {
    struct Valid: Decodable {
        var uri: String
        var type: String
        var issuer: String?
        var account: String
        var secretHex: String
        var algorithm: String
        var digits: Int
        var period: Int?
        var counter: UInt64?
    }
    struct Invalid: Decodable {
        var uri: String
        var why: String
    }
    struct Build: Decodable {
        var issuer: String
        var account: String
        var why: String
    }
    var valid: [Valid]
    var invalid: [Invalid]
    var build: [Build]

    static func load() throws -> Vectors { try VectorFile.load("otpauth.json") }
}

@Suite struct OTPAuthURITests {
    private static let secret = Array("12345678901234567890".utf8)

    @Test func vectorsAreRead() throws {
        let vectors = try Vectors.load().valid
        #expect(vectors.count == 5)
        for vector in vectors {
            let uri = try OTPAuthURI(vector.uri)
            switch uri.factor {
            case .totp(let periodSeconds): #expect((vector.type, vector.period) == ("totp", periodSeconds))
            case .hotp(let counter): #expect((vector.type, vector.counter) == ("hotp", counter))
            }
            #expect((uri.issuer, uri.account) == (vector.issuer, vector.account))
            #expect(uri.secret == [UInt8](hex: vector.secretHex))
            #expect((uri.algorithm.rawValue, uri.digits) == (vector.algorithm, vector.digits))
            // Its text parses to the same value.
            #expect(try OTPAuthURI(uri.text) == uri)
        }
    }

    @Test func invalidVectorsAreRefused() throws {
        let vectors = try Vectors.load().invalid
        #expect(vectors.count == 9)
        for vector in vectors {
            #expect(throws: OTPAuthURIError.self, "\(vector.why)") { try OTPAuthURI(vector.uri) }
        }
    }

    @Test(
        arguments: [
            ("otpauth://totp/a?secret=MZXW6YTB&secret=MZXW6YTB", .repeatedMember),
            ("otpauth://totp/a?secret=MZXW6YTB&digits=9", .numberOutOfRange),
            ("otpauth://totp/a?secret=MZXW6YTB&digits=six", .numberOutOfRange),
            ("otpauth://totp/a?secret=MZXW6YTB&period=-30", .numberOutOfRange),
            ("otpauth://hotp/a?secret=MZXW6YTB&counter=-1", .numberOutOfRange),
            ("otpauth://totp/a%ZZ?secret=MZXW6YTB", .malformedLabel),
            ("otpauth://totp/a%4?secret=MZXW6YTB", .malformedLabel),
            ("otpauth://totp/%FF?secret=MZXW6YTB", .malformedLabel),
            ("otpauth://totp?secret=MZXW6YTB", .malformedLabel),
            ("otpauth://totp/?secret=MZXW6YTB", .invalidName), ("otpauth://totp/a:b:c?secret=MZXW6YTB", .invalidName),
            ("otpauth://totp/a?secret=MZXW6YTB&issuer=a%0Ab", .invalidName),
            ("otpauth:/totp/a?secret=MZXW6YTB", .notOTPAuth),
            ("", .notOTPAuth), ("otpauth://", .malformedLabel),
            ("otpauth://totp/a?secret=" + String(repeating: "A", count: 3000), .tooLong),
        ] as [(String, OTPAuthURIError)])
    func errorNamesDefect(uri: String, fault: OTPAuthURIError) {
        #expect(throws: fault) { try OTPAuthURI(uri) }
    }

    /// Security rule TO10.
    @Test func namesCannotChangeURIStructure() throws {
        for vector in try Vectors.load().build {
            guard let uri = try? OTPAuthURI(issuer: vector.issuer, account: vector.account, secret: Self.secret) else {
                // `try?`: a colon or a control character is rejected.
                #expect(vector.issuer.contains { $0 == ":" || $0.isNewline }, "\(vector.why)")
                continue
            }
            let read = try OTPAuthURI(uri.text)
            #expect((read.issuer, read.account) == (vector.issuer, vector.account))
            #expect(read.secret == Self.secret)
        }
        #expect(throws: OTPAuthURIError.invalidName) {
            try OTPAuthURI(issuer: nil, account: "a:b", secret: Self.secret)
        }
        #expect(throws: OTPAuthURIError.invalidName) { try OTPAuthURI(issuer: "", account: "a", secret: Self.secret) }
        #expect(throws: OTPAuthURIError.missingSecret) { try OTPAuthURI(issuer: nil, account: "a", secret: []) }
        #expect(throws: OTPAuthURIError.numberOutOfRange) {
            try OTPAuthURI(.totp(periodSeconds: 0), issuer: nil, account: "a", secret: Self.secret)
        }
        #expect(throws: OTPAuthURIError.numberOutOfRange) {
            try OTPAuthURI(issuer: nil, account: "a", secret: Self.secret, digits: 5)
        }
        #expect(OTPAuthURI.sanitizedLabel("a:b\r\nc\u{2028}d\u{7f}") == "abcd")
    }

    @Test func textStatesEveryParameter() throws {
        let uri = try OTPAuthURI(issuer: "ACME Co", account: "zoë+1@example.com", secret: Self.secret)
        #expect(
            uri.text
                == "otpauth://totp/ACME%20Co:zo%C3%AB%2B1%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                + "&issuer=ACME%20Co&algorithm=SHA1&digits=6&period=30")
    }

    /// Property: any names survive a round trip.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func randomNamesRoundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func name() -> String {
            let scalars = (0..<Int.random(in: 1...20, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0x20...0x2fff, using: &random))
            }
            let name = OTPAuthURI.sanitizedLabel(String(String.UnicodeScalarView(scalars)))
            // Parsers ignore spaces before an account.
            return "x" + name
        }
        let uri = try OTPAuthURI(
            issuer: name(), account: name(), secret: random.bytes(Int.random(in: 1...40, using: &random)))
        #expect(try OTPAuthURI(uri.text) == uri)
    }
}
