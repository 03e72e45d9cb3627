import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct SessionRevocationTests {
    /// The ended sessions and the published event for each kind of change.
    @Test(
        arguments: [
            (.init(displayName: "X"), false, false, false), (.init(customClaims: #"{"a":1}"#), false, false, false),
            (.init(password: Secret("x")), true, true, true), (.init(email: "g@example.com"), true, true, true),
            (.init(disabled: true), false, false, true), (.init(disabled: false), false, false, false),
            (.init(validSince: StoredAccountTests.later.timestamp), false, true, true),
            (.init(validSince: Timestamp(seconds: 1)), false, false, false),
            (.init(secondFactors: []), true, true, true),
            (
                .init(secondFactors: [
                    .init(id: FactorID("phone"), kind: .phone(number: "+12025550101")),
                    .init(id: FactorID("more"), kind: .phone(number: "+12025550102")),
                ]), false, true, false
            ),
        ] as [(Identity.AccountChanges, Bool, Bool, Bool)])
    func revocationFollowsFromChange(
        changes: Identity.AccountChanges, endsSessions: Bool, endsPending: Bool, isNews: Bool
    ) throws {
        let before = SecondFactorListTests.account([SecondFactorListTests.phone])
        var after = before
        try after.apply(
            changes, passwordRecord: changes.password == nil ? nil : "new", at: StoredAccountTests.later)
        let revocation = SessionRevocation(before, after)
        #expect(revocation.endsSessions == endsSessions && revocation.endsPendingSignIns == endsPending)
        #expect(revocation.requiresEvent == isNews)
        // Devices end with sessions, and with a factor that they stand in for.
        #expect(revocation.forgetsDevices == revocation.endsEarlierSessions)
    }

    /// `validSince` has seconds; refresh tokens of the same second are revoked nevertheless.
    @Test(
        arguments: [
            .init(password: Secret("another-horse-9")), .init(email: "grace@example.com"), .init(removals: [.password]),
        ] as [Identity.AccountChanges])
    func refreshTokensOfSameSecondAreRevoked(changes: Identity.AccountChanges) async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, changes)
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(made.tokens.refreshToken) }
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, made.account.id)))
    }

    @Test func sessionsOfDisabledAccountAreSuspended() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.refresh(made.tokens.refreshToken) }
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.lookUp(made.tokens.idToken) }
        _ = try await fixture.change(made.account.id, .init(disabled: false))
        _ = try await fixture.refresh(made.tokens.refreshToken)
    }

    @Test func administratorRevocationEndsEarlierSessions() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(10))
        let later = try await fixture.signIn()
        _ = try await fixture.change(made.account.id, .init(validSince: later.account.validSince + 10))
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(made.tokens.refreshToken) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(made.tokens.idToken) }
        _ = try await fixture.refresh(later.tokens.refreshToken)
    }

    @Test func profileChangeEndsNoSessionAndPublishesNoEvent() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.changeOwn(made.tokens, .init(displayName: "Countess"))
        _ = try await fixture.refresh(made.tokens.refreshToken)
        #expect(!fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, made.account.id)))
    }

    @Test func tokensOfDeletedAccountReportIt() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.send(
            Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: made.tokens.idToken))
        await #expect(throws: ServiceError(.accountNotFound)) { try await fixture.refresh(made.tokens.refreshToken) }
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, made.account.id)))
    }
}
