import Contracts
import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 2.8 as a table: the account with the number, the caller, and the result.
@Suite struct PhoneSignInRulesTests {
    static let now = Moment(milliseconds: 1_700_000_000_000)
    static let number = PhoneNumber("+12025550101")!
    static let otherNumber = PhoneNumber("+12025550102")!

    static func account(_ id: String, _ change: (inout Account) -> Void = { _ in }) -> StoredAccount {
        var account = Account(
            id: AccountID(id), realm: IdentityFixture.realm, validSince: Timestamp(seconds: 1_699_000_000),
            createdAt: Moment(milliseconds: 1_699_000_000_000))
        change(&account)
        return StoredAccount(account: account, passwordRecord: nil)
    }

    static let owner = account("owner") { $0.phoneNumber = number }
    static let requester = account("requester") { $0.email = EmailAddress("requester@example.com") }
    static let newAccount = account("newAccount")
    static let sms = SecondFactor(id: FactorID("f"), kind: .phone(otherNumber), displayName: nil, enrolledAt: now)
    static let totp = SecondFactor(id: FactorID("t"), kind: .totp, displayName: nil, enrolledAt: now)

    static func rules(
        _ intent: Identity.PhoneIntent = .signUpOrIn, token: Bool, isByProof: Bool = false,
        allowsSelfSignUp: Bool = true, age: Int64 = 0, signInProvider: String = "password"
    ) -> PhoneSignIn {
        let principal = Principal(
            accountID: AccountID("requester"), realm: IdentityFixture.realm,
            issuedAt: Timestamp(seconds: now.timestamp.seconds - age),
            authenticatedAt: Timestamp(seconds: now.timestamp.seconds - age), signInProvider: signInProvider)
        return PhoneSignIn(
            number: number, intent: intent, principal: token ? principal : nil, usesTemporaryProof: isByProof,
            allowsSelfSignUp: allowsSelfSignUp, now: now)
    }

    /// A short form of the decision.
    enum End: Equatable {
        case made, into(String, AuditEntry.Action, SessionOperation), conflict, refused(ServiceError)
    }

    static func end(_ rules: PhoneSignIn, owner: StoredAccount?, requester: StoredAccount? = nil) throws -> End {
        do throws(ServiceError) {
            switch try rules.decide(currentOwner: owner, requestingAccount: requester, newAccount: newAccount) {
            case .conflict(let id):
                #expect(id == owner?.account.id)
                return .conflict
            case .open(let opening):
                let account = opening.account.account
                #expect(account.phoneNumber == number && account.lastSignInAt == now)
                #expect(!opening.account.endsSessions)
                if opening.isNewAccount {
                    #expect(account.id == AccountID("newAccount") && opening.action == .accountCreated)
                    return .made
                }
                #expect(opening.before?.account.id == account.id)
                return .into(account.id.rawValue, opening.action, opening.operation)
            }
        } catch {
            return .refused(error)
        }
    }

    @Test(
        arguments: [
            (.signUpOrIn, nil, .made), (.signUpOrIn, owner, .into("owner", .signIn, .phoneSignIn)),
            (.reauthenticate, nil, .refused(ServiceError(.accountNotFound))),
            (.reauthenticate, owner, .into("owner", .signIn, .phoneSignIn)),
            (.update, nil, .refused(ServiceError(.missingIDToken))),
            (.link, nil, .refused(ServiceError(.missingIDToken))),
            (.signUpOrIn, account("owner") { $0.disabled = true }, .refused(ServiceError(.accountDisabled))),
            (.reauthenticate, account("owner") { $0.disabled = true }, .refused(ServiceError(.accountDisabled))),
            // Whether a second factor follows is for `SessionPolicy` to say.
            (.signUpOrIn, account("owner", numberedWithFactor), .into("owner", .signIn, .phoneSignIn)),
        ] as [(Identity.PhoneIntent, StoredAccount?, End)])
    func signInWithoutTokenFollowsTable(intent: Identity.PhoneIntent, owner: StoredAccount?, end: End) throws {
        #expect(try Self.end(Self.rules(intent, token: false), owner: owner) == end)
        #expect(try Self.end(Self.rules(intent, token: false, isByProof: true), owner: owner) == end)
    }

    private static let numberedWithFactor: @Sendable (inout Account) -> Void = {
        $0.phoneNumber = number
        $0.secondFactors = [totp]
    }

    /// One SIM card would be both factors. TOTP is asked for as with other first factors.
    @Test func numberOfAccountWithPhoneFactorDoesNotSignIn() throws {
        let factors: [([SecondFactor], isRefused: Bool)] = [
            ([Self.sms], true), ([Self.sms, Self.totp], true), ([Self.totp], false), ([], false),
        ]
        for (factors, isRefused) in factors {
            let owner = Self.account("owner") { account in
                account.phoneNumber = Self.number
                account.secondFactors = factors
            }
            for rules in [
                Self.rules(token: false), Self.rules(.reauthenticate, token: false),
                Self.rules(token: false, isByProof: true),
            ] {
                let end = try Self.end(rules, owner: owner)
                #expect((end == .refused(ServiceError(.unsupportedFirstFactor))) == isRefused)
            }
        }
    }

    @Test func closedSignUpStillAllowsSignIn() throws {
        let rules = Self.rules(token: false, allowsSelfSignUp: false)
        #expect(try Self.end(rules, owner: nil) == .refused(ServiceError(.adminOnlyOperation)))
        #expect(try Self.end(rules, owner: Self.owner) == .into("owner", .signIn, .phoneSignIn))
        #expect(
            try Self.end(Self.rules(token: true, allowsSelfSignUp: false), owner: nil, requester: Self.requester)
                == .into("requester", .phoneLinked, .phoneAddition))
    }

    private static let numbered = account("requester") { $0.phoneNumber = number }
    private static let renumbered = account("requester") { $0.phoneNumber = otherNumber }

    @Test(arguments: [Identity.PhoneIntent.signUpOrIn, .update, .link]) func idTokenLinksNumber(
        intent: Identity.PhoneIntent
    ) throws {
        let rules = Self.rules(intent, token: true)
        let rows: [(StoredAccount?, StoredAccount?, End)] = [
            (nil, Self.requester, .into("requester", .phoneLinked, .phoneAddition)),
            (nil, Self.renumbered, .into("requester", .phoneChanged, .phoneAddition)),
            (Self.numbered, Self.numbered, .into("requester", .signIn, .phoneReauthentication)),
            (Self.owner, Self.requester, .conflict),
            (Self.owner, Self.renumbered, .conflict), (nil, nil, .refused(ServiceError(.accountNotFound))),
            (nil, Self.account("requester") { $0.disabled = true }, .refused(ServiceError(.accountDisabled))),
            (
                nil, Self.account("requester") { $0.validSince = Self.now.timestamp + 1 },
                .refused(ServiceError(.sessionExpired))
            ),
            (
                nil, Self.account("requester") { $0.secondFactors = [Self.sms] },
                .refused(ServiceError(.unsupportedFirstFactor))
            ),
            (
                Self.owner, Self.account("requester") { $0.secondFactors = [Self.sms] },
                .refused(ServiceError(.unsupportedFirstFactor))
            ),
        ]
        for (owner, requester, end) in rows { #expect(try Self.end(rules, owner: owner, requester: requester) == end) }
        let proved = Self.rules(intent, token: true, isByProof: true)
        #expect(
            try Self.end(proved, owner: Self.owner, requester: Self.requester)
                == .refused(ServiceError(.phoneNumberExists)))
        #expect(
            try Self.end(proved, owner: nil, requester: Self.requester)
                == .into("requester", .phoneLinked, .phoneAddition))
    }

    @Test func idTokenDeterminesReauthenticatedAccount() throws {
        let rules = Self.rules(.reauthenticate, token: true)
        #expect(
            try Self.end(rules, owner: Self.numbered, requester: Self.numbered)
                == .into("requester", .signIn, .phoneSignIn))
        #expect(
            try Self.end(rules, owner: Self.owner, requester: Self.requester)
                == .refused(ServiceError(.accountNotFound)))
        #expect(try Self.end(rules, owner: nil, requester: Self.requester) == .refused(ServiceError(.accountNotFound)))
    }

    @Test func numberChangeRequiresRecentSignIn() throws {
        let recent = Self.rules(.update, token: true, age: 300)
        let old = Self.rules(.update, token: true, age: 301)
        #expect(
            try Self.end(recent, owner: nil, requester: Self.renumbered)
                == .into("requester", .phoneChanged, .phoneAddition))
        #expect(
            try Self.end(old, owner: nil, requester: Self.renumbered) == .refused(ServiceError(.recentSignInRequired)))
        #expect(
            try Self.end(old, owner: nil, requester: Self.requester) == .refused(ServiceError(.recentSignInRequired)))
        // An anonymous user has no way to sign in again.
        let anonymous = Self.rules(.update, token: true, age: 301, signInProvider: "anonymous")
        #expect(
            try Self.end(anonymous, owner: nil, requester: Self.account("requester"))
                == .into("requester", .phoneLinked, .phoneAddition))
        #expect(
            try Self.end(old, owner: Self.numbered, requester: Self.numbered)
                == .into("requester", .signIn, .phoneReauthentication))
    }

    @Test func temporaryProofRoundTripsAndIsNoOtherToken() {
        let proof = TemporaryProof(secret: Array(0..<32))
        #expect(TemporaryProof(proof.text) == proof)
        #expect(PendingCredential(proof.text) == nil && RefreshToken(proof.text) == nil)
        let pending = PendingCredential(secret: Array(0..<32)).text
        for text in ["", "made-up", "AAAA", pending, proof.text + "A", String(repeating: "A", count: 4000)] {
            #expect(TemporaryProof(text) == nil)
        }
    }
}
