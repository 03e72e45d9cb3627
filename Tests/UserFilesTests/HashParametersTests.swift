import Contracts
import Testing
import UserFiles
import Vocabulary

@Suite struct HashParametersTests {
    private static let key = Secret(OctetString([0xfb, 0xff]))

    @Test(
        arguments: [
            ("hmac_sha256", [.key: "+/8="], .hmac(.sha256, key: key, order: nil)),
            ("HMAC_MD5", [.key: "-_8", .inputOrder: "salt_first"], .hmac(.md5, key: key, order: .saltAndPassword)),
            (
                "SHA1", [.rounds: "3", .inputOrder: "PASSWORD_FIRST"],
                .digest(.sha1, rounds: 3, order: .passwordAndSalt)
            ),
            ("MD5", [.rounds: "0"], .digest(.md5, rounds: 0, order: nil)),
            ("PBKDF_SHA1", [.rounds: "10"], .pbkdf2(.sha1, rounds: 10)),
            ("PBKDF2_SHA256", [.rounds: "10"], .pbkdf2(.sha256, rounds: 10)),
            (
                "SCRYPT", [.key: "+/8=", .saltSeparator: "Bw==", .rounds: "8", .memoryCost: "14"],
                .firebaseScrypt(signerKey: key, saltSeparator: OctetString([7]), rounds: 8, memoryCost: 14)
            ),
            (
                "STANDARD_SCRYPT",
                [.memoryCost: "1024", .blockSize: "8", .parallelization: "2", .derivedKeyBytes: "64"],
                .scrypt(cost: 1024, blockSize: 8, parallelization: 2, hashByteCount: 64)
            ),
            ("BCRYPT", [:], .bcrypt),
        ] as [(String, [HashParameters.Name: String], PasswordHashAlgorithm)])
    func optionsOfFirebaseAreKnown(
        name: String, values: [HashParameters.Name: String], algorithm: PasswordHashAlgorithm
    ) throws {
        #expect(try HashParameters(algorithmName: name, values: values).algorithm() == algorithm)
        #expect(try HashParameters(describing: algorithm)?.algorithm() == algorithm)
    }

    @Test func optionsHaveOneLine() {
        let algorithm = PasswordHashAlgorithm.firebaseScrypt(
            signerKey: Self.key, saltSeparator: OctetString([7]), rounds: 8, memoryCost: 14)
        #expect(
            HashParameters(describing: algorithm)?.optionsText
                == "--hash-algo=SCRYPT --hash-key=+/8= --salt-separator=Bw== --rounds=8 --mem-cost=14")
    }

    @Test(
        arguments: [
            ("ROT13", [:], .unknownAlgorithm("ROT13")), ("SCRYPT", [.rounds: "8", .memoryCost: "14"], .missing(.key)),
            ("SCRYPT", [.key: "*", .rounds: "8", .memoryCost: "14"], .malformed(.key, expects: "base64")),
            ("SCRYPT", [.key: "AA==", .memoryCost: "14"], .missing(.rounds)),
            ("SHA1", [.rounds: "-1"], .malformed(.rounds, expects: "a number")),
            ("SHA1", [.rounds: "99999999999"], .malformed(.rounds, expects: "a number")),
            ("BCRYPT", [.rounds: "8"], .withoutEffect("rounds")),
            (
                "SHA1", [.rounds: "1", .inputOrder: "BOTH"],
                .malformed(.inputOrder, expects: "SALT_FIRST or PASSWORD_FIRST")
            ),
        ] as [(String, [HashParameters.Name: String], HashParametersError)])
    func invalidOptionIsNamed(name: String, values: [HashParameters.Name: String], error: HashParametersError) {
        #expect(throws: error) { try HashParameters(algorithmName: name, values: values).algorithm() }
    }

    @Test func textOfTheConsoleIsRead() throws {
        let text = """
            hash_config {
              algorithm: SCRYPT,
              base64_signer_key: +/8=,
              base64_salt_separator: Bw==,
              rounds: 8,
              mem_cost: 14,
            }

            """
        #expect(
            try HashParameters(console: text).algorithm()
                == .firebaseScrypt(signerKey: Self.key, saltSeparator: OctetString([7]), rounds: 8, memoryCost: 14))
    }

    @Test(
        arguments: [
            ("", .unknownAlgorithm("")), ("rounds: 8", .unknownAlgorithm("")), ("algorithm:", .malformedLine(1)),
            ("algorithm: SCRYPT\nsalt: x", .malformedLine(2)), ("rounds: 8\nrounds: 8", .malformedLine(2)),
            ("{\"algorithm\": \"SCRYPT\"}", .malformedLine(1)),
        ] as [(String, HashParametersError)])
    func malformedTextIsNamed(text: String, error: HashParametersError) {
        #expect(throws: error) { try HashParameters(console: text) }
    }
}
