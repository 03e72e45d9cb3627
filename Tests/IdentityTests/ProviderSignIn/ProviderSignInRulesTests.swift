import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 2.4 as a table: who has the identity, who has its address, the caller, and the result.
@Suite struct ProviderSignInRulesTests {
    static let now: Moment = Moment(milliseconds: 1_700_000_000_000)
    static let email: EmailAddress = EmailAddress("ada@gmail.com")!

    static func account(
        _ id: String, password: String? = nil, _ change: (inout Account) -> Void = { _ in }
    ) -> StoredAccount {
        var account = Account(
            id: AccountID(id), realm: IdentityFixture.realm, validSince: Timestamp(seconds: 1_699_000_000),
            createdAt: Moment(milliseconds: 1_699_000_000_000))
        change(&account)
        return StoredAccount(account: account, passwordRecord: password)
    }

    static let link: ProviderLink = ProviderLink(providerID: "google.com", providerAccountID: "sub")
    /// Has the identity, and another address.
    static let owner: StoredAccount = account("owner") {
        $0.email = EmailAddress("owner@example.com")
        $0.providers = [link]
    }
    /// Has the address verified.
    static let verified: StoredAccount = account("email", password: "record") {
        $0.email = email
        $0.emailVerified = true
        $0.displayName = "Own Name"
    }
    /// Has the address unverified.
    static let unverified: StoredAccount = account("email", password: "record") { $0.email = email }
    /// Has the address verified by the word of a provider that is not authoritative for it.
    static let asserted: StoredAccount = {
        var stored = verified
        stored.isEmailProven = false
        return stored
    }()
    static let requester: StoredAccount = account("requester") { $0.email = EmailAddress("requester@example.com") }
    static let anonymous: StoredAccount = account("requester")
    static let newAccount: StoredAccount = account("new")

    enum Assertion: CaseIterable {
        case unverified, verified, authoritative
    }

    static func identity(_ assertion: Assertion = .authoritative) -> ProviderIdentity {
        ProviderIdentity(
            providerID: "google.com", subject: "sub", email: "Ada@gmail.com",
            isEmailVerified: assertion != .unverified, isEmailAuthoritative: assertion == .authoritative,
            displayName: "Ada", photoURL: "https://img.example/a.png")
    }

    static func rules(
        _ assertion: Assertion = .authoritative, token: Bool = false, createsAccount: Bool = true,
        allowsSelfSignUp: Bool = true, allowsDuplicateEmails: Bool = false, age: Int64 = 0,
        signInProvider: String = "password"
    ) -> ProviderSignIn {
        let time = Timestamp(seconds: now.timestamp.seconds - age)
        let principal = Principal(
            accountID: AccountID("requester"), realm: IdentityFixture.realm, issuedAt: time, authenticatedAt: time,
            signInProvider: signInProvider)
        return ProviderSignIn(
            identity: identity(assertion), principal: token ? principal : nil, createsAccount: createsAccount,
            allowsSelfSignUp: allowsSelfSignUp, allowsDuplicateEmails: allowsDuplicateEmails, now: now)
    }

    /// A short form of the decision.
    enum End: Equatable {
        case made(email: Bool, verified: Bool)
        case into(String, AuditEntry.Action, SessionOperation)
        case takenOver, confirm, conflict(Identity.ProviderSignInReply.Conflict), refused(ServiceError)
    }

    /// - Parameter emailOwner: not looked up in duplicate mode, as in the store.
    static func end(
        _ rules: ProviderSignIn, identityOwner: StoredAccount? = nil, emailOwner: StoredAccount? = nil,
        requester: StoredAccount? = nil
    ) -> End {
        do throws(ServiceError) {
            let decision = try rules.decide(
                identityOwner: identityOwner, emailOwner: rules.email == nil ? nil : emailOwner,
                requestingAccount: requester, newAccount: newAccount)
            switch decision {
            case .confirm(let confirmation, let notified):
                #expect(notified == (rules.identity.isEmailAuthoritative ? emailOwner : nil))
                #expect(confirmation.accountID == emailOwner?.account.id && confirmation.email == email)
                return .confirm
            case .conflict(let conflict): return .conflict(conflict)
            case .open(let opening):
                let account = opening.account.account
                #expect(account.lastSignInAt == now && account.photoURL == "https://img.example/a.png")
                #expect(account.providers.count { $0 == rules.identity.link } == 1)
                #expect(opening.account.endsSessions == opening.isEmailRecycled)
                #expect((opening.action == .unverifiedAccessRemoved) == opening.isEmailRecycled)
                if opening.isNewAccount {
                    #expect(account.id == AccountID("new") && opening.action == .accountCreated)
                    return .made(email: account.email == email, verified: account.emailVerified)
                }
                #expect(opening.before?.account.id == account.id)
                if opening.isEmailRecycled {
                    #expect(account.id == AccountID("email") && opening.decisive == emailOwner)
                    return .takenOver
                }
                #expect(opening.decisive == opening.account)
                return .into(account.id.rawValue, opening.action, opening.operation)
            }
        } catch {
            return .refused(error)
        }
    }

    // MARK: Rows 4 to 9: without an ID token

    static let signedIn: End = .into("owner", .signIn, .providerSignIn)
    static let joined: End = .into("email", .providerLinked, .providerSignIn)

    @Test(
        arguments: [
            // Who has the identity, who has the address; results by assertion: unverified, verified, authoritative.
            (owner, nil, [signedIn, signedIn, signedIn]), (owner, verified, [signedIn, signedIn, signedIn]),
            (owner, unverified, [signedIn, signedIn, signedIn]),
            (nil, verified, [.confirm, .confirm, joined]),
            (nil, unverified, [.confirm, .confirm, .takenOver]),
            (nil, asserted, [.confirm, .confirm, .takenOver]),
            (
                nil, nil,
                [
                    .made(email: true, verified: false), .made(email: true, verified: true),
                    .made(email: true, verified: true),
                ]
            ),
        ] as [(StoredAccount?, StoredAccount?, [End])])
    func signInWithoutTokenFollowsTable(identityOwner: StoredAccount?, emailOwner: StoredAccount?, ends: [End]) {
        for (assertion, end) in zip(Assertion.allCases, ends) {
            let found = Self.end(Self.rules(assertion), identityOwner: identityOwner, emailOwner: emailOwner)
            #expect(found == end, "\(assertion)")
            // With several accounts per address, only the identity counts.
            let several = Self.end(
                Self.rules(assertion, allowsDuplicateEmails: true), identityOwner: identityOwner,
                emailOwner: emailOwner)
            #expect(
                several == (identityOwner == nil ? .made(email: false, verified: false) : Self.signedIn),
                "\(assertion)")
        }
    }

    @Test func unknownIdentityCreatesNoAccountAtReauthenticationOrWhenSignUpIsClosed() {
        for allowsDuplicateEmails in [false, true] {
            let reauthentication = Self.rules(createsAccount: false, allowsDuplicateEmails: allowsDuplicateEmails)
            #expect(Self.end(reauthentication) == .refused(ServiceError(.accountNotFound)))
            #expect(Self.end(reauthentication, identityOwner: Self.owner) == Self.signedIn)
            let closed = Self.rules(allowsSelfSignUp: false, allowsDuplicateEmails: allowsDuplicateEmails)
            #expect(Self.end(closed) == .refused(ServiceError(.adminOnlyOperation)))
            #expect(Self.end(closed, identityOwner: Self.owner) == Self.signedIn)
        }
        #expect(Self.end(Self.rules(allowsSelfSignUp: false), emailOwner: Self.verified) == Self.joined)
    }

    @Test func disabledAccountIsRefused() {
        let disabled = { (stored: StoredAccount) in
            var stored = stored
            stored.account.disabled = true
            return stored
        }
        let refused = End.refused(ServiceError(.accountDisabled))
        #expect(Self.end(Self.rules(), identityOwner: disabled(Self.owner)) == refused)
        #expect(Self.end(Self.rules(), emailOwner: disabled(Self.verified)) == refused)
        #expect(Self.end(Self.rules(), emailOwner: disabled(Self.unverified)) == refused)
        #expect(Self.end(Self.rules(token: true), requester: disabled(Self.requester)) == refused)
        // A caller who has proven nothing is not informed about the state of the account.
        #expect(Self.end(Self.rules(.verified), emailOwner: disabled(Self.verified)) == .confirm)
    }

    // MARK: Rows 1 to 3: with an ID token

    private static let requesterWithIdentity: StoredAccount = account("requester") {
        $0.email = EmailAddress("requester@example.com")
        $0.providers = [link]
    }
    private static let requesterWithEmail: StoredAccount = account("requester", password: "record") { $0.email = email }
    private static let linked: End = .into("requester", .providerLinked, .providerLink)
    private static let known: End = .into("requester", .signIn, .providerReauthentication)

    @Test(
        arguments: [
            // Who has the identity, who has the address, the caller; results in one-account and in duplicate mode.
            (owner, nil, requester, .conflict(.identityLinked), .conflict(.identityLinked)),
            (owner, verified, requester, .conflict(.identityLinked), .conflict(.identityLinked)),
            (nil, verified, requester, .conflict(.emailExists), linked),
            (nil, unverified, requester, .conflict(.emailExists), linked),
            (nil, verified, anonymous, .conflict(.emailExists), linked),
            (nil, nil, requester, linked, linked), (nil, nil, anonymous, linked, linked),
            (nil, requesterWithEmail, requesterWithEmail, linked, linked),
            (requesterWithIdentity, nil, requesterWithIdentity, known, known),
            (requesterWithIdentity, verified, requesterWithIdentity, .conflict(.emailExists), known),
            (nil, nil, nil, .refused(ServiceError(.accountNotFound)), .refused(ServiceError(.accountNotFound))),
        ] as [(StoredAccount?, StoredAccount?, StoredAccount?, End, End)])
    func linkFollowsTable(
        identityOwner: StoredAccount?, emailOwner: StoredAccount?, requester: StoredAccount?, one: End, several: End
    ) {
        for assertion in Assertion.allCases {
            for createsAccount in [false, true] {
                let rules = Self.rules(assertion, token: true, createsAccount: createsAccount)
                #expect(
                    Self.end(rules, identityOwner: identityOwner, emailOwner: emailOwner, requester: requester) == one)
            }
            let rules = Self.rules(assertion, token: true, allowsSelfSignUp: false, allowsDuplicateEmails: true)
            #expect(
                Self.end(rules, identityOwner: identityOwner, emailOwner: emailOwner, requester: requester)
                    == several)
        }
    }

    @Test func linkRequiresRecentSignIn() {
        let old = Self.rules(token: true, age: 301)
        #expect(Self.end(Self.rules(token: true, age: 300), requester: Self.requester) == Self.linked)
        #expect(Self.end(old, requester: Self.requester) == .refused(ServiceError(.recentSignInRequired)))
        // An anonymous account has no way to sign in again.
        let anonymous = Self.rules(token: true, age: 301, signInProvider: "anonymous")
        #expect(Self.end(anonymous, requester: Self.anonymous) == Self.linked)
        // The session decides, not whether the account is empty.
        #expect(Self.end(old, requester: Self.anonymous) == .refused(ServiceError(.recentSignInRequired)))
        #expect(
            Self.end(old, identityOwner: Self.requesterWithIdentity, requester: Self.requesterWithIdentity)
                == Self.known)
        let revoked = Self.rules(token: true, age: 2_000_000)
        #expect(Self.end(revoked, requester: Self.anonymous) == .refused(ServiceError(.sessionExpired)))
    }

    // MARK: The account afterwards

    private func account(
        _ rules: ProviderSignIn, identityOwner: StoredAccount? = nil, emailOwner: StoredAccount? = nil,
        requester: StoredAccount? = nil
    ) throws -> Account {
        let decision = try rules.decide(
            identityOwner: identityOwner, emailOwner: emailOwner, requestingAccount: requester,
            newAccount: Self.newAccount)
        guard case .open(let opening) = decision else { throw ServiceError(.internal) }
        return opening.account.account
    }

    @Test func existingProfileIsKeptAndMissingValuesAreFilled() throws {
        let joined = try account(Self.rules(), emailOwner: Self.verified)
        #expect(joined.displayName == "Own Name" && joined.photoURL == "https://img.example/a.png")
        #expect(joined.hasPassword && joined.emailVerified)
        let signedIn = try account(Self.rules(), identityOwner: Self.owner)
        #expect(signedIn.displayName == "Ada" && signedIn.email == EmailAddress("owner@example.com"))
        #expect(!signedIn.emailVerified)
        // The entry has the present values, the account its own.
        #expect(signedIn.providers == [Self.identity().link] && signedIn.providers.first?.email == "Ada@gmail.com")
    }

    @Test func linkGivesAnAccountWithoutEmailThatOfTheProvider() throws {
        for assertion in Assertion.allCases {
            let upgraded = try account(Self.rules(assertion, token: true), requester: Self.anonymous)
            #expect(upgraded.email == Self.email && upgraded.emailVerified == (assertion != .unverified))
            let kept = try account(Self.rules(assertion, token: true), requester: Self.requester)
            #expect(kept.email == Self.requester.account.email && !kept.emailVerified)
        }
        let several = try account(Self.rules(token: true, allowsDuplicateEmails: true), requester: Self.anonymous)
        #expect(several.email == nil && several.providers.first?.email == "Ada@gmail.com")
    }

    /// Only a provider that decides about the address verifies it for an existing account.
    @Test func authoritativeProviderVerifiesTheAddressOfItsAccount() throws {
        let own = Self.account("owner", password: "record") {
            $0.email = Self.email
            $0.providers = [Self.link]
        }
        for assertion in Assertion.allCases {
            let signedIn = try account(Self.rules(assertion), identityOwner: own, emailOwner: own)
            #expect(signedIn.emailVerified == (assertion == .authoritative) && signedIn.hasPassword)
            let linked = try account(
                Self.rules(assertion, token: true), emailOwner: Self.requesterWithEmail,
                requester: Self.requesterWithEmail)
            #expect(linked.emailVerified == (assertion == .authoritative) && linked.hasPassword)
        }
    }

    @Test func takeoverRemovesAllAccess() throws {
        let planted = Self.account("email", password: "record") {
            $0.email = Self.email
            $0.emailLinkSignIn = true
            $0.displayName = "Attacker"
            $0.photoURL = "https://attacker.example/"
            $0.phoneNumber = PhoneNumber("+12025550101")
            $0.providers = [
                ProviderLink(providerID: "google.com", providerAccountID: "another"),
                ProviderLink(providerID: "facebook.com", providerAccountID: "1"),
            ]
            $0.secondFactors = [SecondFactorListTests.totp]
            $0.passkeys = [PasskeyTests.passkey(1)]
        }
        var expected = Self.account("email") {
            $0.email = Self.email
            $0.emailVerified = true
            $0.displayName = "Ada"
            $0.photoURL = "https://img.example/a.png"
            $0.providers = [Self.identity().link]
            $0.lastSignInAt = Self.now
            $0.lastRefreshAt = Self.now
        }.account
        expected.validSince = Self.now.timestamp
        #expect(try account(Self.rules(), emailOwner: planted) == expected)
    }

    /// An account has one identity per provider: one that its owner links replaces the former one in its place.
    @Test func linkedIdentityReplacesTheFormerOneOfItsProvider() throws {
        var former = Self.requester
        former.account.providers = [
            ProviderLink(providerID: "google.com", providerAccountID: "former"),
            ProviderLink(providerID: "github.com", providerAccountID: "1"),
        ]
        let linked = try account(Self.rules(token: true), requester: former)
        #expect(linked.providers.map(\.providerAccountID) == ["sub", "1"])
    }

    @Test func confirmationNamesTheMethodsOfTheAccount() throws {
        var known = Self.verified
        known.account.providers = [ProviderLink(providerID: "github.com", providerAccountID: "1")]
        let decision = try Self.rules(.unverified).decide(
            identityOwner: nil, emailOwner: known, requestingAccount: nil, newAccount: Self.newAccount)
        #expect(
            decision
                == .confirm(
                    .init(
                        accountID: AccountID("email"), email: Self.email,
                        verifiedProviders: ["password", "github.com"]), notifying: nil))
    }

    /// A used mailbox or a bought domain: the address belongs to somebody else now. Each assertion, with the address of the
    /// account proven, only verified, and unverified.
    @Test(arguments: Assertion.allCases) func otherIdentityOfTheProviderNeitherJoinsNorReplaces(assertion: Assertion)
        throws
    {
        let former = ProviderLink(providerID: Self.identity().providerID, providerAccountID: "former")
        func with(_ stored: StoredAccount) -> StoredAccount {
            var stored = stored
            stored.account.providers = [former]
            return stored
        }
        let rules = Self.rules(assertion)
        #expect(Self.end(rules, emailOwner: with(Self.verified)) == .confirm)
        // The creator of an account whose address is not proven loses access to it, as with any other provider.
        let isAuthoritative = rules.identity.isEmailAuthoritative
        for owner in [Self.unverified, Self.asserted] {
            #expect(Self.end(rules, emailOwner: with(owner)) == (isAuthoritative ? .takenOver : .confirm))
        }
        let decision = try rules.decide(
            identityOwner: nil, emailOwner: with(Self.verified), requestingAccount: nil, newAccount: Self.newAccount)
        guard case .confirm(let confirmation, _) = decision else {
            Issue.record("\(decision)")
            return
        }
        // The provider itself is no other method, except where its word does not count anyway.
        #expect(confirmation.verifiedProviders.contains(former.providerID) == false)
        // After the second factor, too.
        #expect(
            ProviderSignIn.complete(rules.identity, of: with(Self.verified), identityOwner: nil, at: Self.now) == nil)
        // Whoever signs in with another method replaces it.
        let linked = try account(Self.rules(assertion, token: true), requester: with(Self.requester))
        #expect(linked.providers.map(\.providerAccountID) == ["sub"])
    }

    // MARK: Values

    @Test(arguments: [
        ProviderIdentity(providerID: "google.com", subject: ""), ProviderIdentity(providerID: "", subject: "s"),
        ProviderIdentity(providerID: "password", subject: "s"), ProviderIdentity(providerID: "custom", subject: "s"),
        ProviderIdentity(providerID: "passkey", subject: "s"),
        ProviderIdentity(providerID: "oidc." + String(repeating: "a", count: 124), subject: "s"),
        ProviderIdentity(providerID: "google.com", subject: String(repeating: "s", count: 1025)),
        ProviderIdentity(providerID: "google.com", subject: "s", email: String(repeating: "e", count: 257)),
        ProviderIdentity(providerID: "google.com", subject: "s", displayName: String(repeating: "n", count: 1025)),
        ProviderIdentity(providerID: "google.com", subject: "s", photoURL: String(repeating: "u", count: 2049)),
        ProviderIdentity(providerID: "google.com", subject: "s", attributes: "[]"),
        ProviderIdentity(providerID: "google.com", subject: "s", attributes: "{"),
        ProviderIdentity(
            providerID: "google.com", subject: "s",
            attributes: #"{"a":""# + String(repeating: "a", count: 4089) + #""}"#),
    ])
    func identityOutOfBoundsIsRefused(identity: ProviderIdentity) {
        #expect {
            try identity.check()
        } throws: { ($0 as? ServiceError)?.code == .invalidRequest }
    }

    @Test func identityAtTheBoundsIsAccepted() throws {
        try ProviderIdentity(
            providerID: "oidc." + String(repeating: "a", count: 123), subject: String(repeating: "s", count: 1024),
            displayName: String(repeating: "n", count: 1024), photoURL: String(repeating: "u", count: 2048),
            attributes: #"{"a":""# + String(repeating: "a", count: 4088) + #""}"#
        ).check()
    }

    /// An address that is none belongs to no account.
    @Test func malformedAddressIsNoAddress() {
        var rules = Self.rules()
        rules.identity.email = "no address"
        #expect(rules.email == nil)
        #expect(Self.end(rules) == .made(email: false, verified: false))
    }
}
