import Contracts
import Testing
import UserFiles
import Vocabulary

@Suite struct PasswordHashTextTests {
    private static let key = Secret(OctetString([0xfb, 0xff, 0x01]))
    private static let argon2 = PasswordHashAlgorithm.Argon2Parameters(
        variant: .i, version: .v10, memoryKiB: 64, iterations: 2, parallelism: 3, hashByteCount: 3,
        associatedData: OctetString([7]))
    private static let own = PasswordHashAlgorithm.Argon2Parameters(
        variant: .id, version: .v13, memoryKiB: 19_456, iterations: 2, parallelism: 1, hashByteCount: 3)

    static let hashes: [(PasswordHashAlgorithm, String)] = [
        (.hmac(.sha512, key: key, order: .saltAndPassword), "$hmac-sha512$key=+/8B,o=sp$AQ$AgME"),
        (.hmac(.md5, key: key, order: nil), "$hmac-md5$key=+/8B$AQ$AgME"),
        (.digest(.sha1, rounds: 3, order: .passwordAndSalt), "$digest-sha1$r=3,o=ps$AQ$AgME"),
        (.pbkdf2(.sha256, rounds: 1000), "$pbkdf2-sha256$i=1000$AQ$AgME"),
        (
            .firebaseScrypt(signerKey: key, saltSeparator: OctetString([7]), rounds: 8, memoryCost: 14),
            "$firebase-scrypt$m=14,r=8,sep=Bw,key=+/8B$AQ$AgME"
        ),
        (.scrypt(cost: 16_384, blockSize: 8, parallelization: 1, hashByteCount: 3), "$scrypt$ln=14,r=8,p=1$AQ$AgME"),
        (.argon2(argon2), "$argon2i$v=16$m=64,t=2,p=3,data=Bw$AQ$AgME"),
        (.pepperedArgon2(own, .init(id: "k-1", key: nil)), "$argon2id$v=19$m=19456,t=2,p=1,keyid=k-1$AQ$AgME"),
    ]

    @Test(arguments: hashes) func textHasPHCForm(algorithm: PasswordHashAlgorithm, text: String) {
        let hash = PasswordHashText(algorithm: algorithm, salt: OctetString([1]), hash: OctetString([2, 3, 4]))
        #expect(hash.text == text)
        #expect(PasswordHashText(text) == hash)
    }

    @Test func bcryptHasItsOwnForm() {
        let text = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        let hash = PasswordHashText(
            algorithm: .bcrypt, salt: OctetString([]), hash: OctetString(Array(text.utf8)))
        #expect(hash.text == text)
        #expect(PasswordHashText(text) == hash)
    }

    @Test(arguments: [
        (PasswordHashAlgorithm.shaCrypt, "$6$salt$hash"), (.shaCrypt, "$5$rounds=1000$salt$hash"),
        (
            .prehashedBcrypt(.hexadecimalSHA256),
            "bcrypt_sha256$$2b$04$FWvAdy4fdIRCWfHew/4ceeG7DexeFqNyJwOZBZ9jjbopeShnF1EcO"
        ),
        (
            .prehashedBcrypt(.base64HMACSHA256),
            "$bcrypt-sha256$v=2,t=2b,r=4$MUbMhgRyJ2A89TUHGyyQie$6tz4I4vVY.r4TyhciyrkuhsR883LgRa"
        ),
        (
            .prehashedBcrypt(.base64SHA256),
            "$bcrypt-sha256$2b,12$S/wXq6w6HOdnh7oHvG1wjO$0K/6tmh8qmHBnriK1UuV0y7iyoIKRAW"
        ),
    ])
    func formOfAnotherSystemStays(algorithm: PasswordHashAlgorithm, text: String) {
        let hash = PasswordHashText(text)
        #expect(hash?.algorithm == algorithm)
        #expect(hash?.text == text)
    }

    @Test func saltMayBeEmpty() {
        let text = "$digest-md5$r=0$$AgME"
        #expect(PasswordHashText(text)?.salt == OctetString([]))
        #expect(PasswordHashText(text)?.text == text)
    }

    @Test(arguments: [
        "", "$", "$$", "$scrypt", "$scrypt$AQ", "scrypt$ln=14,r=8,p=1$AQ$AgME", "$scrypt$ln=14,r=8$AQ$AgME",
        "$scrypt$ln=14,r=8,p=1,x=1$AQ$AgME", "$scrypt$ln=14,r=8,p=1,p=1$AQ$AgME", "$scrypt$ln=+4,r=8,p=1$AQ$AgME",
        "$scrypt$ln=31,r=8,p=1$AQ$AgME", "$scrypt$ln=,r=8,p=1$AQ$AgME", "$scrypt$v=1$ln=14,r=8,p=1$AQ$AgME",
        "$scrypt$ln=14,r=9999999999,p=1$AQ$AgME", "$scrypt$ln=14,r=8,p=1$A*$AgME", "$scrypt$ln=14,r=8,p=1$AQ$AgME$",
        "$argon2id$m=64,t=2,p=3$AQ$AgME", "$argon2id$v=18$m=64,t=2,p=3$AQ$AgME", "$argon2x$v=19$m=64,t=2,p=3$AQ$AgME",
        "$argon2id$v=19$m=64,t=2,p=3,data=*$AQ$AgME", "$hmac-sha256$o=sp$AQ$AgME", "$hmac-sha3$key=AQ$AQ$AgME",
        "$hmac-sha256$key=AQ,o=xx$AQ$AgME", "$digest$r=1$AQ$AgME", "$md5$AQ$AgME",
    ])
    func otherTextIsRefused(text: String) {
        #expect(PasswordHashText(text) == nil)
    }

    @Test func lengthIsBounded() {
        let head = "$digest-md5$r=0$$"
        let room = PasswordHashText.maximumBytes - head.utf8.count
        #expect(PasswordHashText(head + String(repeating: "A", count: room - room % 4)) != nil)
        #expect(PasswordHashText(head + String(repeating: "A", count: room - room % 4 + 4)) == nil)
    }
}
