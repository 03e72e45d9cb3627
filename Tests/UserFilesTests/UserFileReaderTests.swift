import Contracts
import Foundation
import Testing
import UserFiles
import Vocabulary

@Suite struct UserFileReaderTests {
    private static let algorithm = PasswordHashAlgorithm.firebaseScrypt(
        signerKey: Secret(OctetString([1])), saltSeparator: OctetString([2]), rounds: 8, memoryCost: 14)

    /// Reads a file in pieces of a size.
    static func read(
        _ text: String, _ format: UserFileFormat, pieces size: Int = 4096, hashes: PasswordHashAlgorithm? = algorithm
    ) throws -> [UserFileRecord] {
        var reader = UserFileReader(format, hashes: hashes)
        var (records, rest) = ([UserFileRecord](), Array(text.utf8)[...])
        while !rest.isEmpty {
            records += try reader.receive(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return try records + reader.finish()
    }

    private static func entry(_ record: UserFileRecord?) throws -> UserFileEntry { try #require(record).content.get() }

    /// As `firebase auth:export` of version 9 wrote it, and newer ones with second factors.
    private static let firebase = """
        {"users": [
        {
          "localId": "ada",
          "email": "ada@example.com",
          "emailVerified": true,
          "passwordHash": "+/8=",
          "salt": "-_8",
          "displayName": "Ada \\"the\\" {first} \\u005b",
          "photoUrl": "https://example.com/a.png",
          "lastSignedInAt": "1500000000001",
          "createdAt": 1500000000000,
          "phoneNumber": "+12025550170",
          "disabled": "false",
          "customAttributes": "{\\"plan\\":\\"pro\\"}",
          "providerUserInfo": [{"providerId": "google.com", "rawId": "1", "email": "a@gmail.com"},
            {"providerId": "password", "rawId": "ada@example.com"}]
        },
        {"localId": "bob", "providerUserInfo": [], "mfaInfo": [{"mfaEnrollmentId": "f", "displayName": "mine",
          "enrolledAt": "2020-01-01T00:00:00.123Z", "phoneInfo": "+12025550171"}, {"totpInfo": {}}],
          "passkeyInfo": [{}], "unknown": [[{}]]}]}

        """

    @Test(arguments: [1, 7, 4096]) func firebaseJSONIsRead(pieces: Int) throws {
        let records = try Self.read(Self.firebase, .json, pieces: pieces)
        #expect(records.map(\.position.number) == [1, 2])
        #expect(records.map(\.localID) == ["ada", "bob"])
        #expect(
            try Self.entry(records.first)
                == UserFileEntry(
                    account: .init(
                        id: AccountID("ada"),
                        profile: .init(
                            email: "ada@example.com", emailVerified: true, displayName: "Ada \"the\" {first} [",
                            photoURL: "https://example.com/a.png", phoneNumber: "+12025550170", disabled: false,
                            customClaims: #"{"plan":"pro"}"#, createdAt: Moment(milliseconds: 1_500_000_000_000),
                            lastSignInAt: Moment(milliseconds: 1_500_000_000_001)),
                        links: [ProviderLink(providerID: "google.com", providerAccountID: "1", email: "a@gmail.com")],
                        passwordHash: OctetString([0xfb, 0xff]), salt: OctetString([0xfb, 0xff]))))
        #expect(
            try Self.entry(records.last)
                == UserFileEntry(
                    account: .init(
                        id: AccountID("bob"),
                        profile: .init(secondFactors: [
                            .init(
                                id: FactorID("f"), kind: .phone(number: "+12025550171"), displayName: "mine",
                                enrolledAt: Moment(milliseconds: 1_577_836_800_123))
                        ])), omissions: [.totp, .passkeys]))
        let start = try #require(records.last).position.byteOffset
        #expect(Array(Self.firebase.utf8).dropFirst(start).starts(with: Array("{\"localId\": \"bob\"".utf8)))
    }

    @Test func emptyArrayHasNoRecords() throws {
        #expect(try Self.read("{\"users\": [\n]}", .json).isEmpty)
        #expect(try Self.read("{\"kind\":[{\"a\":\"]\\\"}\"}],\"users\":[],\"n\":1}", .json).isEmpty)
    }

    /// A file that was cut anywhere is recognized, and every record before the cut is read.
    @Test func cutFileIsRecognized() throws {
        let whole = Array(Self.firebase.utf8)
        for length in 0..<(whole.count - 2) {
            var reader = UserFileReader(.json, hashes: Self.algorithm)
            let records = try reader.receive(whole.prefix(length))
            #expect(throws: UserFileError.self) { try reader.finish() }
            #expect(records.count <= 2)
        }
        var reader = UserFileReader(.json, hashes: Self.algorithm)
        _ = try reader.receive(whole.prefix(whole.count - 20))
        #expect(throws: UserFileError.truncated(.init(number: 2, byteOffset: whole.count - 20))) { try reader.finish() }
    }

    @Test(arguments: [
        "[]", "{users:[]}", "{\"users\":{}}", "{\"users\":[1]}", "{\"users\":[{}{}]}", "{\"users\":[{},]}",
        "{\"users\":[],}", "{\"users\":[]}x", "{\"users\":[],\"users\":[]}", "localId,email",
    ])
    func malformedJSONIsRefused(text: String) {
        #expect(throws: UserFileError.self) { try Self.read(text, .json) }
    }

    @Test(arguments: UserFileFormat.allCases) func recordsAreBounded(format: UserFileFormat) {
        let long = String(repeating: "x", count: UserFileError.maximumRecordBytes + 1)
        #expect(throws: UserFileError.recordTooLong(.init(number: 1, byteOffset: format == .json ? 10 : 0))) {
            try Self.read("{\"users\":[{\"localId\":\"\(long)\"}]}", format)
        }
    }

    @Test(
        arguments: [
            (#"{"localId":1}"#, "localId has another type or is missing"),
            (#"{"localId":"a","createdAt":"soon"}"#, "createdAt has another type or is missing"),
            (#"{"localId":"a","disabled":"maybe"}"#, "disabled has another type or is missing"),
            (#"{"localId":"a","localId":"b"}"#, "the record is not valid JSON within the limits"),
            (#"{"localId":"a","passwordHash":"*"}"#, "passwordHash is not base64"),
            (#"{"localId":"a","passwordHash":"AA==","salt":"*"}"#, "salt is not base64"),
            (#"{"localId":"a","passwordHash":"$unknown$AA$AA"}"#, "passwordHash is no hash of a known form: $unknown$"),
            (
                #"{"localId":"a","passwordHash":"{CLEARTEXT}secret"}"#,
                "passwordHash is no hash of a known form: {CLEARTEXT}"
            ),
            (#"{"localId":"a","passwordHash":"secret word$"}"#, "passwordHash is no hash of a known form"),
            (
                #"{"localId":"a","mfaInfo":[{"totpInfo":{"sharedSecretKey":"JBSWY3DPEHPK3PXP"},"enrolledAt":"x"}]}"#,
                "mfaInfo.enrolledAt is not a time"
            ),
            (#"{"localId":"a","mfaInfo":[{"phoneInfo":"+1","enrolledAt":"x"}]}"#, "mfaInfo.enrolledAt is not a time"),
            (#"{"latchkeyPepper":{"id":"a","key":"*"}}"#, "latchkeyPepper is malformed"),
        ])
    func malformedFieldIsNamed(text: String, reason: String) throws {
        for format in [UserFileFormat.json, .jsonl] {
            let file = format == .json ? "{\"users\":[\(text)]}" : text + "\n"
            let record = try #require(try Self.read(file, format).first)
            guard case .failure(let error) = record.content else {
                Issue.record("accepted")
                return
            }
            #expect(error.message == reason)
        }
    }

    @Test func hashesThatCannotComeOverAreNamed() throws {
        let file = """
            {"localId":"a","passwordHash":"UkVEQUNURUQ="}
            {"localId":"b","passwordHash":"AA==","version":1}

            {"localId":"c","tenantId":"t"}
            """
        let entries = try Self.read(file, .jsonl, hashes: nil).map { try $0.content.get() }
        #expect(entries.map(\.omissions) == [[.redactedHash], [.otherHash], []])
        #expect(entries.map(\.tenant) == [nil, nil, TenantID("t")])
        let bare = try Self.read(#"{"localId":"d","passwordHash":"AA==","version":"0"}"#, .jsonl, hashes: nil)
        #expect(throws: UserRecordError.missingHashAlgorithm) { try bare.first?.content.get() }
    }

    @Test(arguments: ["!", "!unusable"]) func markOfAnUnusablePasswordIsNoHash(text: String) throws {
        let line = "{\"localId\":\"a\",\"passwordHash\":\"\(text)\"}"
        let entry = try Self.entry(Self.read(line, .jsonl, hashes: nil).first)
        #expect(entry == UserFileEntry(account: .init(id: AccountID("a"))))
    }

    // MARK: TOTP factors

    private static func totp(_ info: String) throws -> UserFileEntry {
        try entry(read(#"{"localId":"a","mfaInfo":[{"totpInfo":\#(info)}]}"#, .jsonl).first)
    }

    private static let secret = Secret(OctetString(Array("Hello!\u{21}\u{21}\u{21}\u{21}".utf8)))

    @Test(arguments: [
        #"{"sharedSecretKey":"JBSWY3DPEEQSCIJB"}"#, #"{"sharedSecretKey":"jbsw y3dp eeqs cijb"}"#,
        #"{"sharedSecretKey":"JBSWY3DPEEQSCIJB","secretEncoding":"base32","hashingAlgorithm":"SHA1","periodSec":30}"#,
        #"{"sharedSecretKey":"JBSWY3DPEEQSCIJB","hashingAlgorithm":"HmacSHA1","verificationCodeLength":"6"}"#,
        #"{"sharedSecretKey":"48656c6c6f2121212121","secretEncoding":"hex"}"#,
        #"{"sharedSecretKey":"SGVsbG8hISEhIQ==","secretEncoding":"base64"}"#,
        #"{"sharedSecretKey":"Hello!!!!!","secretEncoding":"text"}"#,
    ])
    func secretOfTheFileBecomesAFactor(info: String) throws {
        let entry = try Self.totp(info)
        #expect(entry.totpFactors == [.init(id: nil, displayName: nil, enrolledAt: nil, secret: Self.secret)])
        #expect(entry.omissions.isEmpty)
    }

    /// As the systems in the table of docs/move-in/import.md have it. Only the hexadecimal form holds the bytes themselves.
    @Test(
        arguments: [
            ("Keycloak", "text", "kNM9yLKbPCGZ3vVRuPLD", Array("kNM9yLKbPCGZ3vVRuPLD".utf8)),
            (
                "authentik", "hex", "9f4c2a1be07d3356a8c0d9114be27f60835a1c2d",
                [
                    0x9f, 0x4c, 0x2a, 0x1b, 0xe0, 0x7d, 0x33, 0x56, 0xa8, 0xc0, 0xd9, 0x11, 0x4b, 0xe2, 0x7f, 0x60,
                    0x83, 0x5a,
                    0x1c, 0x2d,
                ]
            ),
            ("Zitadel", "base32", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", Array("12345678901234567890".utf8)),
            ("Auth0", "base32", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", Array("12345678901234567890".utf8)),
            ("Supabase", "base32", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", Array("12345678901234567890".utf8)),
        ] as [(String, String, String, [UInt8])])
    func secretOfEachDocumentedSystemIsRead(system: String, encoding: String, text: String, bytes: [UInt8]) throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let rows = page.split(separator: "\n").drop { !$0.hasPrefix("| System | Place | `secretEncoding` |") }
        let row = try #require(rows.first { $0.hasPrefix("| \(system) | ") })
        #expect(row.contains("`\(encoding)`"), "\(row)")
        let entry = try Self.totp(#"{"sharedSecretKey":"\#(text)","secretEncoding":"\#(encoding)","periodSec":30}"#)
        #expect(entry.totpFactors.map(\.secret) == [Secret(OctetString(bytes))])
    }

    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/move-in/import.md")

    @Test(
        arguments: [
            ("{}", .totp), (#"{"sharedSecretKey":""}"#, .totp),
            (#"{"sharedSecretKey":"JBSWY3DPEEQSCIJB","hashingAlgorithm":"SHA256"}"#, .totpParameters),
            (#"{"sharedSecretKey":"JBSWY3DPEEQSCIJB","verificationCodeLength":8}"#, .totpParameters),
            (#"{"sharedSecretKey":"JBSWY3DPEEQSCIJB","periodSec":60}"#, .totpParameters),
            (#"{"sharedSecretKey":"JBSWY3DPEEQSCI1B"}"#, .totpSecret),
            (#"{"sharedSecretKey":"JBSWY3DP"}"#, .totpSecret),
            (#"{"sharedSecretKey":"JBSWY3DPEEQSCIJB","secretEncoding":"rot13"}"#, .totpSecret),
            (#"{"secretEncoding":"text","sharedSecretKey":"\#(String(repeating: "x", count: 129))"}"#, .totpSecret),
        ] as [(String, ImportOmission)])
    func factorThatCannotComeOverIsNamed(info: String, omission: ImportOmission) throws {
        let entry = try Self.totp(info)
        #expect(entry.totpFactors.isEmpty && entry.omissions == [omission])
    }

    @Test func factorKeepsItsNameAndTime() throws {
        let text = """
            {"localId":"a","mfaInfo":[{"mfaEnrollmentId":"f","displayName":"phone","enrolledAt":"2020-01-01T00:00:00Z",\
            "totpInfo":{"sharedSecretKey":"JBSWY3DPEEQSCIJB"}}]}
            """
        #expect(
            try Self.entry(Self.read(text, .jsonl).first).totpFactors == [
                .init(
                    id: FactorID("f"), displayName: "phone", enrolledAt: Moment(milliseconds: 1_577_836_800_000),
                    secret: Self.secret)
            ])
    }

    @Test func pepperOfAFileIsUsed() throws {
        let hash = "$argon2id$v=19$m=64,t=1,p=1,keyid=k$AAAA$AAAA"
        let file = """
            {"localId":"a","passwordHash":"\(hash)"}
            {"latchkeyPepper":{"id":"k","key":"AQI="}}
            {"localId":"b","passwordHash":"\(hash)"}
            """
        let algorithms = try Self.read(file, .jsonl).map { try $0.content.get().account.algorithm }
        let parameters = PasswordHashAlgorithm.Argon2Parameters(
            variant: .id, version: .v13, memoryKiB: 64, iterations: 1, parallelism: 1, hashByteCount: 3)
        #expect(
            algorithms == [
                .pepperedArgon2(parameters, .init(id: "k", key: nil)),
                .pepperedArgon2(parameters, .init(id: "k", key: Secret(OctetString([1, 2])))),
            ])
    }

    @Test(arguments: [#"{"localId":"a"}"# + "\n" + #"{"localId":"b"#, #"{"localId":"a"}"# + "\n{"])
    func cutLineIsRecognized(text: String) {
        #expect(throws: UserFileError.truncated(.init(number: 2, byteOffset: 16))) { try Self.read(text, .jsonl) }
    }
}
