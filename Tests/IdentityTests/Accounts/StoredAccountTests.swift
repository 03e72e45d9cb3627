import Contracts
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct StoredAccountTests {
    static let start = Moment(milliseconds: 1_700_000_000_000)
    static let later = start + .seconds(60)

    static func account() -> StoredAccount {
        StoredAccount(
            account: Account(
                id: AccountID("ada"), realm: Realm(project: ProjectID("demo")),
                email: EmailAddress("Ada@example.com"), emailVerified: true, displayName: "Ada",
                validSince: start.timestamp, createdAt: start),
            passwordRecord: "record")
    }

    static func apply(_ changes: Identity.AccountChanges, record: String? = nil) throws -> StoredAccount {
        var stored = account()
        try stored.apply(changes, passwordRecord: record, at: later)
        return stored
    }

    @Test func emailChangeEndsSessionsAndRequiresVerification() throws {
        let changed = try Self.apply(.init(email: "grace@example.com"))
        #expect(changed.account.email == EmailAddress("grace@example.com"))
        #expect(changed.account.initialEmail == EmailAddress("Ada@example.com"))
        #expect(!changed.account.emailVerified && changed.account.validSince == Self.later.timestamp)
    }

    @Test func emailCaseChangeKeepsSessions() throws {
        let changed = try Self.apply(.init(email: "ada@EXAMPLE.com"))
        #expect(changed.account.emailVerified && changed.account.validSince == Self.start.timestamp)
    }

    @Test func passwordChangeEndsSessionsAndProfileChangeDoesNot() throws {
        #expect(try Self.apply(.init(), record: "new").account.validSince == Self.later.timestamp)
        #expect(try Self.apply(.init(displayName: "Countess")).account.validSince == Self.start.timestamp)
    }

    @Test func administratorSetsValidSince() throws {
        let given = Timestamp(seconds: 1_600_000_000)
        #expect(
            try Self.apply(.init(password: Secret("x"), validSince: given), record: "new").account.validSince == given)
    }

    @Test func namedSecondFactorIsRemovedAndOthersStay() throws {
        var stored = Self.account()
        stored.account.secondFactors = [SecondFactorListTests.phone, SecondFactorListTests.totp]
        let before = stored
        let removal = Identity.AccountChanges(removals: [.secondFactor(SecondFactorListTests.totp.id)])
        try stored.apply(removal, passwordRecord: nil, at: Self.later)
        #expect(stored.account.secondFactors == [SecondFactorListTests.phone])
        #expect(SessionRevocation(before, stored).endsSessions)
        #expect(throws: ServiceError(.factorNotFound)) {
            try stored.apply(removal, passwordRecord: nil, at: Self.later)
        }
    }

    @Test func removalsDeleteNamedFields() throws {
        let bare = try Self.apply(
            .init(removals: [.email, .displayName, .photoURL, .password, .phoneNumber, .providers]))
        #expect(bare.account.email == nil && !bare.account.emailVerified && bare.account.displayName == nil)
        #expect(!bare.account.hasPassword && bare.hasHadSignInMethod)
    }

    /// Section 3 of the token reference: which changes end earlier sessions.
    @Test(
        arguments: [
            (.init(email: "grace@example.com"), true), (.init(email: "ADA@example.com"), false),
            (.init(password: Secret("x")), true), (.init(removals: [.password]), true),
            (.init(removals: [.email]), true), (.init(removals: [.emailSignIn]), false),
            (.init(removals: [.phoneNumber, .providers, .displayName]), false), (.init(displayName: "X"), false),
            (.init(customClaims: #"{"a":1}"#), false), (.init(emailVerified: false), false),
            (.init(link: .init(providerID: "google.com", providerAccountID: "1")), false),
            (.init(disabled: true), false), (.init(secondFactors: []), false),
            (.init(secondFactors: [.init(id: FactorID("new"), kind: .phone(number: "+12025550101"))]), false),
        ] as [(Identity.AccountChanges, Bool)])
    func changesEndSessionsByKind(changes: Identity.AccountChanges, ends: Bool) throws {
        let changed = try Self.apply(changes, record: changes.password == nil ? nil : "new")
        #expect(changed.endsSessions == ends)
        #expect(changed.account.validSince == (ends ? Self.later : Self.start).timestamp)
    }

    @Test func removedEmailProviderKeepsEmailVerifiedByLinkedProvider() throws {
        var stored = Self.account()
        stored.account.emailLinkSignIn = true
        let alone = stored
        stored.account.providers = [
            ProviderLink(providerID: "google.com", providerAccountID: "1", email: "ADA@example.com")
        ]
        let vouched = stored
        for (before, keepsEmail) in [(alone, false), (vouched, true)] {
            var after = before
            try after.apply(.init(removals: [.emailSignIn]), passwordRecord: nil, at: Self.later)
            #expect(!after.account.hasPassword && !after.account.emailLinkSignIn)
            #expect((after.account.email != nil) == keepsEmail && after.account.emailVerified == keepsEmail)
        }
    }

    @Test(
        arguments: [
            (.init(createdAt: Moment(milliseconds: 0), lastSignInAt: Moment(milliseconds: 253_402_300_799_999)), nil),
            (.init(validSince: Timestamp(seconds: 0)), nil),
            (.init(validSince: Timestamp(seconds: 253_402_300_799)), nil),
            (.init(validSince: Timestamp(seconds: 253_402_300_800)), .timeOutOfRange),
            (.init(validSince: Timestamp(seconds: -1)), .timeOutOfRange),
            (.init(validSince: Timestamp(seconds: .max)), .timeOutOfRange),
            (.init(createdAt: Moment(milliseconds: -1)), .timeOutOfRange),
            (.init(createdAt: Moment(milliseconds: .min)), .timeOutOfRange),
            (.init(lastSignInAt: Moment(milliseconds: 253_402_300_800_000)), .timeOutOfRange),
            (.init(displayName: String(repeating: "é", count: 1024)), nil),
            (.init(displayName: String(repeating: "é", count: 1025)), .profileTooLong),
            (.init(photoURL: String(repeating: "u", count: 2048)), nil),
            (.init(photoURL: String(repeating: "u", count: 2049)), .profileTooLong),
            (.init(link: .init(providerID: "x", providerAccountID: String(repeating: "1", count: 1024))), nil),
            (
                .init(link: .init(providerID: "x", providerAccountID: String(repeating: "1", count: 1025))),
                .profileTooLong
            ),
            (
                .init(link: .init(providerID: String(repeating: "x", count: 129), providerAccountID: "1")),
                .profileTooLong
            ),
            (.init(removals: [.passkey(PasskeyTests.id(1))]), ServiceError(.passkeyNotFound)),
        ] as [(Identity.AccountChanges, ServiceError?)])
    func timestampBoundsAreEnforced(changes: Identity.AccountChanges, error: ServiceError?) throws {
        guard let error else {
            _ = try Self.apply(changes)
            return
        }
        #expect(throws: error) { try Self.apply(changes) }
    }

    @Test(
        arguments: [
            (Identity.AccountChanges(email: "plain"), ServiceError(.invalidEmail)),
            (.init(phoneNumber: "123"), ServiceError(.invalidPhoneNumber)),
            (.init(customClaims: "{"), ServiceError(.invalidCustomClaims)),
            (.init(customClaims: "[]"), ServiceError(.invalidCustomClaims)),
            (.init(customClaims: #"{"sub":"x"}"#), .reservedClaim("sub")),
            (
                .init(customClaims: #"{"a":"\#(String(repeating: "x", count: 1000))"}"#),
                ServiceError(.customClaimsTooLarge)
            ),
            (.init(link: .init(providerID: "", providerAccountID: "1")), ServiceError(.missingProviderID)),
            (
                .init(link: .init(providerID: "google.com", providerAccountID: "")),
                ServiceError(.missingProviderAccountID)
            ),
        ] as [(Identity.AccountChanges, ServiceError)])
    func invalidValueIsRefused(changes: Identity.AccountChanges, error: ServiceError) {
        #expect(throws: error) { try Self.apply(changes) }
    }

    @Test func claimsAreStoredVerbatimAndEmptyTextRemovesThem() throws {
        var stored = try Self.apply(.init(customClaims: #"{"plan":"pro"}"#))
        #expect(stored.account.customClaims == #"{"plan":"pro"}"#)
        // How Google's libraries write "no claims", and what they read then.
        try stored.apply(.init(customClaims: "{}"), passwordRecord: nil, at: Self.later)
        #expect(stored.account.customClaims == "{}")
        try stored.apply(.init(customClaims: ""), passwordRecord: nil, at: Self.later)
        #expect(stored.account.customClaims == nil)
    }

    @Test func disabledOrRevokedAccountIsRefused() throws {
        var stored = Self.account()
        try stored.requireActive(tokenIssuedAt: Self.start.timestamp)
        #expect(throws: ServiceError(.sessionExpired)) {
            try stored.requireActive(tokenIssuedAt: Self.start.timestamp + -1)
        }
        stored.account.disabled = true
        #expect(throws: ServiceError(.accountDisabled)) {
            try stored.requireActive(tokenIssuedAt: Self.later.timestamp)
        }
    }
}
