import MasterKey
import TestSupport
import Testing

@testable import NotifierService

@Suite struct NotifierTablesTests {
    @Test(arguments: StoreEngine.allCases)
    func describedTablesMatchDatabase(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let differences = try await TableDescriptionCheck.differences(
            between: NotifierTables.all, and: fixture.store.database, others: SealedRecords.tableNames)
        #expect(differences == [])
    }
}
