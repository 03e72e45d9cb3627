import Contracts
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct ActionCodeTests {
    static let realm = Realm(project: ProjectID("demo"))
    static let start = Moment(milliseconds: 1_700_000_000_000)

    static func code(_ purpose: ActionCode.Purpose, change: (inout ActionCode) -> Void = { _ in }) throws -> ActionCode
    {
        var code = ActionCode(
            purpose, in: realm, accountID: AccountID("ada"), email: try #require(EmailAddress("ada@example.com")),
            newEmail: EmailAddress("new@example.com"), factorID: FactorID("f"), credentialID: PasskeyTests.id(1),
            at: start)
        change(&code)
        return code
    }

    static func stored(change: (inout StoredAccount) -> Void = { _ in }) -> StoredAccount {
        var stored = StoredAccount(
            account: Account(
                id: AccountID("ada"), realm: realm, email: EmailAddress("Ada@example.com"),
                phoneNumber: PhoneNumber("+41790000000"), validSince: start.timestamp, createdAt: start,
                providers: [.init(providerID: "google.com", providerAccountID: "1")],
                secondFactors: [.init(id: FactorID("f"), kind: .totp, displayName: nil, enrolledAt: start)],
                passkeys: [PasskeyTests.passkey(1), PasskeyTests.passkey(2)]),
            passwordRecord: "record")
        change(&stored)
        return stored
    }

    @Test func codeHas256BitsAndIsStoredAsHash() throws {
        let bytes = Array(UInt8(0)..<32)
        let text = try #require(ActionCode.Text(ActionCode.Text(bytes: bytes).text))
        #expect(text.bytes == bytes && text.hash.count == 32 && text.hash != bytes)
    }

    @Test(arguments: ["", "made-up", "x", String(repeating: "A", count: 42), String(repeating: "A", count: 44), "é"])
    func malformedTextIsRejected(text: String) {
        #expect(ActionCode.Text(text) == nil)
    }

    @Test(arguments: zip(ActionCode.Purpose.allCases, [1, 1, 24, 24, 72, 72, 72] as [Int64]))
    func codeExpiresAfterItsLifetime(purpose: ActionCode.Purpose, hours: Int64) throws {
        let code = try Self.code(purpose)
        let end = Self.start + .seconds(hours * 3600)
        try code.validate(at: Moment(milliseconds: end.milliseconds - 1))
        #expect(throws: ServiceError(.expiredActionCode)) { try code.validate(at: end) }
    }

    /// The present state of the account determines whether an earlier code is still valid.
    @Test(arguments: ActionCode.Purpose.allCases)
    func accountChangesVoidCodesByPurpose(purpose: ActionCode.Purpose) throws {
        let code = try Self.code(purpose)
        try code.validate(Self.stored().account, at: Self.start)
        let later = Self.stored { $0.endEarlierSessions(at: Self.start + .seconds(1)) }.account
        let elsewhere = Self.stored { $0.account.email = EmailAddress("else@example.com") }.account
        let bare = Self.stored { $0.account.secondFactors = [] }.account
        let withoutPasskey = Self.stored { $0.account.passkeys.removeFirst() }.account
        let disabled = Self.stored { $0.account.disabled = true }.account
        func decision(_ account: Account) -> ServiceError? {
            do throws(ServiceError) { try code.validate(account, at: Self.start) } catch { return error }
            return nil
        }
        let (ends, moves, drops, loses, closes): (Bool, Bool, Bool, Bool, Bool) =
            switch purpose {
            case .passwordReset, .verifyAndChangeEmail: (true, true, false, false, true)
            case .verifyEmail: (false, true, false, false, true)
            case .emailSignIn: (false, false, false, false, true)
            case .recoverEmail: (false, false, false, false, false)
            case .revertSecondFactorAddition: (false, false, true, false, false)
            case .revertPasskeyAddition: (false, false, false, true, false)
            }
        #expect(decision(later) == (ends ? ServiceError(.invalidActionCode) : nil))
        #expect(decision(elsewhere) == (moves ? ServiceError(.invalidActionCode) : nil))
        #expect(decision(bare) == (drops ? ServiceError(.invalidActionCode) : nil))
        #expect(decision(withoutPasskey) == (loses ? ServiceError(.invalidActionCode) : nil))
        #expect(decision(disabled) == (closes ? ServiceError(.accountDisabled) : nil))
    }

    // MARK: Effects of codes

    @Test func verificationVerifiesEmail() throws {
        var stored = Self.stored()
        try stored.apply(Self.code(.verifyEmail), at: Self.start + .seconds(9))
        #expect(stored.account.emailVerified && stored.account.validSince == Self.start.timestamp)
    }

    @Test func emailChangeKeepsInitialEmailAndEndsSessions() throws {
        var stored = Self.stored()
        try stored.apply(Self.code(.verifyAndChangeEmail), at: Self.start + .seconds(9))
        #expect(stored.account.email == EmailAddress("new@example.com") && stored.account.emailVerified)
        #expect(stored.account.initialEmail == EmailAddress("Ada@example.com"))
        #expect(stored.account.validSince == (Self.start + .seconds(9)).timestamp)

        try stored.apply(Self.code(.recoverEmail), at: Self.start + .seconds(20))
        #expect(stored.account.email == EmailAddress("ada@example.com") && stored.account.emailVerified)
        #expect(stored.account.initialEmail == nil)
        #expect(stored.account.validSince == (Self.start + .seconds(20)).timestamp)
    }

    @Test func reversalRemovesSecondFactorAndEndsSessions() throws {
        var stored = Self.stored()
        try stored.apply(Self.code(.revertSecondFactorAddition), at: Self.start + .seconds(9))
        #expect(stored.account.secondFactors.isEmpty)
        #expect(stored.account.validSince == (Self.start + .seconds(9)).timestamp)
    }

    @Test func reversalRemovesItsPasskeyAndEndsSessions() throws {
        var stored = Self.stored()
        try stored.apply(Self.code(.revertPasskeyAddition), at: Self.start + .seconds(9))
        #expect(stored.account.passkeys == [PasskeyTests.passkey(2)])
        #expect(stored.account.secondFactors.count == 1 && stored.account.hasPassword)
        #expect(stored.account.validSince == (Self.start + .seconds(9)).timestamp)
    }

    @Test(arguments: ActionCode.Purpose.allCases)
    func onlyEmailRecoveryCanRemovePasskeys(purpose: ActionCode.Purpose) throws {
        var stored = Self.stored()
        let before = stored
        if purpose == .recoverEmail {
            try stored.apply(Self.code(purpose), removesPasskeys: true, at: Self.start)
            #expect(stored.account.passkeys.isEmpty && stored.account.emailVerified)
        } else {
            #expect(throws: ServiceError.passkeysNotRemovable) {
                try stored.apply(try Self.code(purpose), removesPasskeys: true, at: Self.start)
            }
            #expect(stored == before)
        }
    }

    @Test(arguments: [ActionCode.Purpose.passwordReset, .emailSignIn])
    func codeAloneCannotResetPasswordOrSignIn(purpose: ActionCode.Purpose) throws {
        var stored = Self.stored()
        #expect(throws: ServiceError(.invalidActionCode)) { try stored.apply(try Self.code(purpose), at: Self.start) }
    }

    /// The address of an unverified account has no verified owner, so credentials added before are removed (FE13);
    /// second factors stay.
    @Test(arguments: [false, true])
    func resetOfUnverifiedAccountRemovesOtherCredentials(wasVerified: Bool) {
        var stored = Self.stored { $0.account.emailVerified = wasVerified }
        stored.resetPassword("new", at: Self.start + .seconds(9))
        #expect(stored.passwordRecord == "new" && stored.account.emailVerified)
        #expect(stored.account.providers.isEmpty == !wasVerified)
        #expect((stored.account.phoneNumber == nil) == !wasVerified)
        #expect(stored.account.passkeys.isEmpty == !wasVerified)
        #expect(stored.account.secondFactors.count == 1)
        #expect(stored.account.validSince == (Self.start + .seconds(9)).timestamp)
    }

    @Test(arguments: [false, true])
    func emailLinkRemovesCredentialsOfUnverifiedAccount(wasVerified: Bool) {
        var stored = Self.stored { $0.account.emailVerified = wasVerified }
        stored.signInByLink(at: Self.start + .seconds(9))
        #expect((stored.passwordRecord == nil) == !wasVerified)
        #expect(stored.account.providers.isEmpty == !wasVerified)
        #expect(stored.account.passkeys.isEmpty == !wasVerified)
        #expect(stored.account.emailVerified && stored.account.emailLinkSignIn)
        #expect((stored.account.validSince > Self.start.timestamp) == !wasVerified)
    }

    @Test func linkedEmailReplacesFormerOne() throws {
        var stored = Self.stored()
        stored.linkEmail(try #require(EmailAddress("new@example.com")), at: Self.start + .seconds(9))
        #expect(stored.account.email == EmailAddress("new@example.com") && stored.account.emailVerified)
        #expect(stored.account.initialEmail == EmailAddress("Ada@example.com"))
        #expect(stored.account.validSince > Self.start.timestamp && stored.passwordRecord == "record")
    }
}

@Suite struct EmailQuotaRuleTests {
    @Test func quotaAdmitsItsLimitPerWindow() {
        let start = Moment(milliseconds: 1_000_000)
        var quota = EmailQuota.empty(at: start)
        for _ in 0..<3 { #expect(quota.reserve(3, within: .seconds(60), at: start + .seconds(59)) == nil) }
        #expect(quota.reserve(3, within: .seconds(60), at: start + .seconds(59)) == start + .seconds(60))
        #expect(quota.count == 3)
        #expect(quota.reserve(3, within: .seconds(60), at: start + .seconds(60)) == nil)
        #expect(quota == EmailQuota(count: 1, windowBeganAt: start + .seconds(60)))
    }
}
