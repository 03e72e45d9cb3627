import Contracts
import Crypto
import PasswordFilter
import Testing

@testable import IdentityService

@Suite struct PasswordTests {
    @Test func composedAndDecomposedLettersAreEqual() throws {
        let composed = try #require(Password("caf\u{e9}-au-lait"))
        let decomposed = try #require(Password("cafe\u{301}-au-lait"))
        #expect(composed.bytes == decomposed.bytes)
    }

    @Test(arguments: ["correct horse ", " correct horse", "Correct horse", "correct horse\0", "correct  horse"])
    func otherDifferencesAreSignificant(other: String) throws {
        let password = try #require(Password("correct horse"))
        #expect(try #require(Password(other)).bytes != password.bytes)
    }

    @Test func lengthCountsCodePoints() throws {
        #expect(try #require(Password(String(repeating: "🔑", count: 64))).length == 64)
    }

    @Test func byteLengthIsBounded() {
        #expect(Password(String(repeating: "x", count: Password.maximumBytes)) != nil)
        #expect(Password(String(repeating: "x", count: Password.maximumBytes + 1)) == nil)
        // NFKC expands this letter to eighteen.
        #expect(Password(String(repeating: "\u{fdfa}", count: 200)) == nil)
    }

    @Test func recordRoundTrips() throws {
        let record = PasswordRecord(
            parameters: Argon2.Parameters.standard, pepperID: "0badcafe", salt: Array(0..<16), tag: Array(0..<32))
        #expect(record.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1,keyid=0badcafe$"))
        #expect(PasswordRecord(record.text) == record)
    }

    @Test(arguments: [
        "", "$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA", "$argon2i$v=19$m=1,t=1,p=1,keyid=a$AAAA$AAAA",
        "$argon2id$v=16$m=1,t=1,p=1,keyid=a$AAAA$AAAA", "$argon2id$v=19$m=x,t=1,p=1,keyid=a$AAAA$AAAA",
        "$argon2id$v=19$m=1,t=1,p=1,keyid=a$A+A/$AAAA", "$argon2id$v=19$m=1,t=1,p=1,keyid=a$AAAA$AAAA$",
    ])
    func malformedRecordIsRejected(text: String) {
        #expect(PasswordRecord(text) == nil)
    }

    /// OWASP ASVS 11.4.2: these values may only increase.
    @Test func parametersMeetMinimum() {
        let parameters = Argon2.Parameters.standard
        #expect(parameters.memoryKiB >= 19_456 && parameters.iterations >= 2 && parameters.parallelism >= 1)
        #expect(parameters.tagBytes >= 32 && PasswordRecord.saltBytes >= 16)
    }
}

@Suite struct PasswordRulesTests {
    static let compatible = PasswordRules(minimumLength: 6, refusesGuessable: false)
    static let strict = PasswordRules(minimumLength: 15, refusesGuessable: true)

    static func decision(_ rules: PasswordRules, _ text: String, names: [String] = []) -> ServiceError? {
        do throws(ServiceError) {
            try rules.check(Password(text)!, names: names, isCommon: PasswordFilter.standard.contains)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (compatible, "12345", ServiceError.weakPassword(.shorterThan(6))), (compatible, "123456", nil),
            (strict, "fourteen-chars", .weakPassword(.shorterThan(15))), (strict, "fifteen-letters", nil),
            (strict, "1qaz2wsx3edc4rfv", .weakPassword(.blocklisted)),
            (strict, "1QAZ2wsx3edc4RFV", .weakPassword(.blocklisted)),
            (strict, "someone@example.com", .weakPassword(.blocklisted)),
            (strict, "aaaaabbbbbccccc", .weakPassword(.blocklisted)),
        ] as [(PasswordRules, String, ServiceError?)])
    func passwordRulesCheckLengthAndBlocklist(rules: PasswordRules, text: String, expected: ServiceError?) {
        #expect(Self.decision(rules, text, names: ["Someone@Example.com"]) == expected)
    }

    @Test(
        arguments: [
            ("Longenough1", []), ("Short1", [.atLeast(characters: 10)]), ("nouppercase1", [.uppercase]),
            ("NoDigitsHere", [.numeric]),
            ("short", [.atLeast(characters: 10), .uppercase, .numeric]),
            (String(repeating: "Aa1", count: 7), [.atMost(characters: 20)]),
            ("ÄÖÜ-gröÙe-٣", []),
        ] as [(String, [UnmetPasswordRequirement])])
    func enforcedPolicyNamesEveryViolation(text: String, missing: [UnmetPasswordRequirement]) {
        let policy = PasswordRules.Policy(
            lengths: 10...20, demandsLowercase: true, demandsUppercase: true, demandsNumeric: true,
            demandsNonAlphanumeric: false)
        let rules = PasswordRules(minimumLength: 15, refusesGuessable: false, policy: policy)
        #expect(Self.decision(rules, text) == (missing.isEmpty ? nil : .passwordPolicyViolated(missing)))
    }
}
