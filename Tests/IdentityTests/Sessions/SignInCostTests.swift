import Contracts
import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// What identity does in its database for one sign-in. A statement costs its time, on a server a round trip too, and a page
/// is written twice. Whoever needs one more raises the number here, and sees what it costs.
struct SignInCostTests {
    enum Kind: CaseIterable {
        case anonymousSignUp, passkey, provider, secondFactor, refresh

        /// The statements in transactions, and the pages that their commit writes, in a small database: one for each table and
        /// each index that changes.
        var cost: (statements: Int, pages: Int) {
            switch self {
            case .anonymousSignUp: (6, 22)
            case .passkey: (8, 15)
            case .provider: (9, 14)
            case .secondFactor: (9, 18)
            case .refresh: (4, 3)
            }
        }
    }

    @Test(arguments: Kind.allCases) func signInCostsNoMoreThanBefore(kind: Kind) async throws {
        let statements = CountingDatabase.Statements()
        let fixture = try await IdentityFixture(.file, counting: statements)
        let signIn = try await prepare(kind, fixture)
        // The first one fills caches, which are valid for a second.
        try await signIn("first")
        fixture.clock.advance(by: .milliseconds(500))
        _ = statements.take()
        let before = try pages(fixture)
        try await signIn("second")
        let texts = statements.take()
        let after = try pages(fixture)
        #expect(texts.count == kind.cost.statements, "\(texts.joined(separator: "\n"))")
        #expect(after - before == kind.cost.pages)
    }

    /// - Returns: what signs in, with an idempotency key.
    private func prepare(
        _ kind: Kind, _ fixture: IdentityFixture
    ) async throws -> (_ key: String) async throws -> Void {
        switch kind {
        case .anonymousSignUp:
            return { key in
                _ = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm), idempotencyKey: key)
            }
        case .passkey:
            let made = try await fixture.signUpVerified()
            let passkey = PasskeyTests.passkey(1)
            _ = try await fixture.enroll(passkey, made.tokens)
            return { key in try await fixture.signIn(made.account.id, passkey.credentialID, idempotencyKey: key) }
        case .provider:
            _ = try await fixture.signInByProvider()
            return { key in _ = try await fixture.signInByProvider(idempotencyKey: key) }
        case .secondFactor:
            _ = try await fixture.signUpWithFactors()
            let first = try await PendingSignInTests.credential(fixture)
            let second = try await PendingSignInTests.credential(fixture)
            return { key in
                _ = try await PendingSignInTests.complete(
                    fixture, key == "first" ? first : second, idempotencyKey: key)
            }
        case .refresh:
            let token = try await fixture.signUp().tokens.refreshToken
            let next = try await fixture.refresh(token).refreshToken
            let last = try await fixture.refresh(next).refreshToken
            return { key in _ = try await fixture.refresh(key == "first" ? next : last) }
        }
    }

    /// The pages in the journal so far: the field `mxFrame` of its index (https://www.sqlite.org/walformat.html, section 2.1).
    private func pages(_ fixture: IdentityFixture) throws -> Int {
        let index = try Data(contentsOf: URL(filePath: fixture.place.directory.appending("identity.sqlite-shm")))
        return index[16..<20].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
