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

    static let holder = account("holder") { $0.phoneNumber = number }
    static let own = account("own") { $0.email = EmailAddress("own@example.com") }
    static let blank = account("blank")
    static let sms = SecondFactor(id: FactorID("f"), kind: .phone(otherNumber), displayName: nil, enrolledAt: now)
    static let totp = SecondFactor(id: FactorID("t"), kind: .totp, displayName: nil, enrolledAt: now)

    static func rules(
        _ intent: Identity.PhoneIntent = .signUpOrIn, token: Bool, isByProof: Bool = false,
        allowsSelfSignUp: Bool = true, age: Int64 = 0
    ) -> PhoneSignIn {
        let principal = Principal(
            accountID: AccountID("own"), realm: IdentityFixture.realm,
            issuedAt: Timestamp(seconds: now.timestamp.seconds - age),
            authenticatedAt: Timestamp(seconds: now.timestamp.seconds - age), signInProvider: "password")
        return PhoneSignIn(
            number: number, intent: intent, principal: token ? principal : nil, usesTemporaryProof: isByProof,
            allowsSelfSignUp: allowsSelfSignUp, now: now)
    }

    /// A short form of the decision.
    enum End: Equatable {
        case made, into(String, AuditEntry.Action, SessionOperation), conflict, refused(ServiceError)
    }

    static func end(_ rules: PhoneSignIn, holder: StoredAccount?, own: StoredAccount? = nil) throws -> End {
        do throws(ServiceError) {
            switch try rules.decide(holder: holder, own: own, blank: blank) {
            case .conflict(let id):
                #expect(id == holder?.account.id)
                return .conflict
            case .open(let opening):
                let account = opening.account.account
                #expect(account.phoneNumber == number && account.lastSignInAt == now)
                #expect(!opening.account.endsSessions)
                if opening.isNewAccount {
                    #expect(account.id == AccountID("blank") && opening.action == .accountCreated)
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
            (.signUpOrIn, nil, .made), (.signUpOrIn, holder, .into("holder", .signIn, .phoneSignIn)),
            (.reauthenticate, nil, .refused(ServiceError(.accountNotFound))),
            (.reauthenticate, holder, .into("holder", .signIn, .phoneSignIn)),
            (.update, nil, .refused(ServiceError(.missingIDToken))),
            (.link, nil, .refused(ServiceError(.missingIDToken))),
            (.signUpOrIn, account("holder") { $0.disabled = true }, .refused(ServiceError(.accountDisabled))),
            (.reauthenticate, account("holder") { $0.disabled = true }, .refused(ServiceError(.accountDisabled))),
            // Whether a second factor follows is for `SessionPolicy` to say.
            (.signUpOrIn, account("holder", numberedWithFactors), .into("holder", .signIn, .phoneSignIn)),
        ] as [(Identity.PhoneIntent, StoredAccount?, End)])
    func signInWithoutTokenFollowsTable(intent: Identity.PhoneIntent, holder: StoredAccount?, end: End) throws {
        #expect(try Self.end(Self.rules(intent, token: false), holder: holder) == end)
        #expect(try Self.end(Self.rules(intent, token: false, isByProof: true), holder: holder) == end)
    }

    private static let numberedWithFactors: @Sendable (inout Account) -> Void = {
        $0.phoneNumber = number
        $0.secondFactors = [totp, sms]
    }

    @Test func closedSignUpStillAllowsSignIn() throws {
        let rules = Self.rules(token: false, allowsSelfSignUp: false)
        #expect(try Self.end(rules, holder: nil) == .refused(ServiceError(.adminOnlyOperation)))
        #expect(try Self.end(rules, holder: Self.holder) == .into("holder", .signIn, .phoneSignIn))
        #expect(
            try Self.end(Self.rules(token: true, allowsSelfSignUp: false), holder: nil, own: Self.own)
                == .into("own", .phoneLinked, .phoneAddition))
    }

    private static let numbered = account("own") { $0.phoneNumber = number }
    private static let renumbered = account("own") { $0.phoneNumber = otherNumber }

    @Test(arguments: [Identity.PhoneIntent.signUpOrIn, .update, .link]) func idTokenLinksNumber(
        intent: Identity.PhoneIntent
    ) throws {
        let rules = Self.rules(intent, token: true)
        let rows: [(StoredAccount?, StoredAccount?, End)] = [
            (nil, Self.own, .into("own", .phoneLinked, .phoneAddition)),
            (nil, Self.renumbered, .into("own", .phoneChanged, .phoneAddition)),
            (Self.numbered, Self.numbered, .into("own", .signIn, .phoneReauthentication)),
            (Self.holder, Self.own, .conflict),
            (Self.holder, Self.renumbered, .conflict), (nil, nil, .refused(ServiceError(.accountNotFound))),
            (nil, Self.account("own") { $0.disabled = true }, .refused(ServiceError(.accountDisabled))),
            (
                nil, Self.account("own") { $0.validSince = Self.now.timestamp + 1 },
                .refused(ServiceError(.sessionExpired))
            ),
            (
                nil, Self.account("own") { $0.secondFactors = [Self.sms] },
                .refused(ServiceError(.unsupportedFirstFactor))
            ),
            (
                Self.holder, Self.account("own") { $0.secondFactors = [Self.sms] },
                .refused(ServiceError(.unsupportedFirstFactor))
            ),
        ]
        for (holder, own, end) in rows { #expect(try Self.end(rules, holder: holder, own: own) == end) }
        let proved = Self.rules(intent, token: true, isByProof: true)
        #expect(try Self.end(proved, holder: Self.holder, own: Self.own) == .refused(ServiceError(.phoneNumberExists)))
        #expect(try Self.end(proved, holder: nil, own: Self.own) == .into("own", .phoneLinked, .phoneAddition))
    }

    @Test func idTokenDeterminesReauthenticatedAccount() throws {
        let rules = Self.rules(.reauthenticate, token: true)
        #expect(try Self.end(rules, holder: Self.numbered, own: Self.numbered) == .into("own", .signIn, .phoneSignIn))
        #expect(try Self.end(rules, holder: Self.holder, own: Self.own) == .refused(ServiceError(.accountNotFound)))
        #expect(try Self.end(rules, holder: nil, own: Self.own) == .refused(ServiceError(.accountNotFound)))
    }

    @Test func numberChangeRequiresRecentSignIn() throws {
        let recent = Self.rules(.update, token: true, age: 300)
        let old = Self.rules(.update, token: true, age: 301)
        #expect(try Self.end(recent, holder: nil, own: Self.renumbered) == .into("own", .phoneChanged, .phoneAddition))
        #expect(try Self.end(old, holder: nil, own: Self.renumbered) == .refused(ServiceError(.recentSignInRequired)))
        #expect(try Self.end(old, holder: nil, own: Self.own) == .refused(ServiceError(.recentSignInRequired)))
        // An anonymous account has no way to sign in again.
        #expect(try Self.end(old, holder: nil, own: Self.account("own")) == .into("own", .phoneLinked, .phoneAddition))
        #expect(
            try Self.end(old, holder: Self.numbered, own: Self.numbered)
                == .into("own", .signIn, .phoneReauthentication))
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
