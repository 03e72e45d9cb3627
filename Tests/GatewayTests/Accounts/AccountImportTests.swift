import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 4.3.
@Suite struct AccountImportTests {
    private static func importing(
        _ harness: GatewayHarness, _ body: String, rejections: [Identity.ImportAccounts.Rejection] = []
    ) async throws -> TestResponse {
        harness.mesh.reply(to: Identity.ImportAccounts.self) { _ in .init(rejections: rejections) }
        return try await harness.admin(.post, "/accounts:batchCreate", body)
    }

    /// What a listing says about a hash can be imported again.
    @Test func fieldsOfEachAlgorithmAreReadAgain() throws {
        for kind in PasswordHashAlgorithm.Kind.all {
            let algorithm = kind.sample.algorithm
            let fields = algorithm.importFields
            #expect((fields == nil) == (kind.wireName == nil))
            guard let fields else { continue }
            let body = try WireJSON.decode(AccountImportBody.self, from: WireJSON.encode(fields))
            #expect(try body.algorithm() == algorithm)
        }
    }

    @Test func everyFieldReachesIdentity() async throws {
        let harness = try GatewayHarness()
        let response = try await Self.importing(
            harness,
            """
            {"users":[{"localId":"a","email":"a@example.com","emailVerified":true,"emailLinkSignin":true,\
            "displayName":"A","photoUrl":"https://img.example/a.png","phoneNumber":"+12025550170","disabled":true,\
            "passwordHash":"-_8=","salt":"+/8","passwordUpdatedAt":3,"validSince":"4","createdAt":"5",\
            "lastLoginAt":"6","customAttributes":"{}","providerUserInfo":[{"providerId":"password","rawId":"a"},\
            {"providerId":"google.com","rawId":"g","email":"g@example.com"}],\
            "mfaInfo":[{"phoneInfo":"+12025550171","displayName":"work"}]}],\
            "hashAlgorithm":"HMAC_SHA256","signerKey":"AQI=","passwordHashOrder":"SALT_AND_PASSWORD",\
            "allowOverwrite":false}
            """)
        #expect(response.status == 200)
        #expect(response.json == (try json(#"{"kind":"identitytoolkit#UploadAccountResponse"}"#)))
        let sent = try #require(harness.mesh.sent(Identity.ImportAccounts.self).first)
        #expect(sent.algorithm == .hmac(.sha256, key: Secret(OctetString([1, 2])), order: .saltAndPassword))
        #expect(!sent.allowsOverwrite)
        #expect(
            sent.accounts == [
                Identity.ImportedAccount(
                    id: AccountID("a"),
                    profile: .init(
                        email: "a@example.com", emailVerified: true, displayName: "A",
                        photoURL: "https://img.example/a.png", phoneNumber: "+12025550170", disabled: true,
                        customClaims: "{}", validSince: Timestamp(seconds: 4), createdAt: Moment(milliseconds: 5),
                        lastSignInAt: Moment(milliseconds: 6),
                        secondFactors: [.init(kind: .phone(number: "+12025550171"), displayName: "work")]),
                    emailLinkSignIn: true,
                    links: [ProviderLink(providerID: "google.com", providerAccountID: "g", email: "g@example.com")],
                    passwordHash: OctetString([0xfb, 0xff]), salt: OctetString([0xfb, 0xff]),
                    passwordChangedAt: Moment(milliseconds: 3))
            ])
    }

    @Test(
        arguments: [
            (#""hashAlgorithm":"BCRYPT""#, .bcrypt),
            (#""hashAlgorithm":"MD5""#, .digest(.md5, rounds: 1, order: nil)),
            (
                #""hashAlgorithm":"SHA512","rounds":"7","passwordHashOrder":2"#,
                .digest(.sha512, rounds: 7, order: .passwordAndSalt)
            ),
            (#""hashAlgorithm":"PBKDF_SHA1","rounds":9"#, .pbkdf2(.sha1, rounds: 9)),
            (
                #""hashAlgorithm":"SCRYPT","signerKey":"AQ==","saltSeparator":"Ag","rounds":8,"memoryCost":14"#,
                .firebaseScrypt(
                    signerKey: Secret(OctetString([1])), saltSeparator: OctetString([2]), rounds: 8, memoryCost: 14)
            ),
            (
                #""hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":1024,"blockSize":8,"parallelization":2,"dkLen":64"#,
                .scrypt(cost: 1024, blockSize: 8, parallelization: 2, hashByteCount: 64)
            ),
            (
                #""hashAlgorithm":"ARGON2","argon2Parameters":{"hashLengthBytes":32,"hashType":"ARGON2_I","parallelism":1,"iterations":2,"memoryCostKib":64,"version":"VERSION_10","associatedData":"AQ"}"#,
                .argon2(
                    .init(
                        variant: .i, version: .v10, memoryKiB: 64, iterations: 2, parallelism: 1, hashByteCount: 32,
                        associatedData: OctetString([1])))
            ),
        ] as [(String, PasswordHashAlgorithm)])
    func algorithmIsForwarded(options: String, expected: PasswordHashAlgorithm) async throws {
        let harness = try GatewayHarness()
        let body = #"{"users":[{"localId":"a","passwordHash":"AQ=="}],"# + options + "}"
        #expect(try await Self.importing(harness, body).status == 200)
        #expect(harness.mesh.sent(Identity.ImportAccounts.self).first?.algorithm == expected)
    }

    @Test(arguments: [
        ("{}", "MISSING_USER_ACCOUNT"), (#"{"users":[]}"#, "MISSING_USER_ACCOUNT"),
        (#"{"users":[{"localId":"a","passwordHash":"AQ=="}]}"#, "MISSING_HASH_ALGORITHM"),
        (
            #"{"users":[{"localId":"a"}],"hashAlgorithm":"ROT13"}"#,
            "INVALID_HASH_ALGORITHM : This hash algorithm is not supported."
        ),
        (
            #"{"users":[{"localId":"a","email":"x@y.z"},{"localId":"b","email":"X@y.z"}],"sanityCheck":true}"#,
            "DUPLICATE_EMAIL : X@y.z"
        ),
        (#"{"users":[{"localId":"a"},{"localId":"a"}],"sanityCheck":true}"#, "DUPLICATE_LOCAL_ID : a"),
        (
            """
            {"users":[{"localId":"a","providerUserInfo":[{"providerId":"p","rawId":"r"}]},{"localId":"b",\
            "providerUserInfo":[{"providerId":"p","rawId":"r"}]}],"sanityCheck":true}
            """, "DUPLICATE_RAW_ID : r"
        ),
    ])
    func wholeImportIsRefused(body: String, message: String) async throws {
        let harness = try GatewayHarness()
        let response = try await Self.importing(harness, body)
        #expect((response.status, response.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }

    /// Rows that never reach identity, and those that identity rejects, in the order of the request.
    @Test func rejectedRowsKeepTheirIndices() async throws {
        let harness = try GatewayHarness()
        let response = try await Self.importing(
            harness,
            """
            {"users":[{"localId":""},{"localId":"a"},{"localId":"b","salt":"*"},{"localId":"c"},{"localId":"a"}]}
            """,
            rejections: [
                .init(rowIndex: 1, reason: WireError(.emailExists)),
                .init(rowIndex: 7, reason: WireError(.emailExists)),
                .init(rowIndex: -1, reason: WireError(.emailExists)),
            ])
        guard case .array(let errors)? = response.json["error"] else {
            Issue.record("no errors")
            return
        }
        #expect(errors.map { $0["index"] } == [.integer(0), .integer(2), .integer(3), .integer(4)])
        #expect(
            errors.map { $0["message"] }.first == .string("MISSING_LOCAL_ID : localId is missing"))
        #expect(errors.dropFirst(2).first?["message"] == .string("EMAIL_EXISTS"))
    }

    /// The tenant of a row is that of the path, or the row is rejected.
    @Test(arguments: [
        ("", ["", "t1", "t2"], [1, 2]), ("/tenants/t1", ["", "t1", "t2"], [2]),
    ])
    func rowOfAnotherTenantIsRejected(realm: String, tenants: [String], rejected: [Int64]) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ImportAccounts.self) { _ in .init(rejections: []) }
        let users = tenants.enumerated().map { #"{"localId":"u\#($0)","tenantId":"\#($1)"}"# }.joined(separator: ",")
        let response = try await harness.admin(
            .post, "\(realm)/accounts:batchCreate", #"{"users":[\#(users)]}"#)
        guard case .array(let errors)? = response.json["error"] else {
            Issue.record("no errors")
            return
        }
        #expect(errors.map { $0["index"] } == rejected.map(JSONValue.integer))
        #expect(
            errors.allSatisfy {
                $0["message"] == .string("TENANT_ID_MISMATCH : The tenantId of the user is not that of the request.")
            })
        let accepted = tenants.indices.filter { !rejected.contains(Int64($0)) }.map { AccountID("u\($0)") }
        #expect(harness.mesh.sent(Identity.ImportAccounts.self).flatMap { $0.accounts.map(\.id) } == accepted)
    }

    @Test func rejectedRowNamesItsInvalidValue() async throws {
        let response = try await Self.importing(
            try GatewayHarness(), #"{"users":[{"localId":"a"}]}"#,
            rejections: [.init(rowIndex: 0, reason: WireError(.invalidRequest, "the time is out of range"))])
        #expect(
            response.json["error"]
                == (try json(#"[{"index":0,"message":"the time is out of range"}]"#)))
    }

    @Test func largeImportIsSentInParts() async throws {
        let harness = try GatewayHarness()
        let users = (0..<1000).map { #"{"localId":"u\#($0)"}"# }.joined(separator: ",")
        #expect(try await Self.importing(harness, #"{"users":[\#(users)]}"#).status == 200)
        let sent = harness.mesh.sent(Identity.ImportAccounts.self)
        #expect(sent.allSatisfy { $0.accounts.count == Identity.ImportAccounts.maximumCount })
        #expect(sent.flatMap(\.accounts).map(\.id.rawValue) == (0..<1000).map { "u\($0)" })
        let more = try await Self.importing(harness, #"{"users":[\#(users),{"localId":"x"}]}"#)
        #expect(more.status == 400)
    }
}
