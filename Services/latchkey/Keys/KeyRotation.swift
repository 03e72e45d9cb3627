import Contracts
import Glibc
import MasterKey
import ServiceRuntime

/// Replaces the master key while the mesh runs. All records stay readable in each step:
///
/// 1. Every database gets the id of a new key, and the file the key, below the old ones: it opens, and seals nothing.
///    Every process detects this within a second.
/// 2. When every process that is registered in a database holds it, the databases say that it seals, and the file lists
///    it first. Machines with a copy of the file need it for that: when a process lacks the key, the command ends, and
///    continues when it runs again. When a process holds still other keys, the new one is removed again.
/// 3. The services and this command reseal every record.
/// 4. When a scan that began after all processes knew the new key finds no other record, the old keys are removed from
///    the file. Each is kept in a separate file beside it until the operator deletes that file.
///
/// Before each step, every process on any of the databases must hold the same ring as this command. A process cannot
/// read records that are sealed under a key that it does not have.
///
/// If the command is killed between two steps and run again, it finds the step from the file, the announcements and the
/// records.
struct KeyRotation: Sendable {
    struct Options: Equatable, Sendable {
        var keepsOldKeys = false
        /// The operator has already added the new key.
        var waitsOnly = false
        /// Remove the announced key.
        var aborts = false
    }

    let keys: ReloadingMasterKeyRing
    let databases: [SealedDatabase]
    let options: Options
    /// How long the command waits for replies of processes.
    var window = RingInquiries.defaultWindow
    var silence = RingInquiries.defaultSilence
    let printLine: @Sendable (String) -> Void

    func run() async throws {
        var inquiries = RingInquiries(databases, window: window, silence: silence, printLine: printLine)
        switch keys.source {
        case .file(let path):
            let lock = try RotationLock(beside: path)
            try keys.refresh()  // Includes a rotation that ended while this one began.
            if options.aborts { return try await abort(in: path, &inquiries) }
            try await finishActivation(in: path)
            if let key = try await announcedKey(in: path, &inquiries) {
                printLine("Continuing the rotation to \(key.id), which no process seals under yet.")
                try await activate(key, in: path, &inquiries)
            } else {
                // After a rotation that ended just now, the processes may not have reloaded the ring yet.
                try await inquiries.requireOne(keys.ring.ids, place: keys.source, changed: true)
                if !options.waitsOnly { try await addNewKey(in: path, &inquiries) }
            }
            if !options.waitsOnly { try await inquiries.requireOne(keys.ring.ids, place: keys.source, changed: true) }
            let ids = keys.ring.ids
            try await resealEverything()
            try await inquiries.requireOne(ids, place: keys.source)
            try keys.refresh()
            // A change of the file by another program in the meantime must not be undone.
            guard keys.ring.ids == ids else { throw KeysCommandError.fileChanged(path) }
            try removeFormerKeys(in: path)
            try await reportCopies(of: path, &inquiries)
            _ = consume lock
        case .variable:
            guard options.waitsOnly else { throw KeysCommandError.keyInEnvironment }
            try await inquiries.requireOne(keys.ring.ids, place: keys.source)
            try await resealEverything()
            try await inquiries.requireOne(keys.ring.ids, place: keys.source)
            guard !keys.ring.former.isEmpty, !options.keepsOldKeys else { return }
            printLine("You may remove \(formerKeys) from \(keys.source.name). \(reminder)")
        }
    }

    // MARK: The announced key

    private func announcements() async throws -> [RingAnnouncement] {
        var found: [RingAnnouncement] = []
        for database in databases { found += try await database.records.announcements() }
        return found
    }

    /// Completes an activation that was interrupted before it reached every database, or the file.
    private func finishActivation(in path: String) async throws {
        let current = keys.ring.current.id
        if let active = try await announcements().first(where: { $0.isActive && $0.keyID == current }) {
            for database in databases { try await database.records.save(active) }
        }
        guard keys.listed.ids != keys.ring.ids else { return }
        try MasterKeyFile.replace(path, with: keys.ring)
        try keys.refresh()
    }

    /// The key of a rotation that waits for other machines, or was interrupted.
    /// - Throws: `KeysCommandError.announcedElsewhere`.
    private func announcedKey(in path: String, _ inquiries: inout RingInquiries) async throws -> MasterKey? {
        let ring = keys.ring
        let announced = try await databases.first?.records.announcements().filter { !$0.isActive }.map(\.keyID) ?? []
        if let key = ring.former.first(where: { announced.contains($0.id) }) { return key }
        for id in Set(try await announcements().filter { !$0.isActive }.map(\.keyID)).sorted() {
            // Another machine has announced it, or a command was killed before it wrote or restored the file.
            let others = try await inquiries.others(than: ring.ids, place: keys.source, changed: false)
            if ring[id] == nil, let other = others.first(where: { $0.holder.keyIDs.contains(id) }) {
                throw KeysCommandError.announcedElsewhere(id, by: other.holder.instance, place: path)
            }
            try await withdraw(id, in: path)
        }
        return nil
    }

    /// Announces and activates a new key, unless an interrupted rotation has done so.
    private func addNewKey(in path: String, _ inquiries: inout RingInquiries) async throws {
        let ring = keys.ring
        guard try await !isUnfinished(ring) else {
            printLine("Continuing the unfinished rotation to \(ring.current.id).")
            return
        }
        guard ring.all.count < MasterKeyRing.limit else { throw KeysCommandError.tooManyKeys(path) }
        var key = MasterKey.random()
        while ring[key.id] != nil { key = .random() }
        for database in databases { try await database.records.save(announcement(of: key, isActive: false)) }
        try MasterKeyFile.replace(path, with: ring.announcing(key))
        try keys.refresh()
        printLine("Created the master key \(key.id). \(path) lists it after \(ring.ids.joined(separator: ", ")).")
        try await activate(key, in: path, &inquiries)
    }

    private func announcement(of key: MasterKey, isActive: Bool) -> RingAnnouncement {
        RingAnnouncement(keyID: key.id, replacedID: keys.ring.current.id, isActive: isActive)
    }

    /// Lets the announced key seal, when every process holds it.
    /// - Throws: why not. If processes only lack the key, it stays announced; otherwise it was removed again.
    private func activate(_ key: MasterKey, in path: String, _ inquiries: inout RingInquiries) async throws {
        let ids = keys.ring.ids
        do {
            try await inquiries.requireOne(ids, place: keys.source, changed: true, announced: key.id)
            try keys.refresh()
            guard keys.ring.ids == ids else { throw KeysCommandError.fileChanged(path) }
        } catch let error as KeysCommandError where error.waitsForCopies {
            throw error
        } catch {
            try await withdraw(key.id, in: path)
            throw error
        }
        let active = announcement(of: key, isActive: true)
        // The first database decides between an activation and a withdrawal by another command.
        if let first = databases.first, try await !first.records.activate(key.id) {
            throw KeysCommandError.anotherRotation(path)
        }
        for database in databases.dropFirst() { try await database.records.save(active) }
        try MasterKeyFile.replace(path, with: keys.ring.rotated(to: key))
        try keys.refresh()
        printLine("Every process holds \(key.id) and seals under it. \(path) lists it before \(formerKeys).")
    }

    /// Removes a key that no process seals under.
    private func withdraw(_ id: String, in path: String) async throws {
        for database in databases {
            try await database.records.withdraw(id)
            // The first database decides, as above.
            let isActive = try await database.records.announcements().contains { $0.isActive && $0.keyID == id }
            guard !isActive else { throw KeysCommandError.alreadyActive(id) }
        }
        try keys.refresh()
        let ring = keys.ring
        guard ring.current.id != id, ring[id] != nil else { return }
        try MasterKeyFile.replace(path, with: ring.without(id))
        try keys.refresh()
        printLine("Removed \(id) from \(path) again: nothing was sealed under it.")
    }

    private func abort(in path: String, _ inquiries: inout RingInquiries) async throws {
        guard let id = try await announcements().first(where: { !$0.isActive })?.keyID else {
            throw KeysCommandError.nothingAnnounced
        }
        try await withdraw(id, in: path)
        try await reportCopies(of: path, &inquiries)
    }

    /// Names the processes of other machines, whose copies of the file still have keys that the file lacks.
    private func reportCopies(of path: String, _ inquiries: inout RingInquiries) async throws {
        try keys.refresh()  // The file has just lost keys.
        let others = try await inquiries.others(than: keys.ring.ids, place: keys.source, changed: true)
        guard !others.isEmpty else { return }
        printLine(
            "Copy \(path) once more to the machines of \(RingInquiries.names(of: others)), before the next rotation.")
    }

    // MARK: Resealing

    /// Several keys mean an interrupted rotation, or that old keys were kept. Kept keys no longer open any record.
    private func isUnfinished(_ ring: MasterKeyRing) async throws -> Bool {
        guard !ring.former.isEmpty else { return false }
        guard options.keepsOldKeys else { return true }
        return try await !KeyInventory.recordCounts(of: databases).allSatisfy { $0.records.isAllUnder(ring.current.id) }
    }

    /// Scans all records until the scan that counts finds nothing to do.
    private func resealEverything() async throws {
        let current = keys.ring.current.id
        var schedule = ResealingSchedule(isResealed: false, at: .now)
        var report: [String] = []
        var resealed = 0
        while true {
            let start = ContinuousClock.now
            var isComplete = true
            var undecryptable: (service: ServiceName, count: Int)?
            report = []
            for database in databases {
                let scan = try await reseal(database)
                resealed += scan.resealed
                report.append(Self.line(scan, of: database))
                isComplete = isComplete && scan.isAllUnder(current)
                let count = scan.unreadable - scan.count(underNoneOf: keys.ring.ids)
                if count > 0 { undecryptable = (database.service, count) }
            }
            let isLast = schedule.scanFinished(since: start, isComplete: isComplete)
            // The records are damaged or declared wrongly, so they may still need the old key.
            if isLast, let undecryptable {
                throw KeysCommandError.undecryptableRecords(
                    undecryptable.service, undecryptable.count, keys.source.name)
            }
            if isLast { break }
            while !schedule.isScanDue(at: .now) { try await Task.sleep(for: .milliseconds(100)) }
        }
        guard !options.waitsOnly || resealed > 0 || !keys.ring.former.isEmpty else {
            throw KeysCommandError.nothingToWaitFor(keys.source.name, current)
        }
        printLine("Every record is sealed under \(current).")
        report.forEach(printLine)
    }

    private static func line(_ scan: SealedRecords.Scan, of database: SealedDatabase) -> String {
        let lost = scan.unreadable == 0 ? "" : ", \(scan.unreadable) of which no key decrypts"
        return "\(database.service.rawValue): \(scan.seen) records in \(database.place)\(lost)."
    }

    private func reseal(_ database: SealedDatabase) async throws -> SealedRecords.Scan {
        var nextReport = Self.recordsPerReport
        let scan = try await database.records.reseal { scan in
            guard scan.seen >= nextReport else { return }
            nextReport += Self.recordsPerReport
            report(scan, of: database.service)
        }
        if scan.resealed > 0 { report(scan, of: database.service) }
        return scan
    }

    private static let recordsPerReport = 10_000

    private func report(_ scan: SealedRecords.Scan, of service: ServiceName) {
        printLine("\(service.rawValue): \(scan.seen) records, \(scan.resealed) of them resealed.")
    }

    private func removeFormerKeys(in path: String) throws {
        let ring = keys.ring
        guard !ring.former.isEmpty else { return }
        let former = formerKeys
        guard !options.keepsOldKeys else {
            printLine("\(former) can be removed from \(path): no record needs it.")
            return
        }
        let completionMessage = "Removed \(former) from \(path). \(reminder)"
        for key in ring.former { try MasterKeyFile.keepFormer(key, beside: path) }
        try MasterKeyFile.replace(path, with: MasterKeyRing(ring.current))
        printLine(completionMessage)
        for key in ring.former {
            printLine(
                "\(key.id) is kept in \(MasterKeyFile.formerPath(of: key.id, beside: path)). "
                    + "`latchkey keys delete-former \(key.id)` deletes it.")
        }
    }

    private var formerKeys: String { keys.ring.former.map(\.id).joined(separator: ", ") }

    private var reminder: String {
        "Back up the key again, and keep \(formerKeys) with the database backups made before."
    }
}

/// Allows one rotation at a time to change a key file. The lock ends with the process.
struct RotationLock: ~Copyable {
    private let folder: Int32

    init(beside path: String) throws(KeysCommandError) {
        let slash = path.lastIndex(of: "/")
        // Stored only after it is locked: an initialized value closes it, even if its `init` throws.
        let descriptor = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw .anotherRotation(path)
        }
        folder = descriptor
    }

    deinit { close(folder) }
}
