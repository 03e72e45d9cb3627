import DatabaseService
import MasterKey
import TestSupport
import Testing

@testable import MFASMSService

@Suite struct SMSTablesTests {
    @Test(arguments: StoreEngine.allCases)
    func describedTablesAreThoseOfTheDatabase(engine: StoreEngine) async throws {
        let fixture = try await SMSFixture(engine)
        let differences = try await TableDescriptionCheck.differences(
            between: SMSTables.all, and: fixture.store.database, others: SealedRecords.tableNames)
        #expect(differences == [])
        await fixture.store.close()
    }
}
