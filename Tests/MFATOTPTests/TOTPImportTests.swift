import Contracts
import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import MFATOTPService

/// Factors whose secrets another system had.
@Suite struct TOTPImportTests {
    private static let secret = Array("12345678901234567890".utf8)
    private static let other = Array("another secret of it".utf8)

    private static func factor(_ secret: [UInt8], _ id: String = "imported") -> MFATOTP.ImportedFactor {
        .init(accountID: AccountID("ada"), factorID: FactorID(id), secret: Secret(OctetString(secret)))
    }

    private func run(
        _ fixture: TOTPFixture, _ factors: [MFATOTP.ImportedFactor], replacing: Bool = false
    ) async throws -> [Int] {
        try await fixture.send(
            MFATOTP.ImportFactors(realm: TOTPFixture.realm, factors: factors, replacesSecrets: replacing)
        ).keptIndices
    }

    private func signIn(_ fixture: TOTPFixture, _ secret: [UInt8]) async throws {
        try await fixture.signIn(
            .init(account: "ada", secret: secret, factorID: FactorID("imported")), fixture.code(secret))
    }

    @Test(arguments: StoreEngine.allCases) func importedSecretCompletesSignIn(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        #expect(try await run(fixture, [Self.factor(Self.secret)]).isEmpty)
        fixture.identity.list(FactorID("imported"), of: "ada")
        try await signIn(fixture, Self.secret)
        // A second import keeps the counters: the code stays used.
        #expect(try await run(fixture, [Self.factor(Self.secret)]).isEmpty)
        await #expect(throws: ServiceError(.invalidCode)) { try await signIn(fixture, Self.secret) }
    }

    @Test(arguments: StoreEngine.allCases) func listedFactorKeepsItsSecret(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        #expect(try await run(fixture, [Self.factor(Self.other)]).isEmpty)
        // Nobody uses an unlisted factor: a repeated import corrects it.
        #expect(try await run(fixture, [Self.factor(Self.secret)]).isEmpty)
        fixture.identity.list(FactorID("imported"), of: "ada")
        try await fixture.reconcile()
        #expect(try await run(fixture, [Self.factor(Self.other), Self.factor(Self.other, "new")]) == [0])
        try await signIn(fixture, Self.secret)
        #expect(try await run(fixture, [Self.factor(Self.other)], replacing: true).isEmpty)
        // The replaced secret has no used steps.
        try await signIn(fixture, Self.other)
        await #expect(throws: ServiceError(.invalidCode)) { try await signIn(fixture, Self.secret) }
    }

    @Test func factorThatIdentityDoesNotListIsDeletedAfterADay() async throws {
        let fixture = try await TOTPFixture()
        #expect(try await run(fixture, [Self.factor(Self.secret)]).isEmpty)
        fixture.clock.advance(by: .seconds(86_399))
        #expect(try await run(fixture, [Self.factor(Self.secret)]).isEmpty)
        fixture.clock.advance(by: .seconds(86_399))
        #expect(try await fixture.reconcile() == 0)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.reconcile() == 1)
    }

    @Test func sizesAreBounded() async throws {
        let fixture = try await TOTPFixture()
        for size in [9, 129] {
            await #expect(throws: ServiceError(.invalidRequest, "a secret has 10 to 128 bytes")) {
                try await run(fixture, [Self.factor([UInt8](repeating: 1, count: size))])
            }
        }
        let factors = (0...MFATOTP.ImportFactors.maximumCount).map { Self.factor(Self.secret, "f\($0)") }
        await #expect(throws: ServiceError(.invalidRequest, "at most 1000 factors")) { try await run(fixture, factors) }
        #expect(try await run(fixture, factors.dropLast()).isEmpty)
        #expect(try await fixture.factorCount() == MFATOTP.ImportFactors.maximumCount)
    }
}
