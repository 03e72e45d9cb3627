import Contracts
import Foundation
import MasterKey
import TestSupport
import Testing

/// A process reloads its key file.
struct ReloadingMasterKeyRingTests {
    private let file: KeyFile
    private let clock = ManualClock()
    private static let old = MasterKey.named("1a2b3c4d")
    private static let new = MasterKey.named("9f8e7d6c", byte: 9)

    init() throws { file = try KeyFile(MasterKeyRing(Self.old)) }

    private func open() throws -> ReloadingMasterKeyRing {
        try ReloadingMasterKeyRing(.file(file.path), now: { [clock] in clock.instant })
    }

    @Test func changedFileIsReloaded() throws {
        let keys = try open()
        try keys.refresh()
        #expect(keys.ring.ids == ["1a2b3c4d"])
        try file.replace(with: MasterKeyRing(Self.new, former: [Self.old]))
        #expect(keys.ring.ids == ["1a2b3c4d"])
        try keys.refresh()
        #expect(keys.ring.ids == ["9f8e7d6c", "1a2b3c4d"])
    }

    /// A suspended process reloads the file before it seals.
    @Test func replacedKeySealsNothingAfterOneSecond() throws {
        let sealing = SealingKeys(try open(), of: .identity)
        try file.replace(with: MasterKeyRing(Self.new, former: [Self.old]))
        clock.advance(by: .milliseconds(999))
        #expect(SealingKeys.keyID(of: try sealing.seal([1], binding: [])) == "1a2b3c4d")
        clock.advance(by: .milliseconds(1))
        #expect(SealingKeys.keyID(of: try sealing.seal([1], binding: [])) == "9f8e7d6c")
    }

    @Test func unknownKeyCausesReload() throws {
        let slow = SealingKeys(try open(), of: .identity)
        try file.replace(with: MasterKeyRing(Self.new, former: [Self.old]))
        let record = try SealingKeys(try open(), of: .identity).seal([1, 2, 3], binding: [4])
        #expect(try slow.open(record, binding: [4]) == [1, 2, 3])
        #expect(slow.masterKeys.ring.ids == ["9f8e7d6c", "1a2b3c4d"])
    }

    @Test func recordUnderMissingKeyNamesIt() throws {
        let sealing = SealingKeys(try open(), of: .identity)
        let foreign = SealingKeys(try ReloadingMasterKeyRing(.variable(MasterKeyRing(Self.new))), of: .identity)
        let record = try foreign.seal([1], binding: [])
        let fault = #expect(throws: MasterKeyError.self) { try sealing.open(record, binding: []) }
        #expect(fault == .unknownKey(id: "9f8e7d6c", place: file.path))
        #expect(
            fault?.messages == [
                "The database was sealed under master key 9f8e7d6c, which \(file.path) does not hold. Put the key file "
                    + "back from your backup, or let LATCHKEY_MASTER_KEY_FILE name the right one."
            ])
        #expect(throws: MasterKeyError.unknownKey(id: "1a2b3c4d", place: "LATCHKEY_MASTER_KEY")) {
            try foreign.open(try sealing.seal([1], binding: []), binding: [])
        }
    }

    @Test func parallelReadsWithUnknownKeyAllSucceed() async throws {
        for round in 0..<20 {
            let slow = SealingKeys(try open(), of: .identity)
            let key = MasterKey.named("0000000\(String(round % 16, radix: 16))", byte: UInt8(round))
            try file.replace(with: try MasterKeyFile.read(file.path).rotated(to: key))
            let record = try SealingKeys(try open(), of: .identity).seal([1], binding: [])
            try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { try slow.open(record, binding: []) } }
                for try await plain in group { #expect(plain == [1]) }
            }
            try file.replace(with: MasterKeyRing(Self.old))
        }
    }

    @Test func removedKeyStillOpensInProcessThatHadIt() throws {
        let sealing = SealingKeys(try open(), of: .identity)
        let record = try sealing.seal([1], binding: [])
        try file.replace(with: MasterKeyRing(Self.new))
        try sealing.masterKeys.refresh()
        #expect(sealing.masterKeys.ring.ids == ["9f8e7d6c"])
        #expect(try sealing.open(record, binding: []) == [1])
        let started = SealingKeys(try open(), of: .identity)
        #expect(throws: MasterKeyError.self) { try started.open(record, binding: []) }
    }

    @Test func unusableFileIsReportedOnceAndRingIsKept() throws {
        let keys = try open()
        try file.write("no key")
        #expect(throws: MasterKeyError.malformed(file.path, .malformed(entry: 1))) { try keys.refresh() }
        try keys.refresh()
        #expect(keys.ring.ids == ["1a2b3c4d"])
        try FileManager.default.removeItem(atPath: file.path)
        #expect(throws: MasterKeyError.unreadable(file.path, reason: "No such file or directory")) {
            try keys.refresh()
        }
        try keys.refresh()
        #expect(keys.ring.ids == ["1a2b3c4d"])
        try file.write(Self.new.text)
        try keys.refresh()
        #expect(keys.ring.ids == ["9f8e7d6c"])
    }
}
