import CommandLineArguments
import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import LatchkeyProgram

@Suite struct HealthcheckTests {
    private static let address = HostPort(host: "127.0.0.1", port: 9099)

    @Test func gatewayDecides() throws {
        try HealthcheckCommand.judge(.ready, of: Self.address)
        #expect(throws: HealthcheckError.missing(["identity"])) {
            try HealthcheckCommand.judge(.missing(["identity"]), of: Self.address)
        }
        #expect(throws: HealthcheckError.draining) { try HealthcheckCommand.judge(.draining, of: Self.address) }
        #expect(throws: HealthcheckError.noAnswer(Self.address)) {
            try HealthcheckCommand.judge(.none, of: Self.address)
        }
    }

    /// A mesh of senders has no gateway.
    @Test func reportsDecideWithoutAGateway() throws {
        func status(_ services: ServiceName..., outage: String? = nil) -> MeshStatus {
            let reports = services.map { service in
                let metrics: [ProcessReport.Metric] =
                    outage.map { component in
                        [
                            .init(
                                name: ProcessReport.Metric.outageName, kind: .gauge,
                                labels: ["component": component, "reason": "down"], value: 3)
                        ]
                    } ?? []
                return ProcessReport(service: service, instance: "\(service.rawValue).1", metrics: metrics)
            }
            return MeshStatus(reports, secondsSince1970: 1000)
        }
        try HealthcheckCommand.judge(status(.broker, .notifier), expecting: [.notifier])
        #expect(throws: HealthcheckError.missing(["notifier"])) {
            try HealthcheckCommand.judge(status(.broker), expecting: [.notifier])
        }
        #expect(throws: HealthcheckError.missing(["notifier.1: outbox"])) {
            try HealthcheckCommand.judge(status(.notifier, outage: "outbox"), expecting: [.notifier])
        }
    }

    /// Without a gateway among the kinds of processes, a directory without sockets is no mesh.
    @Test func kindsSayWhoIsAsked() throws {
        let folder = try TemporaryFolder()
        let settings = ["LATCHKEY_DATA": folder.path, "LATCHKEY_ONLY": "notifier"]
        let arguments = try ParsedArguments([], of: HealthcheckCommand.declaration, over: Environment(settings))
        #expect(throws: LauncherError.self) { try HealthcheckCommand(arguments, arguments.environment) }
        let whole = arguments.environment.changing(["LATCHKEY_ONLY": nil])
        #expect(throws: Never.self) { try HealthcheckCommand(arguments, whole) }
    }
}
