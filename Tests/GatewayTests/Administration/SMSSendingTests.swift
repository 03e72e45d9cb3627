import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct SMSSendingTests {
    private static func response(_ change: (inout MFASMS.ReadSendingStatus.Reply) -> Void = { _ in }) async throws
        -> TestResponse
    {
        var reply = MFASMS.ReadSendingStatus.Reply(
            spentThisHourMicros: 1_250_000, spentThisDayMicros: 70_000, budgetPerHourMicros: 20_000_000,
            budgetPerDayMicros: nil, sentThisDay: 12, verifiedThisDay: 9, blockedPrefixes: [])
        change(&reply)
        let harness = try GatewayHarness()
        harness.mesh.reply(to: MFASMS.ReadSendingStatus.self) { [reply] request in
            #expect(request.project == ProjectID("demo-latchkey"))
            return reply
        }
        return try await harness.admin(.get, "/smsSending", version: "v2")
    }

    @Test func spentBudgetAndBlockedPrefixesAreReturned() async throws {
        let response = try await Self.response {
            $0.blockedPrefixes = [.init(prefix: "+8801812", blockedUntil: Moment(milliseconds: 1_700_000_000_000))]
        }
        #expect(response.status == 200)
        #expect(
            response.json
                == (try json(
                    """
                    {"name":"projects/demo-latchkey/smsSending","thisHour":{"spent":"1.25","budget":"20"},
                    "thisDay":{"spent":"0.07"},"sentThisDay":12,"verifiedThisDay":9,
                    "closedPrefixes":[{"prefix":"+8801812","until":"2023-11-14T22:13:20.000Z"}]}
                    """)))
    }

    @Test(
        arguments: [
            (0, "0"), (1, "0.000001"), (1_000_000, "1"), (10_500_000, "10.5"), (999_999, "0.999999"),
            (100_010_000, "100.01"),
        ] as [(Int64, String)])
    func amountsAreExact(micros: Int64, text: String) async throws {
        let response = try await Self.response { $0.spentThisHourMicros = micros }
        #expect(response.json["thisHour"]?["spent"] == .string(text))
    }
}
