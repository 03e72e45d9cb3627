import Testing

@testable import SQLite

@Suite struct SQLiteLogTests {
    private static let corrupt: Int32 = 11
    private static let constraint: Int32 = 19
    private static let recovered: Int32 = 27 | 1 << 8

    @Test func messagesOfOneCodeAreLoggedOncePerMinute() {
        var filter = SQLiteLog.Filter()
        let start = ContinuousClock.now
        #expect(filter.receive(Self.corrupt, "page 1", at: start)?.text == "page 1")
        #expect(filter.receive(Self.corrupt | 1 << 8, "page 2", at: start + .seconds(59)) == nil)
        let later = filter.receive(Self.corrupt, "page 3", at: start + .seconds(60))
        #expect(later == .init(code: Self.corrupt, text: "page 3", isNotice: false, suppressed: 1))
    }

    @Test func callerErrorIsNotLogged() {
        var filter = SQLiteLog.Filter()
        #expect(filter.receive(Self.constraint, "UNIQUE constraint failed", at: .now) == nil)
    }

    @Test func recoveredJournalIsNotice() {
        var filter = SQLiteLog.Filter()
        #expect(filter.receive(Self.recovered, "recovered 3 frames", at: .now)?.isNotice == true)
    }
}
