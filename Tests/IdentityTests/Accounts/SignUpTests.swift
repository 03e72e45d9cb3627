import Contracts
import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct SignUpTests {
    @Test func fiftyParallelSignUpsCreateOneAccount() async throws {
        let fixture = try await IdentityFixture()
        let made = await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        return try await fixture.signUp() as Identity.SignUp.Reply?
                    } catch {
                        #expect(
                            error as? ServiceError == ServiceError(.emailExists)
                                || error as? ServiceError == .overloaded)
                        return nil
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
        }
        #expect(made == 1)
    }

    @Test func anonymousAccountKeepsItsIDWhenAPasswordIsLinked() async throws {
        let fixture = try await IdentityFixture()
        let anonymous = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        fixture.clock.advance(by: .seconds(3600))
        let upgraded = try await fixture.send(
            Identity.SignUp(
                realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
                linkIDToken: anonymous.tokens.idToken))
        #expect(upgraded.account.id == anonymous.account.id)
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(anonymous.tokens.idToken) }
        await #expect(throws: ServiceError(.sessionExpired)) {
            try await fixture.refresh(anonymous.tokens.refreshToken)
        }
        #expect(try await fixture.signIn().account.id == anonymous.account.id)
    }

    @Test func linkingAPasswordRequiresARecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.recentSignInRequired)) {
            try await fixture.send(
                Identity.SignUp(
                    realm: IdentityFixture.realm, email: "eve@example.com", password: Secret("correct-horse-9"),
                    linkIDToken: made.tokens.idToken))
        }
    }

    @Test func repeatedCallGetsTheRecordedReply() async throws {
        let fixture = try await IdentityFixture()
        let request = Identity.SignUp(
            realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"))
        let first = try await fixture.send(request, idempotencyKey: "k1")
        let second = try await fixture.send(request, idempotencyKey: "k1")
        #expect(second.account == first.account)
        #expect(second.tokens.refreshToken == first.tokens.refreshToken)
        var other = request
        other.email = "eve@example.com"
        await #expect(throws: ServiceError(.idempotencyKeyReused)) {
            try await fixture.send(other, idempotencyKey: "k1")
        }
        let deletion = Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: first.tokens.idToken)
        for _ in 1...2 { #expect(try await fixture.send(deletion, idempotencyKey: "k2") == EmptyReply()) }
    }

    @Test func passwordsAreLongAndUncommonInProduction() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        await #expect(throws: ServiceError.weakPassword(.shorterThan(15))) {
            try await fixture.signUp("ada@example.com", "fourteen-chars")
        }
        await #expect(throws: ServiceError.weakPassword(.blocklisted)) {
            try await fixture.signUp("ada.lovelace.first@example.com", "ada.lovelace.first")
        }
        _ = try await fixture.signUp("ada@example.com", "correct horse battery")
        await #expect(throws: ServiceError(.adminOnlyOperation)) {
            try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        }
    }
}
