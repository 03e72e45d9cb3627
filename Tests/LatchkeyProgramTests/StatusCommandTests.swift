import CommandLineArguments
import Contracts
import ServiceRuntime
import Testing

@testable import LatchkeyProgram

@Suite struct StatusCommandTests {
    private func report(
        _ service: ServiceName, _ instance: String, _ metrics: [(name: String, labels: [String: String], value: Double)]
    ) -> ProcessReport {
        ProcessReport(
            service: service, instance: instance,
            metrics: metrics.map { .init(name: $0.name, kind: .gauge, labels: $0.labels, value: $0.value) })
    }

    @Test(arguments: [(0, "0s"), (59, "59s"), (61, "1m 1s"), (3600, "1h 0m"), (90_000, "1d 1h")])
    func durationHasTwoUnits(seconds: Int, text: String) {
        #expect(StatusCommand.duration(seconds) == text)
    }

    @Test func degradedMeshIsExplained() {
        let status = MeshStatus(
            [
                report(
                    .notifier, "notifier.1",
                    [("latchkey_component_outage_seconds", ["component": "email", "reason": "timed out"], 61)])
            ], secondsSince1970: 0)
        #expect(
            StatusError.degraded(status).messages == [
                "There is no process of broker.", "There is no process of gateway.", "There is no process of identity.",
                "notifier.1: email cannot work for 1m 1s: timed out.",
            ])
    }

    @Test func revocationRequiresConfirmation() throws {
        let environment = Environment(["LATCHKEY_BROKERS": "ipc:///tmp/none.sock"])
        let failure = #expect(throws: UsageError.self) { try KeysRevokeCommand(words: ["k"], over: environment) }
        #expect(failure?.sentence.hasSuffix("Add --yes.") == true)
        _ = try KeysRevokeCommand(words: ["k", "--yes"], over: environment)
    }
}
