import Foundation
import TestSupport
import Testing

/// A slice of the simulation: `make simulate` runs more of it.
struct SimulationTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func busKeepsItsPromisesInEveryRun() async throws {
        let runs = try await simulate("--seeds", "4")
        #expect(runs.end == .code(0), "\(runs.output)")
    }

    @Test func messagesAndEventsAreDeliveredInEveryRun() async throws {
        let runs = try await simulate("--part", "deliveries", "--seeds", "4")
        #expect(runs.end == .code(0), "\(runs.output)")
    }

    @Test func accountsKeepWhatWasAcknowledgedInEveryRun() async throws {
        let runs = try await simulate("--part", "accounts", "--seeds", "3")
        #expect(runs.end == .code(0), "\(runs.output)")
    }

    @Test(arguments: ["bus", "deliveries", "accounts"]) func seedIsOneRun(part: String) async throws {
        let first = try await simulate("--part", part, "--seed", "7")
        let second = try await simulate("--part", part, "--seed", "7")
        let other = try await simulate("--part", part, "--seed", "8")
        #expect(first.end == .code(0) && first.output == second.output && first.output != other.output)
    }

    /// The order of sets would differ, and the seed of a failure would be worth nothing.
    @Test func runThatCannotBeRepeatedIsRefused() async throws {
        #expect(try await simulate("--seed", "7", repeatable: false).end == .code(64))
        #expect(try await simulate("--seed", "seven").end == .code(64))
        #expect(try await simulate("--part", "gateway").end == .code(64))
        #expect(try await simulate("--steps", "0").end == .code(64))
        #expect(try await simulate("--input", "/dev/null").end == .code(64))
        #expect(try await simulate("--part", "accounts", "--input", "/nowhere").end == .code(64))
        #expect(try await simulate("--seed", "18446744073709551615").end == .code(64))
        #expect(try await simulate("--seed").end == .code(64))
    }

    /// One of two would have no effect.
    @Test func secondChoiceOfRunsIsRefusedByName() async throws {
        let choices = [["--seed", "7"], ["--seeds", "1"], ["--steps", "1"], ["--input", "/dev/null"]]
        for first in choices {
            for second in choices {
                let runs = try await simulate(["--part", "accounts"] + first + second)
                #expect(
                    runs.end == .code(64) && runs.output == "\(second[0]) cannot be given beside \(first[0])\n",
                    "\(first), \(second)")
            }
        }
    }

    /// A patch that no longer applies plants nothing.
    @Test func everyPlantedDefectApplies() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let patches = root.appending(path: "Tests/Simulation/Planted")
        let names = try FileManager.default.contentsOfDirectory(atPath: patches.path)
        #expect(names.count >= 20)
        for name in names {
            let patch = try RunningProgram(
                "/usr/bin/patch",
                [
                    "--dry-run", "--quiet", "--strip=1", "--fuzz=0", "--directory=\(root.path)",
                    "--input=\(patches.appending(path: name).path)",
                ], in: folder)
            #expect(try await patch.ending() == .code(0), "\(name): \(patch.output)")
        }
    }

    private func simulate(
        _ arguments: String..., repeatable: Bool = true
    ) async throws -> (end: RunningProgram.End, output: String) {
        try await simulate(arguments, repeatable: repeatable)
    }

    private func simulate(
        _ arguments: [String], repeatable: Bool = true
    ) async throws -> (end: RunningProgram.End, output: String) {
        let program = try RunningProgram(
            "simulation", arguments, environment: repeatable ? ["SWIFT_DETERMINISTIC_HASHING": "1"] : [:], in: folder)
        return (try await program.ending(), program.output + program.errors)
    }
}
