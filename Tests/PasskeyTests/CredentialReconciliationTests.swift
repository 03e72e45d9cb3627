import Contracts
import Crypto
import DatabaseService
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService

/// What becomes of credentials whose listing failed, or that identity lists no more.
@Suite struct CredentialReconciliationTests {
    @Test func refusedEnrollmentLeavesNothing() async throws {
        let fixture = try await PasskeyFixture()
        for code in [WireError.Code.passkeyLimitExceeded, .passkeyExists, .sessionExpired, .invalidDisplayName] {
            fixture.identity.refuse(.enrollPasskey, code)
            #expect(await errorCode { _ = try await fixture.enrolled() } == code)
            #expect(try await fixture.credentialCount() == 0)
        }
        #expect(try await fixture.ceremonyCount() == 0)
    }

    /// The credential stays, because identity may have listed it.
    @Test(arguments: [WireError.Code.unavailable, .deadlineExceeded, .overloaded, .internal])
    func uncertainEnrollmentKeepsCredentialForOneDay(code: WireError.Code) async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.refuse(.enrollPasskey, code)
        #expect(await errorCode { _ = try await fixture.enrolled() } == code)
        #expect(try await fixture.credentialCount() == 1)
        #expect(fixture.identity.passkeys(of: "ada") == [])
        fixture.clock.advance(by: .milliseconds(86_399_999))
        #expect(try await fixture.reconcile() == 0)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await fixture.reconcile() == 1)
        #expect(try await fixture.credentialCount() == 0)
    }

    @Test func enrollmentWithLostReplySignsInAndIsKept() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.state.withLock { $0.losesReply = true }
        var device = try SoftwareAuthenticator()
        let response = try device.register(try await fixture.startEnrollment())
        #expect(await errorCode { try await fixture.finishEnrollment(response) } == .deadlineExceeded)
        try await fixture.signIn(&device)
        for _ in 0..<3 {
            #expect(try await fixture.reconcile() == 0)
            fixture.clock.advance(by: .seconds(80_000))
        }
        try await fixture.signIn(&device)
    }

    /// Before the check and while the existing credential is looked up, nothing is redeemed.
    @Test func unavailableIdentityRedeemsNoRegistration() async throws {
        let fixture = try await PasskeyFixture()
        var device = try SoftwareAuthenticator()
        let response = try device.register(try await fixture.startEnrollment())
        fixture.identity.refuse(.checkPasskeyEnrollment, .unavailable)
        #expect(await errorCode { try await fixture.finishEnrollment(response) } == .unavailable)
        try await fixture.finishEnrollment(response)

        let again = try device.register(try await fixture.startEnrollment())
        fixture.identity.refuse(.findAccounts, .unavailable)
        #expect(await errorCode { try await fixture.finishEnrollment(again) } == .unavailable)
        #expect(await errorCode { try await fixture.finishEnrollment(again) } == .passkeyExists)
    }

    // MARK: The same credential again

    @Test func enrolledCredentialIsNotEnrolledAgain() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        fixture.identity.add("eve")
        for id in ["ada", "eve"] {
            let options = try await fixture.startEnrollment(id)
            let response = try device.register(options)
            #expect(await errorCode { try await fixture.finishEnrollment(response, by: id) } == .passkeyExists)
            // The challenge is redeemed.
            var another = try SoftwareAuthenticator()
            let second = try another.register(options)
            #expect(
                await errorCode { try await fixture.finishEnrollment(second, by: id) }
                    == .invalidAuthenticatorResponse)
        }
        #expect(try await fixture.stored(device)?.accountID == AccountID("ada"))
        #expect(try await fixture.credentialCount() == 1)
    }

    /// Credential IDs are unique in a project, over all tenants.
    @Test func credentialOfAnotherTenantExists() async throws {
        let tenant = Realm(project: ProjectID("demo"), tenant: TenantID("t"))
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled("tom", in: tenant)
        let response = try device.register(try await fixture.startEnrollment())
        #expect(await errorCode { try await fixture.finishEnrollment(response) } == .passkeyExists)
    }

    @Test func removedCredentialIsReplaced() async throws {
        let fixture = try await PasskeyFixture()
        var device = try await fixture.enrolled()
        fixture.identity.add("eve")
        fixture.identity.change("ada") { $0.passkeys = [] }
        var other = try SoftwareAuthenticator(credentialID: device.credentialID)
        try await fixture.finishEnrollment(other.register(try await fixture.startEnrollment("eve")), by: "eve")
        #expect(try await fixture.stored(device)?.accountID == AccountID("eve"))
        try await fixture.signIn(&other)
        #expect(await errorCode { try await fixture.signIn(&device) } == .invalidAuthenticatorResponse)
    }

    /// An enrollment in progress: identity will list the credential in a moment.
    @Test func credentialOfEnrollmentInProgressIsNotReplaced() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.refuse(.enrollPasskey, .deadlineExceeded)
        var device = try SoftwareAuthenticator()
        let first = try device.register(try await fixture.startEnrollment())
        #expect(await errorCode { try await fixture.finishEnrollment(first) } == .deadlineExceeded)
        fixture.clock.advance(by: .milliseconds(59_999))
        let early = try device.register(try await fixture.startEnrollment())
        #expect(await errorCode { try await fixture.finishEnrollment(early) } == .passkeyExists)
        fixture.clock.advance(by: .milliseconds(1))
        try await fixture.finishEnrollment(device.register(try await fixture.startEnrollment()))
        try await fixture.signIn(&device)
    }

    // MARK: Reconciliation

    @Test(arguments: StoreEngine.allCases)
    func unlistedCredentialsAreDeletedAfterOneDay(engine: StoreEngine) async throws {
        let tenant = Realm(project: ProjectID("demo"), tenant: TenantID("t"))
        let fixture = try await PasskeyFixture(engine)
        var device = try await fixture.enrolled()
        let removed = try await fixture.enrolled()
        _ = try await fixture.enrolled("tom", in: tenant)
        fixture.identity.change("ada") { $0.passkeys.removeAll { $0.credentialID == removed.credentialID } }
        fixture.identity.state.withLock { $0.accounts[AccountID("tom")] = nil }
        #expect(try await fixture.reconcile() == 0)
        fixture.clock.advance(by: .milliseconds(86_399_999))
        #expect(try await fixture.reconcile() == 0)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await fixture.reconcile() == 2)
        #expect(try await fixture.store.listing.keys(after: nil, limit: 9).map(\.id) == [device.credentialID])
        try await fixture.signIn(&device)
        #expect(fixture.logged.lines(of: "passkey.credentials-deleted").count == 1)
        await fixture.store.close()
    }

    @Test func relistedCredentialIsKept() async throws {
        let fixture = try await PasskeyFixture()
        _ = try await fixture.enrolled()
        let passkeys = fixture.identity.passkeys(of: "ada")
        for listed in [[], passkeys, []] {
            fixture.identity.change("ada") { $0.passkeys = listed }
            #expect(try await fixture.reconcile() == 0)
            fixture.clock.advance(by: .seconds(80_000))
        }
        #expect(try await fixture.credentialCount() == 1)
    }

    @Test func credentialsAreKeptWhileIdentityIsUnavailable() async throws {
        let fixture = try await PasskeyFixture()
        _ = try await fixture.enrolled()
        for code in [WireError.Code.unavailable, .deadlineExceeded] {
            fixture.identity.refuse(.findAccounts, code)
            await #expect(throws: ServiceError(code)) { try await fixture.reconcile() }
            fixture.clock.advance(by: .seconds(90_000))
        }
        // Identity was restored from a backup without the project.
        for _ in 0..<2 {
            fixture.identity.refuse(.findAccounts, .projectNotFound)
            #expect(try await fixture.reconcile() == 0)
            fixture.clock.advance(by: .seconds(90_000))
        }
        #expect(try await fixture.credentialCount() == 1)
        // A deleted tenant is a valid reply.
        for _ in 0..<2 {
            fixture.identity.refuse(.findAccounts, .tenantNotFound)
            try await fixture.reconcile()
            fixture.clock.advance(by: .seconds(90_000))
        }
        #expect(try await fixture.credentialCount() == 0)
    }

    @Test func reconciliationReadsCredentialsInPages() async throws {
        let fixture = try await PasskeyFixture()
        for _ in 0..<230 { _ = try await fixture.enrolled() }
        fixture.identity.change("ada") { $0.passkeys.removeLast(115) }
        let before = fixture.identity.state.withLock { $0.criteria.count }
        try await fixture.reconcile()
        #expect(fixture.identity.state.withLock { $0.criteria.count } == before + 3)
        fixture.clock.advance(by: .seconds(86_400))
        #expect(try await fixture.reconcile() == 115)
        #expect(try await fixture.credentialCount() == 115)
    }
}
