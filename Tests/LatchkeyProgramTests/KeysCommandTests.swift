import CommandLineArguments
import Contracts
import Foundation
import MasterKey
import SQL
import SQLite
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import LatchkeyProgram

struct KeysCommandTests {
    @Test func commandLineIsParsed() throws {
        _ = try KeysListCommand(words: ["--dev", "--data", "x"])
        #expect(try KeysRotateMasterCommand(words: []).options == .init())
        #expect(try KeysRotateMasterCommand(words: ["--keep-old", "--data=x"]).options == .init(keepsOldKeys: true))
        #expect(try KeysRotateMasterCommand(words: ["--wait-only"]).options == .init(waitsOnly: true))
        #expect(try KeysRotateMasterCommand(words: ["--abort"]).options == .init(aborts: true))
        #expect(try KeysDeleteFormerCommand(words: ["--dev", "1a2b3c4d"]).id == "1a2b3c4d")
    }

    /// Parses the command below `latchkey keys` that the first word names.
    private func invalid(_ arguments: [String]) throws {
        guard
            case .command(let type, _, let words) = try CommandRunner(LatchkeyCommand.root).request(
                ["keys"] + arguments)
        else { return }
        _ = try type.init(words: words)
    }

    @Test(arguments: [
        [], ["rotate"], ["list", "--keep-old"], ["list", "--wait-only"], ["list", "more"], ["list", "--data"],
        ["list", "--data="], ["list", "--dev=1"], ["delete-former"], ["delete-former", "a", "b"],
        ["delete-former", "a", "--keep-old"], ["rotate-master", "--force"], ["--dev", "list"],
    ])
    func invalidCommandLineIsRefused(arguments: [String]) {
        let failure = #expect(throws: UsageError.self) { try invalid(arguments) }
        #expect(failure?.exitCode == 64)
    }

    @Test func listStatesRecordsOfEachKey() throws {
        let ring = try MasterKeyRing(
            text: "9f8e7d6c:\(String(repeating: "1", count: 64)) 1a2b3c4d:\(String(repeating: "2", count: 64))")
        let rows = KeyInventory.rows(
            of: ring,
            [
                (.identity, .init(found: ["9f8e7d6c": 12, "1a2b3c4d": 3])),
                (.mfaTOTP, .init(found: ["9f8e7d6c": 1, "deadbeef": 2], legacyCount: 4)),
            ])
        #expect(
            rows == [
                .init(key: "9f8e7d6c", use: .current, records: ["identity": 12, "mfa-totp": 1]),
                .init(key: "1a2b3c4d", use: .opens, records: ["identity": 3]),
                .init(key: "deadbeef", use: .missing, records: ["mfa-totp": 2]),
                .init(key: "unnamed", use: .opens, records: ["mfa-totp": 4]),
            ])
        #expect(rows.map(\.recordsText) == ["identity 12, mfa-totp 1", "identity 3", "mfa-totp 2", "mfa-totp 4"])
    }
}
