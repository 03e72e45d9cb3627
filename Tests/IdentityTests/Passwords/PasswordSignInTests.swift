import Contracts
import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct PasswordSignInTests {
    @Test func passwordAccountSignsInAgain() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp("Ada@Example.com")
        #expect(made.account.email?.rawValue == "ada@example.com" && made.account.hasPassword)
        let again = try await fixture.signIn("ADA@example.COM")
        #expect(again.account.id == made.account.id)
        #expect(try await fixture.lookUp(again.tokens.idToken).id == made.account.id)
    }

    @Test func unknownAddressAndWrongPasswordAreOneRefusalWithEmailPrivacy() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        await #expect(throws: ServiceError(.invalidCredentials)) { try await fixture.signIn("nobody@example.com") }
        await #expect(throws: ServiceError(.invalidCredentials)) {
            try await fixture.signIn("ada@example.com", "wrong")
        }
        try await fixture.configure { $0.emailPrivacyConfig?.enableImprovedEmailPrivacy = false }
        await #expect(throws: ServiceError(.emailNotFound)) { try await fixture.signIn("nobody@example.com") }
        await #expect(throws: ServiceError(.invalidPassword)) { try await fixture.signIn("ada@example.com", "wrong") }
    }

    /// Only a caller with the correct password gets the error that the account is disabled (EN1).
    @Test(arguments: [true, false]) func disabledAccountIsNamedOnlyForCorrectPassword(isPrivate: Bool)
        async throws
    {
        let fixture = try await IdentityFixture()
        if !isPrivate { try await fixture.showsEmails() }
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        let wrong: ServiceError = isPrivate ? ServiceError(.invalidCredentials) : ServiceError(.invalidPassword)
        func changePassword(_ old: String) async throws {
            _ = try await fixture.send(
                Identity.ChangePassword(
                    realm: IdentityFixture.realm, email: "ada@example.com", oldPassword: Secret(old),
                    newPassword: Secret("another-horse-9")))
        }
        await #expect(throws: wrong) { try await fixture.signIn("ada@example.com", "wrong") }
        await #expect(throws: wrong) { try await changePassword("wrong") }
        await #expect(throws: wrong) {
            try await fixture.signIn("ada@example.com", String(repeating: "x", count: Password.maximumBytes + 1))
        }
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.signIn() }
        await #expect(throws: ServiceError(.accountDisabled)) { try await changePassword("correct-horse-9") }
    }

    @Test(arguments: ["ada@example.com", "nobody@example.com"])
    func sixthFailureIsDelayedForAnyEmail(email: String) async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        for _ in 1...5 {
            await #expect(throws: ServiceError(.invalidCredentials)) { try await fixture.signIn(email, "wrong") }
        }
        await #expect(throws: ServiceError.limited(by: .passwordAttempts, until: fixture.clock.now + .seconds(2))) {
            try await fixture.signIn(email)
        }
        fixture.clock.advance(by: .seconds(2))
        if email == "ada@example.com" { _ = try await fixture.signIn(email) }
    }

    @Test func attemptLimitHoldsUnderConcurrency() async throws {
        let fixture = try await IdentityFixture(maximumWaitingPasswords: 500)
        _ = try await fixture.signUp()
        let verified = await withTaskGroup { group in
            for guess in 0..<100 {
                group.addTask {
                    do {
                        _ = try await fixture.signIn("ada@example.com", "guess-\(guess)")
                        return true
                    } catch {
                        return error as? ServiceError == ServiceError(.invalidCredentials)
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(verified == 5)
    }

    @Test func parallelCorrectPasswordsAreNotLimited() async throws {
        let fixture = try await IdentityFixture(maximumWaitingPasswords: 500)
        _ = try await fixture.signUp()
        try await withThrowingTaskGroup { group in
            for _ in 0..<40 { group.addTask { _ = try await fixture.signIn() } }
            try await group.waitForAll()
        }
    }

    @Test func disabledAccountCountsNoFailures() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.invalidCredentials)) {
            try await fixture.signIn("ada@example.com", "wrong")
        }
        for _ in 1...6 {
            // Nothing of this is a guess.
            await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.signIn() }
        }
    }

    /// Security rule PW10.
    @Test func fullHasherQueueRefusesWithoutCountingTheAttempt() async throws {
        let fixture = try await IdentityFixture(maximumWaitingPasswords: 0)
        _ = try await fixture.signUp()
        let refused = await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        _ = try await fixture.signIn("user-\(number)@example.com")
                        return false
                    } catch {
                        return error as? ServiceError == .overloaded
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refused > 0)
        _ = try await fixture.signIn()
    }

    @Test func takenSlotsRefuseBeforeOtherWork() async throws {
        let hasher = PasswordHasher(
            threads: 1, maximumWaiting: 1, pepper: .init(id: "pepper", key: []),
            now: { Moment(milliseconds: 0) }, randomBytes: { [UInt8](repeating: 0, count: $0) })
        try hasher.requireFreeSlot()
        try await hasher.withSlot {
            try hasher.requireFreeSlot()
            try await hasher.withSlot {
                let error = #expect(throws: ServiceError.self) { try hasher.requireFreeSlot() }
                #expect(error == .overloaded)
            }
            try hasher.requireFreeSlot()
        }
    }
}
