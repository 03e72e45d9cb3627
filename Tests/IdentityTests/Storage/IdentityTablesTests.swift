import Contracts
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite(.serialized) struct IdentityTablesTests {
    @Test(arguments: StoreEngine.allCases)
    func everyTableIsDescribedAsItWasMigrated(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let differences = try await TableDescriptionCheck.differences(
            between: IdentityTables.all, and: fixture.store.database, others: SealedRecords.tableNames)
        #expect(differences.isEmpty, "\(differences)")
    }

    /// A table of a realm is deleted with its tenant: by the list, or by a foreign key with its account.
    @Test func everyTableOfARealmIsDeletedWithItsTenant() async throws {
        let fixture = try await IdentityFixture()
        let deleted = Set(IdentityTables.tenantData.map { $0.table })
        let catalog = try await fixture.store.read { transaction in try transaction.tables() }
        for table in IdentityTables.all {
            // The outbox of deleted accounts is written by the deletion, which also retires the logo.
            guard table is any SQLRealmTable.Type, table.table != TenantTable.table,
                table.table != DeletedAccountTable.table, table.table != LogoTable.table
            else { continue }
            let references = try #require(catalog.first { $0.name == table.table }).references
            #expect(
                deleted.contains(table.table) || references.contains(AccountTable.table),
                "\(table.table) keeps data of a deleted tenant")
        }
    }

    @Test func factorOfAnUnknownKindIsATypedError() async throws {
        let fixture = try await IdentityFixture()
        let id = try await fixture.signUp().account.id
        try await fixture.store.write { transaction in
            let factor = SecondFactor(
                id: FactorID("f"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0))
            try transaction.execute(
                SecondFactorTable.insertion,
                SQLRecord(id, in: IdentityFixture.realm) + factor.columns + [.kind: "passkey"])
        }
        await #expect(
            throws: SQLError.columnTypeMismatch(name: "kind", expected: "a raw value of Method", found: "text")
        ) { try await fixture.store.account(id, in: IdentityFixture.realm) }
    }

    @Test(arguments: [nil, "12"])
    func phoneFactorWithoutAValidNumberIsATypedError(number: String?) async throws {
        let fixture = try await IdentityFixture()
        let id = try await fixture.signUp().account.id
        try await fixture.store.write { transaction in
            let factor = SecondFactor(
                id: FactorID("f"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0))
            try transaction.execute(
                SecondFactorTable.insertion,
                SQLRecord(id, in: IdentityFixture.realm) + factor.columns
                    + [.kind: SecondFactor.Method.phone, .phoneNumber: number])
        }
        await #expect(throws: SQLError.self) { try await fixture.store.account(id, in: IdentityFixture.realm) }
    }
}
