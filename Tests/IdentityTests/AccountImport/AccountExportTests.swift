import Contracts
import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 4.1 with hashes.
@Suite struct AccountExportTests {
    private static let password = "exported-password-1"

    private func export(
        _ fixture: IdentityFixture, limit: Int = 1000, after pageToken: String? = nil, withPeppers: Bool = false
    ) async throws -> Identity.ExportAccounts.Reply {
        try await fixture.send(
            Identity.ExportAccounts(
                realm: IdentityFixture.realm, limit: limit, pageToken: pageToken, includesPeppers: withPeppers))
    }

    private func importAgain(
        _ fixture: IdentityFixture, _ exported: Identity.ExportedAccount
    ) async throws -> [Identity.ImportAccounts.Rejection] {
        let password = try #require(exported.password)
        return try await fixture.send(
            Identity.ImportAccounts(
                realm: IdentityFixture.realm,
                accounts: [
                    .init(
                        id: exported.account.id, profile: .init(email: exported.account.email?.rawValue),
                        passwordHash: password.hash.reveal(), salt: password.salt, algorithm: password.algorithm)
                ], algorithm: nil, allowsOverwrite: true)
        ).rejections
    }

    @Test(arguments: StoreEngine.shared)
    func importedHashIsExportedUntilTheFirstSignIn(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let algorithm = PasswordHashAlgorithm.hmac(
            .sha256, key: Secret(OctetString([1, 2])), order: .passwordAndSalt)
        let salt = Array("salt".utf8)
        let hash = HMAC.sha256(key: [1, 2], message: Array(Self.password.utf8) + salt)
        let imported = Identity.ImportAccounts(
            realm: IdentityFixture.realm,
            accounts: [
                .init(
                    id: AccountID("ada"), profile: .init(email: "ada@example.com"), passwordHash: OctetString(hash),
                    salt: OctetString(salt)), .init(id: AccountID("bob")),
            ], algorithm: algorithm, allowsOverwrite: true)
        #expect(try await fixture.send(imported).rejections.isEmpty)
        let reply = try await export(fixture)
        #expect(reply.accounts.map(\.account.id) == [AccountID("ada"), AccountID("bob")])
        #expect(
            reply.accounts.map(\.password) == [
                .init(algorithm: algorithm, salt: OctetString(salt), hash: Secret(OctetString(hash))), nil,
            ])
        #expect(reply.nextPageToken == nil)
        _ = try await fixture.signIn("ada@example.com", Self.password)
        guard
            case .pepperedArgon2(let parameters, let pepper)? = try await export(fixture).accounts.first?.password?
                .algorithm
        else {
            Issue.record("the hash was not replaced")
            return
        }
        #expect((parameters.memoryKiB, pepper) == (64, .init(id: "pepper", key: nil)))
        #expect(try await fixture.auditActions().filter { $0 == "accounts.exported" }.count == 2)
    }

    /// Security rule TO5.
    @Test func exportOfSecretsIsRecordedByItsName() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.send(
            Identity.ExportAccounts(realm: IdentityFixture.realm, limit: 1, addsSecrets: true))
        let actions = try await fixture.auditActions()
        #expect(actions.contains("accounts.secrets-exported") && !actions.contains("accounts.exported"))
    }

    @Test func pagesAreCompleteAndRecorded() async throws {
        let fixture = try await IdentityFixture()
        for name in ["a", "b", "c"] { _ = try await fixture.signUp("\(name)@example.com") }
        var (ids, pageToken) = ([AccountID](), String?.none)
        repeat {
            let page = try await export(fixture, limit: 2, after: pageToken)
            ids += page.accounts.map(\.account.id)
            pageToken = page.nextPageToken
        } while pageToken != nil
        #expect(ids.count == 3 && Set(ids).count == 3)
        #expect(try await fixture.auditActions().filter { $0 == "accounts.exported" }.count == 2)
        for limit in [0, 1001] {
            await #expect(throws: ServiceError.self) { try await export(fixture, limit: limit) }
        }
        await #expect(throws: ServiceError.self) { try await export(fixture, after: "invented") }
    }

    /// The same installation verifies its own hashes; another one needs the pepper.
    @Test func ownHashesMoveWithTheirPepperOnly() async throws {
        let (source, target) = (try await IdentityFixture(), try await IdentityFixture())
        _ = try await source.signUp("ada@example.com", Self.password)
        let bare = try #require(try await export(source).accounts.first)
        #expect(try await importAgain(source, bare).isEmpty)
        _ = try await source.signIn("ada@example.com", Self.password)
        // Both fixtures name their pepper alike, so the target cannot know that the hash is not its own.
        var other = bare
        if case .pepperedArgon2(let parameters, _)? = bare.password?.algorithm {
            other.password?.algorithm = .pepperedArgon2(parameters, .init(id: "other", key: nil))
        }
        #expect(try await importAgain(target, other).map(\.reason.code) == [.invalidPasswordHash])

        let complete = try #require(try await export(source, withPeppers: true).accounts.first)
        #expect(try await importAgain(target, complete).isEmpty)
        await #expect(throws: ServiceError.self) { try await target.signIn("ada@example.com", "another-password") }
        // The pepper stays confidential after it was imported.
        let kept = try #require(try await export(target).accounts.first?.password)
        guard case .pepperedArgon2(_, let pepper) = kept.algorithm else {
            Issue.record("another algorithm")
            return
        }
        #expect(pepper == .init(id: "pepper", key: nil))
        _ = try await target.signIn("ada@example.com", Self.password)
        let record = try await target.store.account(complete.account.id, in: IdentityFixture.realm)?.passwordRecord
        #expect(record?.hasPrefix("$argon2id$") == true)
    }

    @Test func flippedBitOfAnExportedHashIsRejected() async throws {
        let (source, target) = (try await IdentityFixture(), try await IdentityFixture())
        _ = try await source.signUp("ada@example.com", Self.password)
        var exported = try #require(try await export(source, withPeppers: true).accounts.first)
        var hash = try #require(exported.password).hash.reveal().bytes
        hash[0] ^= 1
        exported.password?.hash = Secret(OctetString(hash))
        #expect(try await importAgain(target, exported).isEmpty)
        await #expect(throws: ServiceError.self) { try await target.signIn("ada@example.com", Self.password) }
    }

    @Test(arguments: [
        PasswordHashAlgorithm.pepperedArgon2(
            .init(variant: .d, version: .v13, memoryKiB: 64, iterations: 1, parallelism: 1, hashByteCount: 32),
            .init(id: "k", key: Secret(OctetString([UInt8](repeating: 1, count: 32))))),
        .pepperedArgon2(
            .init(variant: .id, version: .v13, memoryKiB: 65_537, iterations: 1, parallelism: 1, hashByteCount: 32),
            .init(id: "k", key: Secret(OctetString([UInt8](repeating: 1, count: 32))))),
        .pepperedArgon2(
            .init(variant: .id, version: .v13, memoryKiB: 64, iterations: 1, parallelism: 1, hashByteCount: 32),
            .init(id: "k", key: Secret(OctetString([1])))),
        .pepperedArgon2(
            .init(variant: .id, version: .v13, memoryKiB: 64, iterations: 1, parallelism: 1, hashByteCount: 32),
            .init(id: "", key: Secret(OctetString([UInt8](repeating: 1, count: 32))))),
    ])
    func parametersOfOneAccountAreBounded(algorithm: PasswordHashAlgorithm) async throws {
        let fixture = try await IdentityFixture()
        let reply = try await fixture.send(
            Identity.ImportAccounts(
                realm: IdentityFixture.realm,
                accounts: [
                    .init(
                        id: AccountID("a"), passwordHash: OctetString([UInt8](repeating: 1, count: 32)),
                        salt: OctetString([UInt8](repeating: 1, count: 16)), algorithm: algorithm)
                ], algorithm: nil, allowsOverwrite: true))
        #expect(reply.rejections.map(\.reason.code) == [.invalidPasswordHashAlgorithm])
    }
}
