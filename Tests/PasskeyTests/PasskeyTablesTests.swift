import DatabaseService
import MasterKey
import TestSupport
import Testing

@testable import PasskeyService

@Suite struct PasskeyTablesTests {
    @Test(arguments: StoreEngine.allCases)
    func describedTablesMatchDatabase(engine: StoreEngine) async throws {
        let fixture = try await PasskeyFixture(engine)
        let differences = try await TableDescriptionCheck.differences(
            between: PasskeyTables.all, and: fixture.store.database, others: SealedRecords.tableNames)
        #expect(differences == [])
        await fixture.store.close()
    }
}
