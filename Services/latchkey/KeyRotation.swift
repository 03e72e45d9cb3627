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
        var onlyWaits = false
    }

    private let keys: MasterKeys
    private let databases: [SealedDatabase]
    private let options: Options
    /// How long answers of processes are waited for.
    private let window: Duration
    private let tell: @Sendable (String) -> Void

    init(
        _ keys: MasterKeys, _ databases: [SealedDatabase], _ options: Options,
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
        switch keys.place {
        case .file(let path):
            let lock = try RotationLock(beside: path)
            try keys.refresh()  // What a rotation left that ended while this one began.
            // One that ended a moment ago may be news to the processes too.
            try await inquiries.requireOne(keys.ring.ids, place: keys.place, changed: true)
            if !options.onlyWaits {
                try await begin(in: path)
                try await inquiries.requireOne(keys.ring.ids, place: keys.place, changed: true)
            }
            let ids = keys.ring.ids
            try await resealEverything()
            try await inquiries.requireOne(ids, place: keys.place)
            try keys.refresh()
            // What somebody did to the file meanwhile must not be undone.
            guard keys.ring.ids == ids else { throw KeysFailure.fileChanged(path) }
            try end(in: path)
            _ = consume lock
        case .variable:
            guard options.onlyWaits else { throw KeysFailure.keyInEnvironment }
            try await inquiries.requireOne(keys.ring.ids, place: keys.place)
            try await resealEverything()
            try await inquiries.requireOne(keys.ring.ids, place: keys.place)
            guard !keys.ring.former.isEmpty, !options.keepsOldKeys else { return }
            tell("You may remove \(formerKeys) from \(keys.place.name). \(reminder)")
        }
    }

    /// Puts a new key before the others, unless that was done by a rotation that did not end.
    private func begin(in path: String) async throws {
        let ring = keys.ring
        guard try await !isUnfinished(ring) else {
            tell("Going on with the rotation to \(ring.current.id), which has not ended.")
            return
        }
        guard ring.all.count < MasterKeyRing.limit else { throw KeysFailure.ringFull(path) }
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
        return try await !KeyList.census(of: databases).allSatisfy { $0.records.isAllUnder(ring.current.id) }
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
                let walk = try await reseal(database)
                resealed += walk.resealed
                report.append(Self.line(walk, of: database))
                isComplete = isComplete && walk.isAllUnder(current)
                let count = walk.unreadable - walk.count(underNoneOf: keys.ring.ids)
                if count > 0 { unopened = (database.service, count) }
            }
            let isLast = schedule.walked(since: start, isComplete: isComplete)
            // Damaged, or declared wrongly: then the old key is the only way back.
            if isLast, let unopened { throw KeysFailure.unopened(unopened.service, unopened.count, keys.place.name) }
            if isLast { break }
            while !schedule.isWalkDue(at: .now) { try await Task.sleep(for: .milliseconds(100)) }
        }
        guard !options.onlyWaits || resealed > 0 || !keys.ring.former.isEmpty else {
            throw KeysFailure.nothingToWaitFor(keys.place.name, current)
        }
        tell("Every record is under \(current).")
        report.forEach(tell)
    }

    private static func line(_ walk: SealedRecords.Walk, of database: SealedDatabase) -> String {
        let lost = walk.unreadable == 0 ? "" : ", \(walk.unreadable) of which no key opens"
        return "\(database.service.rawValue): \(walk.seen) records in \(database.place)\(lost)."
    }

    private func reseal(_ database: SealedDatabase) async throws -> SealedRecords.Walk {
        var nextReport = Self.recordsPerReport
        let walk = try await database.records.reseal { walk in
            guard walk.seen >= nextReport else { return }
            nextReport += Self.recordsPerReport
            report(walk, of: database.service)
        }
        if walk.resealed > 0 { report(walk, of: database.service) }
        return walk
    }

    private static let recordsPerReport = 10_000

    private func report(_ walk: SealedRecords.Walk, of service: ServiceName) {
        tell("\(service.rawValue): \(walk.seen) records, \(walk.resealed) of them sealed anew.")
    }

    private func end(in path: String) throws {
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

    init(beside path: String) throws(KeysFailure) {
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
