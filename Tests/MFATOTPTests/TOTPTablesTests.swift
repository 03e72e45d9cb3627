import DatabaseService
import MasterKey
import TestSupport
import Testing

@testable import MFATOTPService

@Suite struct TOTPTablesTests {
    @Test(arguments: StoreEngine.allCases)
    func describedTablesMatchDatabase(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        let differences = try await TableDescriptionCheck.differences(
            between: TOTPTables.all, and: fixture.store.database, others: SealedRecords.tableNames)
        #expect(differences == [])
        await fixture.store.close()
    }
}
