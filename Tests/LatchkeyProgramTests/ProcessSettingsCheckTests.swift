import Contracts
import Foundation
import ServiceRuntime
import Testing

@testable import LatchkeyProgram

/// The settings check of a mesh whose processes are shell scripts. Serialized, because only one thread may start processes
/// at a time.
@Suite(.serialized)
struct ProcessSettingsCheckTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func script(_ name: String, _ text: String) throws {
        let path = folder.path + "/" + name
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: path + ".text"))
        // By another process: one that other tests start meanwhile would inherit the open file, which the kernel does
        // not execute then.
        let copy = try Process.run(URL(filePath: "/usr/bin/install"), arguments: ["-m", "700", path + ".text", path])
        copy.waitUntilExit()
        try #require(copy.terminationStatus == 0)
    }

    /// The refusals of a mesh of a broker, two identities and a notifier.
    private func refusals(within limit: Duration = .seconds(300)) async throws -> [ProcessSettingsCheck.Refusal] {
        let environment = Environment([
            "LATCHKEY_DEV": "1", "LATCHKEY_ONLY": "identity,notifier", "LATCHKEY_SCALE": "identity=2",
            "PATH": "/usr/bin:/bin",
        ])
        let plan = MeshPlan(
            try UpSettings(environment), environment, dataDirectory: folder.path, masterKeyFile: "k",
            brokers: ["ipc:///b"])
        return try await ProcessSettingsCheck(
            executable: { [folder] in .init(path: folder.path + "/" + $0.rawValue) }, timeLimit: limit
        ).refusals(in: plan)
    }

    private static let accepts = #"[ "$*" = --check ] || { echo "arguments: $*"; exit 78; }"#

    @Test func acceptedSettingsHaveNoRefusal() async throws {
        for name in ["broker", "identity", "notifier"] { try script(name, Self.accepts) }
        #expect(try await refusals() == [])
    }

    @Test func refusalsOfSeveralProcessesAreOne() async throws {
        try script("broker", Self.accepts)
        try script("identity", "echo 'identity: X is wrong.' >&2; exit 78")
        try script("notifier", "echo 'notifier: X is wrong.' >&2; echo 'notifier: Y is not set.' >&2; exit 78")
        let refusals = try await refusals()
        #expect(
            refusals == [
                .init(services: [.identity, .notifier], sentence: "X is wrong."),
                .init(services: [.notifier], sentence: "Y is not set."),
            ])
        let error = RefusedSettingsError(refusals: refusals)
        #expect(error.exitCode == 78)
        #expect(error.messages == ["identity, notifier: X is wrong.", "notifier: Y is not set."])
    }

    @Test func processThatCannotCheckIsNamed() async throws {
        try script("broker", Self.accepts)
        try script("identity", "echo 'identity: out of memory' >&2; exit 1")
        #expect(
            try await refusals() == [
                .init(services: [.identity], sentence: "The settings could not be checked: exit code 1."),
                .init(services: [.identity], sentence: "out of memory"),
                .init(
                    services: [.notifier],
                    sentence: "The settings could not be checked: not started: No such file or directory."),
            ])
    }

    /// With this limit the other processes may be killed, too.
    @Test func hangingProcessIsKilledAtLimit() async throws {
        for name in ["broker", "notifier"] { try script(name, Self.accepts) }
        try script("identity", "while :; do sleep 0.05; done")
        let refusals = try await refusals(within: .zero)
        #expect(refusals.map(\.sentence) == ["The settings could not be checked: signal 9."])
        #expect(refusals.first?.services.contains(.identity) == true)
    }
}
