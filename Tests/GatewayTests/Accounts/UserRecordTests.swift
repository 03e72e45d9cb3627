import Contracts
import FoundationEssentials
import JSON
import ServiceRuntime
import Testing
import Vocabulary

@testable import GatewayService

/// REST 1.5 and 2.13: which values are strings, which are numbers, and which are omitted.
@Suite struct UserRecordTests {
    @Test func permittedCallerGetsImportedHash() throws {
        func record(_ algorithm: PasswordHashAlgorithm) throws -> JSONValue {
            var account = Account.example()
            account.hasPassword = true
            return try json(
                String(
                    decoding: WireJSON.encodeSorted(
                        UserRecord(
                            account,
                            password: .init(
                                algorithm: algorithm, salt: OctetString([0xfb, 0xff]),
                                hash: Secret(OctetString([0xff]))))), as: UTF8.self))
        }
        let scrypt = try record(
            .firebaseScrypt(
                signerKey: Secret(OctetString([1])), saltSeparator: OctetString([2]), rounds: 8, memoryCost: 14))
        #expect(scrypt["passwordHash"] == .string("_w=="))
        #expect((scrypt["salt"], scrypt["version"]) == (.string("-_8="), .integer(0)))
        #expect(
            try scrypt["passwordHashConfig"]
                == json(
                    #"{"hashAlgorithm":"SCRYPT","memoryCost":14,"rounds":8,"saltSeparator":"Ag==","signerKey":"AQ=="}"#)
        )
        #expect(try record(.bcrypt)["version"] == .integer(1))
        let own = try record(
            .pepperedArgon2(
                .init(variant: .id, version: .v13, memoryKiB: 64, iterations: 1, parallelism: 1, hashByteCount: 32),
                .init(id: "k", key: nil)))
        #expect(own["passwordHash"] == .string(UserRecord.redactedHash))
        #expect((own["salt"], own["version"], own["passwordHashConfig"]) == (nil, nil, nil))
    }

    private func record(_ account: Account) throws -> JSONValue {
        TestResponse(.json(UserRecord(account))).json
    }

    @Test func recordOfPasswordAccount() throws {
        #expect(
            try record(.example())
                == json(
                    #"""
                    {"localId":"alice","email":"alice@example.com","emailVerified":false,"displayName":"Alice","disabled":false,
                     "passwordHash":"UkVEQUNURUQ=","passwordUpdatedAt":1700000000123,"validSince":"1700000000",
                     "createdAt":"1700000000123","lastLoginAt":"1700000001456",
                     "providerUserInfo":[{"providerId":"password","rawId":"alice@example.com","federatedId":"alice@example.com",
                       "email":"alice@example.com","displayName":"Alice"}]}
                    """#))
    }

    @Test func recordOfAccountInItsDaysOfGrace() throws {
        let dueAt = Moment(milliseconds: 1_700_000_000_123)
        let account = Account.example { $0.deletionDueAt = dueAt }
        #expect(try record(account)["deletionDueAt"] == .string(dueAt.text))
    }

    @Test func recordOfAnonymousAccount() throws {
        let account = Account(
            id: AccountID("anon"), realm: Realm(project: ProjectID("p")), validSince: Timestamp(seconds: 7),
            createdAt: Moment(milliseconds: 7001))
        #expect(
            try record(account)
                == json(#"{"localId":"anon","disabled":false,"validSince":"7","createdAt":"7001"}"#))
    }

    @Test func recordOfPasskeyAccount() throws {
        let account = Account.example { account in
            account.passkeys = [.example(0xfb), .example(1) { ($0.isBackedUp, $0.lastUsedAt) = (false, nil) }]
        }
        #expect(
            try record(account)["passkeyInfo"]
                == json(
                    #"""
                    [{"credentialId":"+/v7+w==","name":"laptop","rpId":"auth.example.com","backedUp":true,
                      "createdAt":"2023-11-14T22:13:20.123Z","lastUsedAt":"2023-11-14T22:13:21.456Z",
                      "aaguid":"ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"},
                     {"credentialId":"AQEBAQ==","name":"laptop","rpId":"auth.example.com","backedUp":false,
                      "createdAt":"2023-11-14T22:13:20.123Z","aaguid":"ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"}]
                    """#))
    }

    /// An e-mail link is a method of the provider `password`; without an entry, client libraries report `isAnonymous`.
    @Test(arguments: [true, false]) func recordOfEmailLinkAccount(hasPassword: Bool) throws {
        let account = Account.example { account in
            account.hasPassword = hasPassword
            account.emailLinkSignIn = true
            account.emailVerified = true
        }
        let shown = try record(account)
        #expect(shown["emailLinkSignin"] == .bool(true))
        #expect((shown["passwordHash"] != nil) == hasPassword)
        #expect(
            try shown["providerUserInfo"]
                == json(
                    #"""
                    [{"providerId":"password","rawId":"alice@example.com","federatedId":"alice@example.com",
                      "email":"alice@example.com","displayName":"Alice"}]
                    """#))
    }

    @Test func recordOfCompleteAccount() throws {
        let account = Account.example(tenant: "t-1") { account in
            account.emailVerified = true
            account.initialEmail = EmailAddress("old@example.com")
            account.emailLinkSignIn = true
            account.photoURL = "https://img.example/a.png"
            account.phoneNumber = PhoneNumber("+12025550117")
            account.disabled = true
            account.customAuthentication = true
            account.lastRefreshAt = Moment(milliseconds: 1_700_000_002_007)
            account.customClaims = #"{"role":"editor"}"#
            account.providers = [
                ProviderLink(providerID: "google.com", providerAccountID: "4711", email: "a@gmail.example"),
                ProviderLink(providerID: "facebook.com", providerAccountID: "12", displayName: "A", photoURL: "p"),
                ProviderLink(providerID: "oidc.work", providerAccountID: "sub-1"),
            ]
            account.secondFactors = [
                SecondFactor(
                    id: FactorID("f1"), kind: .phone(PhoneNumber("+12025550118")!), displayName: "work",
                    enrolledAt: Moment(milliseconds: 1_700_000_003_000)),
                SecondFactor(
                    id: FactorID("f2"), kind: .totp, displayName: nil,
                    enrolledAt: Moment(milliseconds: 1_700_000_004_050)),
            ]
        }
        #expect(
            try record(account)
                == json(
                    #"""
                    {"localId":"alice","tenantId":"t-1","email":"alice@example.com","emailVerified":true,
                     "initialEmail":"old@example.com","displayName":"Alice","photoUrl":"https://img.example/a.png",
                     "phoneNumber":"+12025550117","disabled":true,"emailLinkSignin":true,"customAuth":true,
                     "passwordHash":"UkVEQUNURUQ=","passwordUpdatedAt":1700000000123,"validSince":"1700000000",
                     "createdAt":"1700000000123","lastLoginAt":"1700000001456","lastRefreshAt":"2023-11-14T22:13:22.007Z",
                     "customAttributes":"{\"role\":\"editor\"}",
                     "providerUserInfo":[
                       {"providerId":"password","rawId":"alice@example.com","federatedId":"alice@example.com",
                        "email":"alice@example.com","displayName":"Alice","photoUrl":"https://img.example/a.png"},
                       {"providerId":"google.com","rawId":"4711","federatedId":"https://accounts.google.com/4711",
                        "email":"a@gmail.example"},
                       {"providerId":"facebook.com","rawId":"12","federatedId":"http://facebook.com/12","displayName":"A",
                        "photoUrl":"p"},
                       {"providerId":"oidc.work","rawId":"sub-1","federatedId":"sub-1"},
                       {"providerId":"phone","rawId":"+12025550117","phoneNumber":"+12025550117"}],
                     "mfaInfo":[
                       {"mfaEnrollmentId":"f1","displayName":"work","enrolledAt":"2023-11-14T22:13:23.000Z",
                        "phoneInfo":"+12025550118","unobfuscatedPhoneInfo":"+12025550118"},
                       {"mfaEnrollmentId":"f2","enrolledAt":"2023-11-14T22:13:24.050Z","totpInfo":{}}]}
                    """#))
    }
}
