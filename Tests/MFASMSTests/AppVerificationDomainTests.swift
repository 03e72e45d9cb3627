import Contracts
import Crypto
import Foundation
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

@Suite struct AppVerificationDomainTests {
    // MARK: Selection of the proof (REST 2.7)

    private func credential(_ json: String) throws -> MFASMS.AppCredential {
        try WireJSON.decode(MFASMS.AppCredential.self, from: Data(json.utf8))
    }

    private func recaptcha(_ state: String) -> String {
        #"{"recaptchaConfig":{"phoneEnforcementState":"\#(state)","recaptchaKeys":[{"key":"k","type":"IOS"}]}}"#
    }

    @Test(arguments: [
        (
            #"{"deviceReceipt":"r","deviceSecret":"s","bundleID":"b"}"#,
            AppVerificationProof.devicePair(receipt: "r", secret: "s", bundleID: "b")
        ),
        // A pair has precedence over other proofs.
        (
            #"{"deviceReceipt":"r","deviceSecret":"s","recaptchaToken":"t","captchaResponse":"c"}"#,
            .devicePair(receipt: "r", secret: "s", bundleID: nil)
        ),
        (#"{"recaptchaToken":"t","captchaResponse":"NO_RECAPTCHA"}"#, .webToken("t", bundleID: nil)),
        (#"{"recaptchaToken":"t","captchaResponse":"c","bundleID":"b"}"#, .webToken("t", bundleID: "b")),
        (#"{"captchaResponse":"c","clientType":"CLIENT_TYPE_WEB"}"#, .enterpriseToken("c")),
    ])
    func appCredentialSelectsProof(json: String, proof: AppVerificationProof) throws {
        for state in ["OFF", "AUDIT"] {
            #expect(
                try credential(json).proof(requiredBy: AppVerificationFixture.configuration(recaptcha(state))) == proof)
        }
    }

    @Test(
        arguments: [
            ("{}", .missingClientIdentifier), (#"{"bundleID":"b"}"#, .missingClientIdentifier),
            (#"{"recaptchaToken":"","deviceReceipt":""}"#, .missingClientIdentifier),
            (#"{"clientType":"CLIENT_TYPE_IOS"}"#, .missingAppCredential),
            (#"{"captchaResponse":"NO_RECAPTCHA"}"#, .missingAppCredential),
            (#"{"deviceReceipt":"r"}"#, .missingAppCredential), (#"{"deviceSecret":"s"}"#, .missingAppCredential),
            (#"{"deviceReceipt":"r","deviceSecret":"","recaptchaToken":"t"}"#, .missingAppCredential),
            (#"{"playIntegrityToken":"p"}"#, .invalidAppCredential),
            (#"{"safetyNetToken":"p","clientType":"CLIENT_TYPE_ANDROID"}"#, .invalidAppCredential),
        ] as [(String, WireError.Code)])
    func incompleteAppCredentialIsRejected(json: String, code: WireError.Code) throws {
        #expect(throws: ServiceError(code)) { try credential(json).proof(requiredBy: .init()) }
    }

    /// Applies only to platforms that have a site key: clients of other platforms cannot send a token.
    @Test func enforcedEnterpriseRequiresRecaptchaToken() throws {
        let enforced = try AppVerificationFixture.configuration(recaptcha("ENFORCE"))
        let pair = #""deviceReceipt":"r","deviceSecret":"s""#
        for captcha in ["", #","captchaResponse":"NO_RECAPTCHA""#] {
            let credential = try credential(#"{"clientType":"CLIENT_TYPE_IOS",\#(pair)\#(captcha)}"#)
            #expect(throws: ServiceError(.missingRecaptchaToken)) { try credential.proof(requiredBy: enforced) }
        }
        let token = try credential(#"{"clientType":"CLIENT_TYPE_IOS",\#(pair),"captchaResponse":"c"}"#)
        #expect(try token.proof(requiredBy: enforced) == .enterpriseToken("c"))
        let web = try credential(#"{"clientType":"CLIENT_TYPE_WEB","recaptchaToken":"t"}"#)
        #expect(try web.proof(requiredBy: enforced) == .webToken("t", bundleID: nil))
    }

    // MARK: Devices (REST 2.15)

    private static let token = String(repeating: "9F86D081", count: 8)

    @Test func deviceTokenIsNormalized() throws {
        let device = try PushDevice(
            token: Self.token, bundleID: "org.example.app", in: AppVerificationFixture.configuration(), isDev: false)
        #expect(device.token == Self.token.lowercased() && device.bundleID == "org.example.app")
    }

    @Test(
        arguments: [
            (nil, "org.example.app", .missingDeviceToken), ("", "org.example.app", .missingDeviceToken),
            (token, nil, .missingIOSBundleID), (token, "", .missingIOSBundleID),
            (token, "org.example.stranger", .invalidAppCredential), (token, "org.example.App", .invalidAppCredential),
            (token, "org.example.app\n", .invalidAppCredential), ("ab", "org.example.app", .invalidAppCredential),
            (String(repeating: "a", count: 202), "org.example.app", .invalidAppCredential),
            (String(repeating: "a", count: 63), "org.example.app", .invalidAppCredential),
            (String(repeating: "g", count: 64), "org.example.app", .invalidAppCredential),
            (String(repeating: "１", count: 64), "org.example.app", .invalidAppCredential),
        ] as [(String?, String?, WireError.Code)])
    func invalidDeviceIsRejected(token: String?, bundleID: String?, code: WireError.Code) throws {
        let configuration = try AppVerificationFixture.configuration()
        #expect(throws: ServiceError(code)) {
            try PushDevice(token: token, bundleID: bundleID, in: configuration, isDev: false)
        }
    }

    @Test func unregisteredApplicationIsRejectedExceptInDevMode() throws {
        let none = ProjectConfiguration()
        #expect(throws: ServiceError(.invalidAppCredential)) {
            try PushDevice(token: Self.token, bundleID: "org.example.app", in: none, isDev: false)
        }
        _ = try PushDevice(token: Self.token, bundleID: "org.example.app", in: none, isDev: true)
        // After the first registration only registered applications are accepted.
        #expect(throws: ServiceError(.invalidAppCredential)) {
            try PushDevice(token: Self.token, bundleID: "x.y", in: AppVerificationFixture.configuration(), isDev: true)
        }
    }

    // MARK: Challenges

    private let key = Random.bytes(32)
    private let now = Moment(milliseconds: 1_700_000_000_000)
    private let project = ProjectID("p")

    private func challenge(_ bits: Int) -> ProofOfWorkChallenge {
        ProofOfWorkChallenge(bits: bits, for: project, at: now, key: key, random: Random.bytes)
    }

    @Test func challengeEncodesDifficultyAndFitsOneHashBlock() throws {
        let made = challenge(20)
        #expect(made.text.utf8.count == 40 && made.bits == 20)
        // Challenge, colon and answer fit into one block of the hash: 64 bytes less 9.
        #expect(made.text.utf8.count + 1 + ProofOfWorkChallenge.maximumAnswerDigits == 55)
        #expect(try #require(ProofOfWorkChallenge(made.text, for: project, key: key)) == made)
        #expect(!made.isExpired(at: now + ProofOfWorkChallenge.lifetime))
        #expect(made.isExpired(at: now + ProofOfWorkChallenge.lifetime + .seconds(1)))
    }

    @Test func modifiedChallengeIsRejected() throws {
        let text = challenge(20).text
        let bytes = try #require(Base64URL.decode(text))
        for index in bytes.indices {
            for bit in 0..<8 {
                var touched = bytes
                touched[index] ^= 1 << bit
                #expect(ProofOfWorkChallenge(Base64URL.encode(touched), for: project, key: key) == nil)
            }
        }
        #expect(ProofOfWorkChallenge(text, for: ProjectID("q"), key: key) == nil)
        #expect(ProofOfWorkChallenge(text, for: project, key: Random.bytes(32)) == nil)
        for other in ["", text + "A", String(text.dropLast()), text + "=", String(repeating: "é", count: 20)] {
            #expect(ProofOfWorkChallenge(other, for: project, key: key) == nil)
        }
    }

    @Test(
        arguments: [
            ([0xff], 0), ([0x80], 0), ([0x7f], 1), ([0x01, 0xff], 7), ([0x00, 0xff], 8), ([0x00, 0x7f], 9),
            ([0x00, 0x00, 0x10], 19), ([0x00, 0x00, 0x0f], 20), ([0x00, 0x00], 16), ([], 0),
        ] as [([UInt8], Int)])
    func leadingZeroBitsAreCounted(digest: [UInt8], bits: Int) {
        #expect(ProofOfWorkChallenge.leadingZeroBits(digest) == bits)
    }

    /// An answer is valid up to the number of leading zero bits of its hash, and not for one more.
    @Test(arguments: 0..<20)
    func answerSolvesExactlyTheLeadingZeroBitsOfItsHash(round: Int) {
        let answer = String(round * 7919)
        for received in 0...12 {
            let made = challenge(received)
            let found = ProofOfWorkChallenge.leadingZeroBits(SHA2.sha256(Array("\(made.text):\(answer)".utf8)))
            #expect(made.isSolved(by: answer) == (found >= received))
        }
    }

    @Test(arguments: ["", "-1", "+1", " 1", "1.0", "0x1", "123456789012345", "１", "1\n"])
    func nonNumericAnswerIsRejected(answer: String) {
        #expect(!challenge(0).isSolved(by: answer))
    }

    @Test(arguments: [
        (0, 20), (7, 20), (8, 21), (15, 21), (16, 22), (31, 22), (32, 23), (64, 24), (1 << 20, 28), (Int.max, 28),
    ])
    func difficultyGrowsWithFinishedChallengesOfNetwork(finished: Int, bits: Int) {
        #expect(ProofOfWorkChallenge.bits(base: 20, afterFinishing: finished) == bits)
    }

    @Test func difficultyHasUpperBound() {
        #expect(ProofOfWorkChallenge.bits(base: 28, afterFinishing: .max) == 32)
    }

    // MARK: reCAPTCHA responses

    @Test(arguments: [
        (200, #"{"success":true,"hostname":"auth.example.org","challenge_ts":"x"}"#, RecaptchaResponse.valid),
        (200, #"{"success":true,"hostname":"AUTH.example.org"}"#, .valid),
        (200, #"{"success":true,"hostname":"evil.example"}"#, .invalid), (200, #"{"success":true}"#, .invalid),
        (200, #"{"success":true,"apk_package_name":"org.example"}"#, .invalid),
        (200, #"{"success":true,"hostname":"auth.example.org","score":0.4}"#, .valid),
        (200, #"{"success":true,"hostname":"auth.example.org","score":0.3}"#, .invalid),
        (200, #"{"success":false,"error-codes":["timeout-or-duplicate"]}"#, .invalid),
        (200, #"{"success":false}"#, .invalid),
        (200, #"{"success":false,"error-codes":["invalid-input-secret"]}"#, .indeterminate(.secretRefused)),
        (500, #"{"success":true,"hostname":"auth.example.org"}"#, .indeterminate(.unreadable)),
        (200, "", .indeterminate(.unreadable)), (200, "<html>", .indeterminate(.unreadable)),
        (200, #"{"success":"yes"}"#, .indeterminate(.unreadable)), (200, "[]", .indeterminate(.unreadable)),
    ])
    func recaptchaResponseIsParsed(status: Int, body: String, answer: RecaptchaResponse) throws {
        let configuration = try AppVerificationFixture.configuration()
        #expect(RecaptchaResponse(Data(body.utf8), status: status, for: configuration) == answer)
    }
}
