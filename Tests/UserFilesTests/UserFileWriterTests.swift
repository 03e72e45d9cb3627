import Contracts
import Testing
import UserFiles
import Vocabulary

@Suite struct UserFileWriterTests {
    private static let realm = Realm(project: ProjectID("p"))
    private static let scrypt = PasswordHashAlgorithm.firebaseScrypt(
        signerKey: Secret(OctetString([1])), saltSeparator: OctetString([2]), rounds: 8, memoryCost: 14)
    private static let own = PasswordHashAlgorithm.pepperedArgon2(
        .init(variant: .id, version: .v13, memoryKiB: 64, iterations: 1, parallelism: 1, hashByteCount: 3),
        .init(id: "k", key: Secret(OctetString([3]))))

    private static func account(
        _ id: String, _ algorithm: PasswordHashAlgorithm? = nil, providers: [ProviderLink] = [],
        factors: [SecondFactor] = [], deletionDueAt: Moment? = nil
    ) -> Identity.ExportedAccount {
        .init(
            account: Account(
                id: AccountID(id), realm: realm, email: EmailAddress("\(id)@example.com"), emailVerified: true,
                displayName: "A, \"b\"\nc", hasPassword: algorithm != nil, passwordChangedAt: nil,
                validSince: Timestamp(seconds: 1), createdAt: Moment(milliseconds: 2),
                lastSignInAt: Moment(milliseconds: 3), deletionDueAt: deletionDueAt,
                customClaims: #"{"a":"x\"y"}"#, providers: providers,
                secondFactors: factors),
            password: algorithm.map {
                .init(
                    algorithm: $0, salt: OctetString([1]),
                    hash: Secret(OctetString($0 == .bcrypt ? Array("$2a$05$x".utf8) : [0xfb, 0xff, 0])))
            })
    }

    private static func file(
        _ format: UserFileFormat, _ pages: [[Identity.ExportedAccount]], hashes: Bool = true
    ) throws -> (text: String, writer: UserFileWriter) {
        var writer = UserFileWriter(format, includesHashes: hashes)
        let body = try pages.map { try writer.text(of: $0) }.joined()
        return (writer.head + body + writer.tail, writer)
    }

    @Test(arguments: UserFileFormat.allCases) func writtenFileIsReadAgain(format: UserFileFormat) throws {
        let google = ProviderLink(providerID: "google.com", providerAccountID: "g", email: "g@example.com")
        let dueAt = Moment(milliseconds: 4_000)
        let pages = [
            [Self.account("a", Self.scrypt, providers: [google], deletionDueAt: dueAt), Self.account("b")],
            [Self.account("c")],
        ]
        let (text, writer) = try Self.file(format, pages)
        // The files of Firebase have no field for it.
        let omissions: [ExportOmission: Int] = format == .jsonl ? [:] : [.deletionTime: 1]
        #expect((writer.accountCount, writer.omissions) == (3, omissions))
        let records = try UserFileReaderTests.read(text, format, hashes: Self.scrypt)
        #expect(records.map(\.localID) == ["a", "b", "c"])
        let first = try #require(records.first).content.get()
        #expect(first.account.profile.displayName == "A, \"b\"\nc")
        #expect(first.account.profile.customClaims == #"{"a":"x\"y"}"#)
        #expect(first.account.profile.createdAt == Moment(milliseconds: 2))
        #expect(first.account.profile.lastSignInAt == Moment(milliseconds: 3))
        #expect(first.account.deletionDueAt == (format == .jsonl ? dueAt : nil))
        #expect(first.account.links == [google])
        #expect(first.account.passwordHash == OctetString([0xfb, 0xff, 0]))
        #expect(first.account.salt == OctetString([1]))
        #expect(first.account.algorithm ?? Self.scrypt == Self.scrypt)
        let without = try Self.file(format, pages, hashes: false).text
        #expect(
            try UserFileReaderTests.read(without, format).allSatisfy {
                try $0.content.get().account.passwordHash == nil
            })
    }

    @Test(arguments: UserFileFormat.allCases) func emptyFileIsReadAgain(format: UserFileFormat) throws {
        #expect(try UserFileReaderTests.read(Self.file(format, []).text, format).isEmpty)
    }

    @Test func firebaseFilesHaveTheFieldsOfFirebase() throws {
        let account = Self.account("a", Self.scrypt)
        #expect(
            try Self.file(.json, [[account]]).text == """
                {"users": [
                {"createdAt":"2","customAttributes":"{\\"a\\":\\"x\\\\\\"y\\"}","disabled":false,"displayName":"A, \\"b\\"\\nc",\
                "email":"a@example.com","emailVerified":true,"lastSignedInAt":"3","localId":"a","passwordHash":"+/8A",\
                "providerUserInfo":[],"salt":"AQ=="}]}

                """)
        #expect(
            try Self.file(.csv, [[account]]).text == """
                a,a@example.com,true,+/8A,AQ==,"A, ""b""
                c",,,,,,,,,,,,,,,,,,2,3,,false,"{""a"":""x\\""y""}",

                """)
    }

    /// Only with secrets can a passkey or a TOTP factor come back.
    @Test func secretsAreWrittenAndReadAgain() throws {
        let id = try #require(CredentialID([1, 2]))
        let passkey = AccountPasskey(
            credentialID: id, name: "key", relyingPartyID: "example.com", userHandle: OctetString([3]),
            aaguid: "2fc0579f-8113-47ea-b116-bb5a8db9202a", isModelVerified: true, isBackedUp: true,
            createdAt: Moment(milliseconds: 4), lastUsedAt: Moment(milliseconds: 5))
        let key = Passkey.PublicKeyRecord(
            coseKey: OctetString([6]), signCount: 7, isBackupEligible: true, hasVerifiedUser: false,
            attestationFormat: "none", attestationType: "self", transports: ["usb", "nfc"])
        let secret = Secret(OctetString(Array("12345678901234567890".utf8)))
        var account = Self.account(
            "a",
            factors: [
                SecondFactor(id: FactorID("f"), kind: .totp, displayName: "App", enrolledAt: Moment(milliseconds: 8))
            ])
        account.account.passkeys = [passkey]
        var writer = UserFileWriter(.jsonl, includesHashes: false)
        let secrets = AccountSecrets(
            factors: [.init(accountID: AccountID("a"), factorID: FactorID("f"), secret: secret)], publicKeys: [id: key])
        let text = try writer.text(of: [account], secrets)
        #expect(writer.omissions.isEmpty)
        let entry = try #require(try UserFileReaderTests.read(text, .jsonl, hashes: nil).first).content.get()
        #expect(entry.passkeys == [PasskeyEntry(passkey: passkey, publicKey: key)] && entry.omissions.isEmpty)
        #expect(
            entry.totpFactors == [
                .init(
                    id: FactorID("f"), displayName: "App", enrolledAt: Moment(milliseconds: 8), secret: secret)
            ])
        let plain = try Self.file(.jsonl, [[account]])
        #expect(plain.writer.omissions == [.totp: 1, .passkeys: 1])
        let incomplete = try #require(try UserFileReaderTests.read(plain.text, .jsonl, hashes: nil).first).content.get()
        #expect(incomplete.omissions == [.totp, .passkeys] && incomplete.passkeys.isEmpty)
    }

    @Test func whatFirebaseCannotHaveIsCounted() throws {
        let phone = try #require(PhoneNumber("+12025550170"))
        let accounts = [
            Self.account("a", Self.scrypt), Self.account("b", .bcrypt), Self.account("c", Self.own),
            Self.account(
                "d", providers: [ProviderLink(providerID: "apple.com", providerAccountID: "1")],
                factors: [
                    SecondFactor(
                        id: FactorID("f"), kind: .phone(phone), displayName: nil, enrolledAt: Moment(milliseconds: 0)),
                    SecondFactor(id: FactorID("g"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0)),
                ]),
        ]
        for format in [UserFileFormat.json, .csv] {
            let (text, writer) = try Self.file(format, [accounts])
            #expect(
                writer.omissions == [
                    .otherHashParameters: 1, .ownHash: 1, .otherProviders: 1, .phoneFactors: 1, .totp: 1,
                ])
            #expect(writer.hashAlgorithm == Self.scrypt)
            let entries = try UserFileReaderTests.read(text, format, hashes: Self.scrypt).map { try $0.content.get() }
            #expect(entries.map { $0.account.passwordHash != nil } == [true, false, false, false])
        }
        let (text, writer) = try Self.file(.jsonl, [accounts])
        #expect(writer.omissions == [.totp: 1])
        let entries = try UserFileReaderTests.read(text, .jsonl, hashes: nil).map { try $0.content.get() }
        #expect(entries.map(\.account.algorithm) == [Self.scrypt, .bcrypt, Self.own, nil])
        #expect(entries.last?.account.profile.secondFactors?.map(\.id) == [FactorID("f")])
    }
}
