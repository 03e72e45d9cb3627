internal import Contracts
internal import Glibc
internal import MasterKey
internal import ServiceRuntime

/// Replaces the master key while the mesh works, in steps of which each leaves everything readable:
///
/// 1. The file holds a new key before the old ones. Every process notices within a second, and seals under it.
/// 2. Every record is sealed anew, by the services and by this command.
/// 3. When a walk that began after everybody knew the new key has found nothing else, the old keys leave the file. Each
///    stays in a file of its own beside it until the operator deletes that.
///
/// Before each step, every process on any of the databases must hold the ring of this command: a record that is sealed
/// under a key that a process does not have is lost to it.
///
/// Killed between any two of them and run again, it finds the step from the file and the records.
struct KeyRotation: Sendable {
    struct Options: Equatable, Sendable {
        var keepsOldKeys = false
        /// The operator has put the new key there.
        var waitsOnly = false
    }

    private let keys: ReloadingMasterKeyRing
    private let databases: [SealedDatabase]
    private let options: Options
    /// How long answers of processes are waited for.
    private let window: Duration
    private let tell: @Sendable (String) -> Void

    init(
        _ keys: ReloadingMasterKeyRing, _ databases: [SealedDatabase], _ options: Options,
        window: Duration = RingInquiries.defaultWindow, tell: @escaping @Sendable (String) -> Void
    ) {
        self.keys = keys
        self.databases = databases
        self.options = options
        self.window = window
        self.tell = tell
    }

    func run() async throws {
        var inquiries = RingInquiries(databases, window: window)
        switch keys.source {
        case .file(let path):
            let lock = try RotationLock(beside: path)
            try keys.refresh()  // What a rotation left that ended while this one began.
            // One that ended a moment ago may be news to the processes too.
            try await inquiries.requireOne(keys.ring.ids, place: keys.source, changed: true)
            if !options.waitsOnly {
                try await addNewKey(in: path)
                try await inquiries.requireOne(keys.ring.ids, place: keys.source, changed: true)
            }
            let ids = keys.ring.ids
            try await resealEverything()
            try await inquiries.requireOne(ids, place: keys.source)
            try keys.refresh()
            // What somebody did to the file meanwhile must not be undone.
            guard keys.ring.ids == ids else { throw KeysCommandError.fileChanged(path) }
            try removeFormerKeys(in: path)
            _ = consume lock
        case .variable:
            guard options.waitsOnly else { throw KeysCommandError.keyInEnvironment }
            try await inquiries.requireOne(keys.ring.ids, place: keys.source)
            try await resealEverything()
            try await inquiries.requireOne(keys.ring.ids, place: keys.source)
            guard !keys.ring.former.isEmpty, !options.keepsOldKeys else { return }
            tell("You may remove \(formerKeys) from \(keys.source.name). \(reminder)")
        }
    }

    /// Puts a new key before the others, unless that was done by a rotation that did not end.
    private func addNewKey(in path: String) async throws {
        let ring = keys.ring
        guard try await !isUnfinished(ring) else {
            tell("Going on with the rotation to \(ring.current.id), which has not ended.")
            return
        }
        guard ring.all.count < MasterKeyRing.limit else { throw KeysCommandError.tooManyKeys(path) }
        var key = MasterKey.random()
        while ring[key.id] != nil { key = .random() }
        try MasterKeyFile.replace(path, with: ring.rotated(to: key))
        try keys.refresh()
        tell("Made the master key \(key.id). It stands in \(path) before \(formerKeys).")
    }

    /// Several keys are a rotation that did not end, or the old ones were to be kept: then they open nothing more.
    private func isUnfinished(_ ring: MasterKeyRing) async throws -> Bool {
        guard !ring.former.isEmpty else { return false }
        guard options.keepsOldKeys else { return true }
        return try await !KeyInventory.recordCounts(of: databases).allSatisfy { $0.records.isAllUnder(ring.current.id) }
    }

    /// Walks through all records until the walk that counts has found nothing to do.
    private func resealEverything() async throws {
        let current = keys.ring.current.id
        var schedule = ResealingSchedule(isSettled: false, at: .now)
        var report: [String] = []
        var resealed = 0
        while true {
            let start = ContinuousClock.now
            var isComplete = true
            var unopened: (service: ServiceName, count: Int)?
            report = []
            for database in databases {
                let scan = try await reseal(database)
                resealed += scan.resealed
                report.append(Self.line(scan, of: database))
                isComplete = isComplete && scan.isAllUnder(current)
                let count = scan.unreadable - scan.count(underNoneOf: keys.ring.ids)
                if count > 0 { unopened = (database.service, count) }
            }
            let isLast = schedule.scanFinished(since: start, isComplete: isComplete)
            // Damaged, or declared wrongly: then the old key is the only way back.
            if isLast, let unopened {
                throw KeysCommandError.undecryptableRecords(unopened.service, unopened.count, keys.source.name)
            }
            if isLast { break }
            while !schedule.isScanDue(at: .now) { try await Task.sleep(for: .milliseconds(100)) }
        }
        guard !options.waitsOnly || resealed > 0 || !keys.ring.former.isEmpty else {
            throw KeysCommandError.nothingToWaitFor(keys.source.name, current)
        }
        tell("Every record is under \(current).")
        report.forEach(tell)
    }

    private static func line(_ scan: SealedRecords.Scan, of database: SealedDatabase) -> String {
        let lost = scan.unreadable == 0 ? "" : ", \(scan.unreadable) of which no key opens"
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
        tell("\(service.rawValue): \(scan.seen) records, \(scan.resealed) of them sealed anew.")
    }

    private func removeFormerKeys(in path: String) throws {
        let ring = keys.ring
        guard !ring.former.isEmpty else { return }
        let former = formerKeys
        guard !options.keepsOldKeys else {
            tell("\(former) may leave \(path): no record needs it any more.")
            return
        }
        let farewell = "Removed \(former) from \(path). \(reminder)"
        for key in ring.former { try MasterKeyFile.keepFormer(key, beside: path) }
        try MasterKeyFile.replace(path, with: MasterKeyRing(ring.current))
        tell(farewell)
        for key in ring.former {
            tell(
                "\(key.id) is kept in \(MasterKeyFile.formerPath(of: key.id, beside: path)). "
                    + "`latchkey keys delete-former \(key.id)` deletes it.")
        }
    }

    private var formerKeys: String { keys.ring.former.map(\.id).joined(separator: ", ") }

    private var reminder: String {
        "Back the key up anew, and keep \(formerKeys) with the backups of the databases made until now."
    }
}

/// Lets one rotation at a time change a key file. It ends with the process, however that ends.
struct RotationLock: ~Copyable {
    private let folder: Int32

    init(beside path: String) throws(KeysCommandError) {
        let slash = path.lastIndex(of: "/")
        // Kept only once it is locked: a value that is complete closes it, even when its `init` throws.
        let descriptor = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw .anotherRotation(path)
        }
        folder = descriptor
    }

    deinit { close(folder) }
}
