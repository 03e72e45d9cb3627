import Contracts
import Crypto
import DatabaseService
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService

/// A finish of an enrollment that comes again, because its reply was lost or its process was killed, and what is deleted
/// with an account. Serialized: each test uses several connections.
@Suite(.serialized) struct EnrollmentRepetitionTests {
    enum Loss: CaseIterable {
        /// Before the request to identity, after its effect, and after its reply.
        case beforeListing, afterListing, afterReply
    }

    @Test(arguments: StoreEngine.allCases, Loss.allCases)
    func sameRequestAgainGetsTheRecordedReply(engine: StoreEngine, loss: Loss) async throws {
        let fixture = try await PasskeyFixture(engine)
        var device = try SoftwareAuthenticator()
        let response = try device.register(try await fixture.startEnrollment())
        switch loss {
        case .beforeListing:
            fixture.identity.refuse(.enrollPasskey, .unavailable)
            #expect(await errorCode { try await fixture.finishEnrollment(response) } == .unavailable)
        case .afterListing:
            fixture.identity.state.withLock { $0.losesReply = true }
            #expect(await errorCode { try await fixture.finishEnrollment(response) } == .deadlineExceeded)
        case .afterReply: _ = try await fixture.finishEnrollment(response)
        }
        // From another address, and after the challenge has expired.
        fixture.clock.advance(by: .seconds(1800))
        let tokens = try await fixture.finishEnrollment(response, from: "192.0.2.7")
        #expect(tokens.refreshToken == Secret("refresh-1"))
        #expect(try await fixture.finishEnrollment(response) == tokens)
        #expect(fixture.identity.passkeys(of: "ada").count == 1)
        #expect(try await fixture.credentialCount() == 1)
        #expect(try await fixture.store.credential(device.credentialID, in: ProjectID("demo"))?.unlistedSince == nil)
        try await fixture.signIn(&device)
    }

    /// Another name, another account and another response are other requests.
    @Test func otherRequestWithTheSameChallengeIsRejected() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.add("eve")
        var device = try SoftwareAuthenticator()
        let options = try await fixture.startEnrollment()
        let response = try device.register(options)
        _ = try await fixture.finishEnrollment(response)
        var another = try SoftwareAuthenticator()
        let otherResponse = try another.register(options)
        for (response, id, name) in [
            (response, "ada", "desktop"), (response, "eve", "laptop"), (otherResponse, "ada", "laptop"),
        ] {
            #expect(
                await errorCode { try await fixture.finishEnrollment(response, by: id, name: name) }
                    == .invalidAuthenticatorResponse)
        }
        #expect(fixture.identity.passkeys(of: "eve") == [] && fixture.identity.passkeys(of: "ada").count == 1)
        #expect(try await fixture.credentialCount() == 1)
    }

    /// The recorded reply is over when its passkey has changed since.
    @Test func changedParametersAreRejectedWithoutLosingTheCredential() async throws {
        let fixture = try await PasskeyFixture()
        var device = try SoftwareAuthenticator()
        let response = try device.register(try await fixture.startEnrollment())
        _ = try await fixture.finishEnrollment(response)
        fixture.identity.refuse(.enrollPasskey, .idempotencyKeyReused)
        #expect(await errorCode { try await fixture.finishEnrollment(response) } == .invalidAuthenticatorResponse)
        try await fixture.signIn(&device)
    }

    @Test(arguments: StoreEngine.shared) func equalRequestsAtOnceGetOneReply(engine: StoreEngine) async throws {
        let fixture = try await PasskeyFixture(engine)
        let second = try await fixture.secondService()
        var device = try SoftwareAuthenticator()
        let response = try device.register(try await fixture.startEnrollment())
        let replies = await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        return Result<TokenSet, any Error>.success(
                            try await fixture.finishEnrollment(
                                response, of: number % 2 == 0 ? fixture.service : second.service))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let tokens = try replies.map { try $0.get().refreshToken.reveal() }
        #expect(Set(tokens) == ["refresh-1"])
        #expect(fixture.identity.passkeys(of: "ada").count == 1)
        await second.store.close()
    }

    @Test func finishedEnrollmentIsSweptAfterAnHour() async throws {
        let fixture = try await PasskeyFixture()
        var device = try SoftwareAuthenticator()
        let response = try device.register(try await fixture.startEnrollment())
        _ = try await fixture.finishEnrollment(response)
        fixture.clock.advance(by: .milliseconds(3_900_001))
        try await fixture.store.sweep(at: fixture.clock.now)
        #expect(await errorCode { try await fixture.finishEnrollment(response) } == .invalidAuthenticatorResponse)
    }

    // MARK: Deleted accounts

    @Test(arguments: StoreEngine.allCases)
    func whatWasStoredBeforeTheDeletionIsForgotten(engine: StoreEngine) async throws {
        let fixture = try await PasskeyFixture(engine)
        let tenant = Realm(project: ProjectID("demo"), tenant: TenantID("t"))
        _ = try await fixture.enrolled()
        _ = try await fixture.startEnrollment()
        var eve = try await fixture.enrolled("eve")
        fixture.identity.add("ada", in: tenant)
        _ = try await fixture.enrolled("ada", in: tenant)
        fixture.identity.add("ada")
        let deletedAt = fixture.clock.now
        fixture.clock.advance(by: .milliseconds(1))
        // A new account has the same ID.
        var later = try await fixture.enrolled()
        let request = Passkey.ForgetAccounts(
            realm: PasskeyFixture.realm, accounts: [.init(id: AccountID("ada"), deletedAt: deletedAt)])
        for _ in 0..<2 { _ = try await fixture.send(request) }
        let keys = try await fixture.store.listing.keys(after: nil, limit: 10)
        #expect(
            Set(keys.map { "\($0.realm.tenant?.rawValue ?? "-")/\($0.accountID.rawValue)" }) == [
                "-/ada", "-/eve", "t/ada",
            ])
        #expect(keys.count == 3)
        #expect(try await fixture.ceremonyCount() == 0)
        try await fixture.signIn(&later)
        try await fixture.signIn(&eve)
    }

    @Test func accountsWithoutIDAndTooManyAreRefused() async throws {
        let fixture = try await PasskeyFixture()
        let account = DeletedAccount(id: AccountID("a"), deletedAt: fixture.clock.now)
        func forget(_ accounts: [DeletedAccount]) async -> WireError.Code? {
            await errorCode {
                _ = try await fixture.send(
                    Passkey.ForgetAccounts(realm: PasskeyFixture.realm, accounts: accounts))
            }
        }
        #expect(await forget([.init(id: AccountID(""), deletedAt: fixture.clock.now)]) == .invalidRequest)
        let limit = Passkey.ForgetAccounts.maximumCount
        #expect(await forget(Array(repeating: account, count: limit + 1)) == .invalidRequest)
        #expect(await forget(Array(repeating: account, count: limit)) == nil)
    }
}
