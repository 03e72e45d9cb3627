import Contracts
import Testing
import Vocabulary

@testable import IdentityService

/// Security rules FE12 and FE13: an address that a provider has only asserted is not that of the account's owner. Each
/// proof of the mailbox removes the methods of whoever created the account.
@Suite struct AssertedEmailTests {
    private static let now = ProviderSignInRulesTests.now

    enum Proof: CaseIterable { case reset, emailLink, authoritativeProvider }

    private static func account(isProven: Bool) -> StoredAccount {
        var stored = ProviderSignInRulesTests.account("email", password: "record") { account in
            account.email = ProviderSignInRulesTests.email
            account.emailVerified = true
            account.phoneNumber = PhoneNumber("+12025550101")
            account.providers = [ProviderLink(providerID: "github.com", providerAccountID: "1")]
            account.passkeys = [PasskeyTests.passkey(1)]
        }
        stored.isEmailProven = isProven
        return stored
    }

    @Test(arguments: Proof.allCases, [true, false])
    func proofOfMailboxRemovesMethodsOfOthers(proof: Proof, isProven: Bool) throws {
        var stored = Self.account(isProven: isProven)
        let before = stored
        switch proof {
        case .reset: stored.resetPassword("new", at: Self.now)
        case .emailLink: stored.signInByLink(at: Self.now)
        case .authoritativeProvider:
            let decision = try ProviderSignInRulesTests.rules().decide(
                identityOwner: nil, emailOwner: stored, requestingAccount: nil,
                newAccount: ProviderSignInRulesTests.newAccount)
            guard case .open(let opening) = decision else {
                Issue.record("an authoritative provider signs in to the account of its address")
                return
            }
            stored = opening.account
            stored.account.providers.removeAll { $0 == ProviderSignInRulesTests.identity().link }
        }
        #expect(stored.hasProvenEmail)
        #expect(stored.account.providers == (isProven ? before.account.providers : []))
        #expect(stored.account.passkeys == (isProven ? before.account.passkeys : []))
        #expect(stored.account.phoneNumber == (isProven ? before.account.phoneNumber : nil))
        if !isProven { #expect(stored.endsSessions && stored.passwordRecord != "record") }
    }

    /// Who made the address verified, and whether that proves it.
    @Test(arguments: ProviderSignInRulesTests.Assertion.allCases)
    func newAccountIsProvenByAuthority(assertion: ProviderSignInRulesTests.Assertion) throws {
        let decision = try ProviderSignInRulesTests.rules(assertion).decide(
            identityOwner: nil, emailOwner: nil, requestingAccount: nil, newAccount: ProviderSignInRulesTests.newAccount
        )
        guard case .open(let opening) = decision else {
            Issue.record("an unknown identity gets an account")
            return
        }
        #expect(opening.account.account.emailVerified == (assertion != .unverified))
        #expect(opening.account.hasProvenEmail == (assertion == .authoritative))
    }

    @Test func administratorProvesAnAddress() throws {
        var stored = Self.account(isProven: false)
        try stored.apply(.init(emailVerified: true), passwordRecord: nil, at: Self.now)
        #expect(stored.hasProvenEmail)
    }
}
