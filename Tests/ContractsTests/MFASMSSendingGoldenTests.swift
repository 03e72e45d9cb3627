import Contracts
import Testing
import Vocabulary

/// The JSON of the operator's requests about the send limits.
@Suite struct MFASMSSendingGoldenTests {
    @Test func sendingStatusMatchesGoldenJSON() throws {
        try expect(MFASMS.ReadSendingStatus(project: ProjectID("p")), is: #"{"project":"p"}"#)
        try expect(
            MFASMS.ReadSendingStatus.Reply(
                spentThisHourMicros: 1, spentThisDayMicros: 2, budgetPerHourMicros: 3, budgetPerDayMicros: 4,
                sentThisDay: 5, verifiedThisDay: 6,
                blockedPrefixes: [.init(prefix: "+8801812", blockedUntil: Moment(milliseconds: 7))]),
            is: """
                {"blockedPrefixes":[{"blockedUntil":7,"prefix":"+8801812"}],"budgetPerDayMicros":4,\
                "budgetPerHourMicros":3,"sentThisDay":5,"spentThisDayMicros":2,"spentThisHourMicros":1,\
                "verifiedThisDay":6}
                """)
        try expect(
            MFASMS.ReadSendingStatus.Reply(
                spentThisHourMicros: 0, spentThisDayMicros: 0, budgetPerHourMicros: nil, budgetPerDayMicros: nil,
                sentThisDay: 0, verifiedThisDay: 0, blockedPrefixes: []),
            is:
                #"{"blockedPrefixes":[],"sentThisDay":0,"spentThisDayMicros":0,"spentThisHourMicros":0,"verifiedThisDay":0}"#
        )
    }
}
