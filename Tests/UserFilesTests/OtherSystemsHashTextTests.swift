import Contracts
import Testing
import UserFiles
import Vocabulary

/// That the passwords match is tested with identity.
@Suite struct OtherSystemsHashTextTests {
    static let hashes: [(String, PasswordHashAlgorithm, salt: [UInt8], hash: [UInt8])] = [
        ("pbkdf2_sha256$600000$ab$AgME", .pbkdf2(.sha256, rounds: 600_000), Array("ab".utf8), [2, 3, 4]),
        ("pbkdf2_sha1$7$$AgME", .pbkdf2(.sha1, rounds: 7), [], [2, 3, 4]),
        (
            "scrypt$16$ab$8$5$AgME", .scrypt(cost: 16, blockSize: 8, parallelization: 5, hashByteCount: 3),
            Array("ab".utf8), [2, 3, 4]
        ),
        ("md5$ab$0aFF", .digest(.md5, rounds: 1, order: .saltAndPassword), Array("ab".utf8), [10, 255]),
        ("sha1$$00", .digest(.sha1, rounds: 1, order: .saltAndPassword), [], [0]),
        ("$pbkdf2-sha512$29000$AQ$..8", .pbkdf2(.sha512, rounds: 29_000), [1], [0xfb, 0xef]),
        (
            "{MD5}AAECAwQFBgcICQoLDA0ODw==", .digest(.md5, rounds: 1, order: .passwordAndSalt), [],
            Array(0..<16 as Range<UInt8>)
        ),
        (
            "{smd5}AAECAwQFBgcICQoLDA0ODxAR", .digest(.md5, rounds: 1, order: .passwordAndSalt), [16, 17],
            Array(0..<16 as Range<UInt8>)
        ),
    ]

    @Test(arguments: hashes)
    func formIsRead(text: String, algorithm: PasswordHashAlgorithm, salt: [UInt8], hash: [UInt8]) {
        #expect(
            PasswordHashText(text)
                == PasswordHashText(algorithm: algorithm, salt: OctetString(salt), hash: OctetString(hash)))
    }

    @Test(
        arguments: [
            ("$1$LVEGfTam$oTgbBYGw3ToNSXhXiL8kU/", "$1$"), ("$y$j9T$salt$hash", "$y$"),
            ("{CLEARTEXT}secret", "{CLEARTEXT}"), ("{SSHA}AAAA", "{SSHA}"), ("{CRYPT}{CRYPT}x", "{CRYPT}"),
            ("{CRYPT}abJnggxhB/yWI", "{CRYPT}"), ("pbkdf2_sha512$1$a$AgME", "pbkdf2_sha512"),
            ("pbkdf2_sha256$x$a$AgME", "pbkdf2_sha256"), ("pbkdf2_sha256$1$a$*", "pbkdf2_sha256"),
            ("scrypt$15$ab$8$5$AgME", "scrypt"), ("md5$ab$0", "md5"), ("bcrypt$plain", "bcrypt"),
            ("$bcrypt-sha256$v=3,t=2b,r=4$a$b", "$bcrypt-sha256$"), ("$bcrypt-sha256$2b,4$short$b", "$bcrypt-sha256$"),
            ("secret word$", nil), ("$secret", nil), ("{secret", nil), (String(repeating: "a", count: 25) + "$", nil),
        ] as [(String, String?)])
    func otherFormIsNamed(text: String, name: String?) {
        #expect(PasswordHashText(text) == nil)
        #expect(PasswordHashText.formName(of: text) == name)
    }
}
