import Contracts
import DatabaseService
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService

/// Passkeys that another installation has registered.
@Suite struct PasskeyImportTests {
    /// A passkey as an export has it.
    private func exported(_ fixture: PasskeyFixture, _ account: Account) async throws -> [Passkey.ImportedCredential] {
        let records = try await PublicKeyExport.records(of: [account], in: fixture.store.database)
        return account.passkeys.compactMap { passkey in
            records[passkey.credentialID].map { .init(accountID: account.id, passkey: passkey, publicKey: $0) }
        }
    }

    private func account(_ fixture: PasskeyFixture, _ id: String = "ada") throws -> Account {
        try #require(fixture.identity.state.withLock { $0.accounts[AccountID(id)] })
    }

    private func run(
        _ fixture: PasskeyFixture, _ credentials: [Passkey.ImportedCredential], in realm: Realm = PasskeyFixture.realm
    ) async throws -> [Int] {
        try await fixture.send(Passkey.ImportCredentials(realm: realm, credentials: credentials)).refusedIndices
    }

    @Test(arguments: StoreEngine.allCases) func importedPasskeySignsIn(engine: StoreEngine) async throws {
        let old = try await PasskeyFixture(engine)
        var device = try await old.enrolled { $0.signCount = 5 }
        let credentials = try await exported(old, account(old))
        #expect(credentials.count == 1)
        let new = try await PasskeyFixture(engine)
        for _ in 1...2 { #expect(try await run(new, credentials).isEmpty) }
        new.identity.change("ada") { $0.passkeys = credentials.map(\.passkey) }
        #expect(try await new.reconcile() == 0)
        device.signCount = 6
        try await new.signIn(&device)
        let (before, after) = (try await old.stored(device), try await new.stored(device))
        #expect(before?.publicKey == after?.publicKey && before?.userHandle == after?.userHandle)
        #expect(before?.signCount == 5 && after?.signCount == 6)
        for fixture in [old, new] { await fixture.store.close() }
    }

    @Test func credentialBelongsToOneAccount() async throws {
        let fixture = try await PasskeyFixture()
        _ = try await fixture.enrolled()
        var credentials = try await exported(fixture, account(fixture))
        var other = try #require(credentials.first)
        other.accountID = AccountID("eve")
        var malformed = other
        malformed.passkey.credentialID = try #require(CredentialID([1]))
        malformed.publicKey.coseKey = OctetString([0xa0])
        credentials += [other, malformed]
        #expect(try await run(fixture, credentials) == [1, 2])
        let tenant = Realm(project: PasskeyFixture.realm.project, tenant: TenantID("t"))
        #expect(try await run(fixture, credentials, in: tenant) == [0, 1, 2])
        #expect(try await fixture.credentialCount() == 1)
    }

    @Test func passkeyThatIdentityDoesNotListIsDeletedAfterADay() async throws {
        let old = try await PasskeyFixture()
        _ = try await old.enrolled()
        let credentials = try await exported(old, account(old))
        let fixture = try await PasskeyFixture()
        #expect(try await run(fixture, credentials).isEmpty)
        fixture.clock.advance(by: .seconds(86_399))
        #expect(try await run(fixture, credentials).isEmpty)
        fixture.clock.advance(by: .seconds(86_399))
        #expect(try await fixture.reconcile() == 0)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.reconcile() == 1)
    }

    @Test func numberIsBounded() async throws {
        let fixture = try await PasskeyFixture()
        _ = try await fixture.enrolled()
        let one = try #require(try await exported(fixture, account(fixture)).first)
        let many = [Passkey.ImportedCredential](repeating: one, count: Passkey.ImportCredentials.maximumCount + 1)
        await #expect(throws: ServiceError(.invalidRequest, "at most 200 credentials")) {
            try await run(fixture, many)
        }
    }
}
