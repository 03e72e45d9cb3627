import Contracts
import Foundation
import MasterKey
import SQL
import SQLite
import ServiceRuntime
import TestSupport
import Testing

@testable import LatchkeyProgram

/// Machines with copies of the key file: the new key is announced, confirmed and activated through the databases.
extension KeyRotationTests {
    private var copy: String { folder.path + "/copy.key" }

    private func copyKeyFile() throws {
        if FileManager.default.fileExists(atPath: copy) {
            try MasterKeyFile.replace(copy, with: try MasterKeyFile.read(keyFile))
        } else {
            try MasterKeyFile.write(try MasterKeyFile.read(keyFile), to: copy)
        }
    }

    /// Runs `body` with the records as the command finds them.
    private func withRecords<Result>(_ body: (SealedRecords) async throws -> Result) async throws -> Result {
        let databases = try await SealedDatabases(in: try stores(), keys: try ReloadingMasterKeyRing(.file(keyFile)))
        let result = try await body(try #require(databases.found.first).records)
        await databases.close()
        return result
    }

    private func rotateBesideProcess(_ options: KeyRotation.Options = .init()) async throws {
        let keys = try ReloadingMasterKeyRing(.file(keyFile))
        let databases = try await SealedDatabases(in: try stores(), keys: keys)
        do {
            try await KeyRotation(
                keys: keys, databases: databases.found, options: options, window: pollWindow, silence: silence,
                printLine: lines.append
            ).run()
        } catch {
            await databases.close()
            throw error
        }
        await databases.close()
    }

    private func announcement(isActive: Bool) -> RingAnnouncement {
        RingAnnouncement(keyID: new.id, replacedID: old.id, isActive: isActive)
    }

    @Test func rotationContinuesWhenFileIsCopied() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        try copyKeyFile()
        try await withProcess(.file(copy)) {
            let failure = await #expect(throws: KeysCommandError.self) { try await rotateBesideProcess() }
            let pending = try MasterKeyFile.read(keyFile)
            let id = try #require(pending.former.first?.id)
            #expect(pending.ids == [old.id, id])
            #expect(failure?.messages.first?.hasPrefix("Not yet on the new master key \(id): notifier.7 on ") == true)
            #expect(try await withRecords { try await $0.countRecords().found } == [old.id: 3])

            try copyKeyFile()
            try await rotateBesideProcess()
            #expect(lines.all.contains("Continuing the rotation to \(id), which no process seals under yet."))
            #expect(lines.all.last?.hasPrefix("Copy \(keyFile) once more to the machines of notifier.7 on ") == true)
            #expect(try MasterKeyFile.read(keyFile).ids == [id])
            // The copy keeps its order. A process that starts with it seals under the new key all the same.
            #expect(try MasterKeyFile.read(copy).ids == [old.id, id])
            let started = try ReloadingMasterKeyRing(.file(copy))
            let database = try SQLiteDatabase(.file(folder.path + "/notifier.sqlite"))
            let column = SealedColumn("sealed_text", of: "notes", key: ["number"])
            try await SealedRecords(database, keys: SealingKeys(started, of: .notifier), columns: [column]).declare()
            #expect(started.ring.ids == [id, old.id])
            await database.close()
        }
        try await expectEnd(3)
    }

    @Test func abortedRotationLeavesNothing() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        await #expect(throws: KeysCommandError.nothingAnnounced) { try await rotate(.init(aborts: true)) }
        try copyKeyFile()
        try await withProcess(.file(copy)) {
            await #expect(throws: KeysCommandError.self) { try await rotateBesideProcess() }
            try await rotateBesideProcess(.init(aborts: true))
        }
        #expect(try MasterKeyFile.read(keyFile).ids == [old.id])
        #expect(lines.all.contains { $0.hasSuffix("from \(keyFile) again: nothing was sealed under it.") })
        #expect(try await withRecords { try await $0.announcements() } == [])
        try await rotate()
        try await expectEnd(3)
    }

    /// A process that holds still another key would not be helped by the file.
    @Test func processWithOtherKeysEndsAnnouncement() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        try MasterKeyFile.replace(keyFile, with: MasterKeyRing(old).announcing(new))
        try await withRecords { try await $0.save(announcement(isActive: false)) }
        try await withProcess(.variable(MasterKeyRing(.random()))) {
            let failure = await #expect(throws: KeysCommandError.self) { try await rotateBesideProcess() }
            #expect(failure?.messages.first?.contains("holds the master keys") == true)
        }
        #expect(try MasterKeyFile.read(keyFile).ids == [old.id])
        #expect(try await withRecords { try await $0.announcements() } == [])
    }

    @Test func rotationOfAnotherMachineIsNotDisturbed() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        try await withRecords { try await $0.save(announcement(isActive: false)) }
        try await withProcess(.variable(MasterKeyRing(old, former: [new]))) {
            let failure = await #expect(throws: KeysCommandError.self) {
                try await rotateBesideProcess()
            }
            #expect(failure?.messages.first?.contains("a rotation on another machine has announced") == true)
        }
        #expect(try await withRecords { try await $0.announcements() } == [announcement(isActive: false)])
    }

    /// Killed after the databases or the file got the new key, before or after it was activated in them.
    @Test(arguments: [(false, false), (true, false), (true, true)])
    func rotationWithAnnouncedKeyIsCompleted(isActive: Bool, isFirstInFile: Bool) async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        let ring = MasterKeyRing(old)
        try MasterKeyFile.replace(keyFile, with: isFirstInFile ? ring.rotated(to: new) : ring.announcing(new))
        try await withRecords { try await $0.save(announcement(isActive: isActive)) }
        try await rotate()
        try await expectEnd(3)
        #expect(try MasterKeyFile.read(keyFile).current.id == new.id)
        #expect(try await withRecords { try await $0.announcements() } == [announcement(isActive: true)])
    }

    @Test func activeKeyIsNotAborted() async throws {
        try await makeRecords(1, under: MasterKeyRing(old))
        try MasterKeyFile.replace(keyFile, with: MasterKeyRing(old).announcing(new))
        try await withRecords { try await $0.save(announcement(isActive: true)) }
        await #expect(throws: KeysCommandError.nothingAnnounced) { try await rotate(.init(aborts: true)) }
        try await rotate()
        try await expectEnd(1)
    }

    /// Killed before the file got the announced key.
    @Test func announcementWithoutKeyIsForgotten() async throws {
        try await makeRecords(3, under: MasterKeyRing(old))
        try await withRecords { try await $0.save(announcement(isActive: false)) }
        try await rotate()
        try await expectEnd(3)
        #expect(try await withRecords { try await $0.announcements().map(\.keyID) }.contains(new.id) == false)
    }
}
