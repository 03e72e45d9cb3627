import Contracts
import Testing
import Vocabulary

@testable import IdentityService

/// The column "User" of REST 2.12, and the legacy link of 2.1.
@Suite struct OwnerChangeTests {
    static let start = StoredAccountTests.start

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var changes = Identity.OwnAccountChanges()
        var isLinking = false
        var isPrivate = false
        var allowsPasswords = true
        var secondsSinceSignIn: Int64 = 0
        var prepare: @Sendable (inout Account) -> Void = { _ in }
        var error: ServiceError?
        var signInProvider = "password"

        init(
            _ description: String, _ changes: Identity.OwnAccountChanges, isLinking: Bool = false,
            isPrivate: Bool = false, allowsPasswords: Bool = true, secondsSinceSignIn: Int64 = 0,
            _ prepare: @escaping @Sendable (inout Account) -> Void = { _ in }, signInProvider: String = "password",
            refusal: ServiceError? = nil
        ) {
            self.signInProvider = signInProvider
            testDescription = description
            self.changes = changes
            self.isLinking = isLinking
            self.isPrivate = isPrivate
            self.allowsPasswords = allowsPasswords
            self.secondsSinceSignIn = secondsSinceSignIn
            self.prepare = prepare
            error = refusal
        }
    }

    static let newEmail = Identity.OwnAccountChanges(email: "grace@example.com")
    static let newPassword = Identity.OwnAccountChanges(password: Secret("x"))
    static let both = Identity.OwnAccountChanges(email: "grace@example.com", password: Secret("x"))
    static let anonymous: @Sendable (inout Account) -> Void = { $0.email = nil }
    static let withPhone: @Sendable (inout Account) -> Void = { $0.phoneNumber = PhoneNumber("+12025550101") }

    static let cases: [Case] = [
        .init("another address", newEmail),
        .init("no address", .init(email: "plain"), refusal: ServiceError(.invalidEmail)),
        .init("another address after 300 seconds", newEmail, secondsSinceSignIn: 300),
        .init(
            "another address after 301 seconds", newEmail, secondsSinceSignIn: 301,
            refusal: ServiceError(.recentSignInRequired)),
        .init("another spelling is no other address", .init(email: "ADA@example.com"), secondsSinceSignIn: 9000),
        .init("another spelling under privacy", .init(email: "ADA@example.com"), isPrivate: true),
        .init("another address under privacy", newEmail, isPrivate: true, refusal: .newEmailNotVerified),
        .init("a first address under privacy", newEmail, isPrivate: true, withPhoneOnly, refusal: .newEmailNotVerified),
        .init(
            "another address with a second factor", newEmail, withFactor,
            refusal: ServiceError(.emailChangeNeedsVerification)),
        .init(
            "another address with a second factor under privacy", newEmail, isPrivate: true, withFactor,
            refusal: ServiceError(.emailChangeNeedsVerification)),
        .init("a password with a second factor", newPassword, withFactor),
        .init("a password under privacy", newPassword, isPrivate: true),
        .init(
            "a password after 301 seconds", newPassword, secondsSinceSignIn: 301,
            refusal: ServiceError(.recentSignInRequired)),
        .init(
            "a password where there are none", newPassword, allowsPasswords: false,
            refusal: ServiceError(.operationNotAllowed)),
        .init("a profile where there are no passwords", .init(displayName: "X"), allowsPasswords: false),
        .init("a profile any time", .init(displayName: "X", photoURL: "u"), secondsSinceSignIn: 9000),
        .init("a photo URL too long", .init(photoURL: .init(repeating: "u", count: 2049)), refusal: .profileTooLong),
        .init("an unlinked provider", .init(removals: [.provider("x")]), secondsSinceSignIn: 300),
        .init(
            "an unlinked provider after 301 seconds", .init(removals: [.provider("x")]), secondsSinceSignIn: 301,
            refusal: ServiceError(.recentSignInRequired)),
        .init(
            "no passkey to remove", .init(removals: [.passkey(PasskeyTests.id(1))]),
            refusal: ServiceError(.passkeyNotFound)),
        .init("the e-mail provider beside a phone", .init(removals: [.emailSignIn]), withPhone),
        .init("the password, with the address left for a reset", .init(removals: [.password])),
        .init("the last way in", .init(removals: [.emailSignIn])),
        .init("the last address", .init(removals: [.email])),
        .init(
            "the last way in after 301 seconds", .init(removals: [.emailSignIn]), secondsSinceSignIn: 301,
            refusal: ServiceError(.recentSignInRequired)),
        .init(
            "the e-mail provider after 301 seconds", .init(removals: [.emailSignIn]), secondsSinceSignIn: 301,
            withPhone, refusal: ServiceError(.recentSignInRequired)),
        .init(
            "the password after 301 seconds", .init(removals: [.password]), secondsSinceSignIn: 301,
            refusal: ServiceError(.recentSignInRequired)),
        .init(
            "an anonymous user can never sign in again", both, secondsSinceSignIn: 9000, anonymous,
            signInProvider: "anonymous"),
        .init(
            "an anonymous user has no way in to lose", .init(removals: [.displayName]), anonymous,
            signInProvider: "anonymous"),
        .init(
            "an anonymous upgrade", both, isLinking: true, secondsSinceSignIn: 9000, anonymous,
            signInProvider: "anonymous"),
        .init(
            "an anonymous upgrade under privacy", both, isLinking: true, isPrivate: true, anonymous,
            signInProvider: "anonymous"),
        .init(
            "an empty account in another session", both, isLinking: true, secondsSinceSignIn: 301, anonymous,
            refusal: ServiceError(.recentSignInRequired)),
        .init("a phone account gets a password under privacy", both, isLinking: true, isPrivate: true, withPhoneOnly),
        .init(
            "a link by a session of before", both, isLinking: true, secondsSinceSignIn: 301, withPhoneOnly,
            refusal: ServiceError(.recentSignInRequired)),
        .init("a link is no way round privacy", both, isLinking: true, isPrivate: true, refusal: .newEmailNotVerified),
        .init(
            "a link is no way round a second factor", both, isLinking: true, withFactor,
            refusal: ServiceError(.emailChangeNeedsVerification)),
        .init(
            "a disabled account", .init(displayName: "X"), { $0.disabled = true },
            refusal: ServiceError(.accountDisabled)),
        .init(
            "a revoked token", .init(displayName: "X"), { $0.validSince = start.timestamp + 1 },
            refusal: ServiceError(.sessionExpired)),
    ]

    static let withFactor: @Sendable (inout Account) -> Void = { $0.secondFactors = [SecondFactorListTests.phone] }
    static let withPhoneOnly: @Sendable (inout Account) -> Void = { account in
        account.email = nil
        account.phoneNumber = PhoneNumber("+12025550101")
    }

    static func change(_ test: Case) -> (StoredAccount, OwnerChange) {
        var stored = StoredAccountTests.account()
        test.prepare(&stored.account)
        if test.signInProvider == "anonymous" { stored = StoredAccount(account: stored.account, passwordRecord: nil) }
        let principal = Principal(
            accountID: stored.account.id, realm: stored.account.realm, issuedAt: start.timestamp,
            authenticatedAt: start.timestamp, signInProvider: test.signInProvider)
        let change = OwnerChange(
            changes: test.changes, principal: principal,
            presented: AuthenticationContext(
                authenticatedAt: start.timestamp, signInProvider: test.signInProvider),
            policy: .init(allowsPasswords: test.allowsPasswords, wantsNewEmailVerified: test.isPrivate),
            now: start + .seconds(test.secondsSinceSignIn), isLinking: test.isLinking)
        return (stored, change)
    }

    /// Security rule JS4.
    @Test(arguments: cases) func ownerChangeIsAppliedOrRefused(test: Case) throws {
        var (stored, change) = Self.change(test)
        let record = test.changes.password == nil ? nil : "new"
        if let error = test.error {
            #expect(throws: error) { try change.apply(to: &stored, passwordRecord: record) }
        } else {
            try change.check(stored)
            try change.apply(to: &stored, passwordRecord: record)
            if let record { #expect(stored.passwordRecord == record) }
            if let email = test.changes.email { #expect(stored.account.email == EmailAddress(email)) }
        }
    }

    /// `withdrawFactor` has the rules for owners.
    @Test func ownerCannotRemoveSecondFactorAsAdministrator() throws {
        var (stored, change) = Self.change(
            .init("", .init(removals: [.secondFactor(SecondFactorListTests.phone.id)]), Self.withFactor))
        #expect(throws: ServiceError(.invalidRequest)) { try change.apply(to: &stored, passwordRecord: nil) }
    }

    @Test func emailChangeUnverifiesAndKeepsInitialEmail() throws {
        var (stored, change) = Self.change(.init("", Self.newEmail))
        try change.apply(to: &stored, passwordRecord: nil)
        #expect(stored.account.initialEmail == EmailAddress("Ada@example.com") && !stored.account.emailVerified)
        #expect(stored.endsSessions)
    }

    @Test(
        arguments: [
            // Sign-in provider before, seconds since, change, linking; provider and seconds after.
            ("google.com", 60, .init(displayName: "X"), false, "google.com", 0),
            ("password", 60, .init(password: Secret("x")), false, "password", 60),
            ("google.com", 60, .init(password: Secret("x")), false, "google.com", 60),
            ("anonymous", 60, .init(email: "g@example.com", password: Secret("x")), false, "password", 60),
            ("anonymous", 60, .init(displayName: "X"), false, "anonymous", 0),
            ("anonymous", 60, .init(email: "g@example.com", password: Secret("x")), true, "password", 60),
            ("phone", 60, .init(email: "g@example.com", password: Secret("x")), true, "password", 60),
            // Linking existing credentials ends no session, and verifies nothing.
            ("phone", 60, .init(displayName: "X"), true, "password", 0),
        ] as [(String, Int64, Identity.OwnAccountChanges, Bool, String, Int64)])
    func sessionKeepsItsAuthenticationContext(
        provider: String, seconds: Int64, changes: Identity.OwnAccountChanges, isLinking: Bool, providerAfter: String,
        moved: Int64
    ) throws {
        var (stored, change) = Self.change(
            .init("", changes, isLinking: isLinking, secondsSinceSignIn: seconds, Self.anonymous))
        if provider == "anonymous" { stored = StoredAccount(account: stored.account, passwordRecord: nil) }
        let before = stored
        change.principal.signInProvider = provider
        try change.apply(to: &stored, passwordRecord: changes.password == nil ? nil : "new")
        let factor = AuthenticationContext.Factor(kind: "totp", id: FactorID("f"))
        change.presented = AuthenticationContext(
            authenticatedAt: Self.start.timestamp, signInProvider: provider, secondFactor: factor)
        let authentication = try change.authenticationContext(after: stored, before: before)
        #expect(authentication.signInProvider == providerAfter && authentication.secondFactor == factor)
        #expect(authentication.authenticatedAt == Self.start.timestamp + moved)
    }
}
