import Contracts
import MasterKey

/// Checks whether the processes on all databases hold the same ring of master keys.
struct RingInquiries {
    private let databases: [SealedDatabase]
    private let window: Duration
    /// How long registered processes may not reply before they count as ended.
    private let silence: Duration
    private let printLine: @Sendable (String) -> Void
    /// Processes that replied before. Once all of them have replied again, the wait ends.
    private var known: Set<String> = []

    /// Processes reply within a second; the longer window is for busy ones.
    static let defaultWindow = Duration.seconds(3)
    private static let pause = Duration.milliseconds(50)
    /// Rounds, one second apart, in which processes must detect a changed key file.
    private static let rounds = 5

    /// A process that is busy or was suspended for longer is a failure of its own.
    static let defaultSilence = Duration.seconds(20)

    /// - Parameters:
    ///   - window: how long to wait for replies.
    ///   - silence: how long to wait for those of registered processes.
    init(
        _ databases: [SealedDatabase], window: Duration, silence: Duration = RingInquiries.defaultSilence,
        printLine: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.databases = databases
        self.window = window
        self.silence = silence
        self.printLine = printLine
    }

    /// Returns when every process that replies holds exactly these keys, in this order.
    /// - Parameters:
    ///   - changed: the key file has just changed, so processes may not have detected it yet.
    ///   - announced: the key that the file has just got.
    /// - Throws: `KeysCommandError.keyNotHeld` if processes lack only the announced key; `otherRing`, `anotherRotation`,
    ///   `SQLError`.
    mutating func requireOne(
        _ ids: [String], place: MasterKeySource, changed: Bool = false, announced: String? = nil
    ) async throws {
        let others = try await others(than: ids, place: place, changed: changed)
        let former = ids.filter { $0 != announced }
        guard let other = others.first(where: { $0.holder.keyIDs != former }) ?? others.first else { return }
        if let announced, other.holder.keyIDs == former {
            throw KeysCommandError.keyNotHeld(announced, by: Self.names(of: others), place: place.name)
        }
        throw KeysCommandError.otherRing(
            "\(other.holder.instance), which uses \(other.place),", other.holder.keyIDs, place: place.name, ids)
    }

    /// The processes that hold other keys than these, or in another order.
    mutating func others(
        than ids: [String], place: MasterKeySource, changed: Bool
    ) async throws -> [(place: String, holder: RingHolder)] {
        for _ in 1..<(changed ? Self.rounds : 1) {
            let holders = try await query(place) { $0.keyIDs != ids }
            guard holders.contains(where: { $0.holder.keyIDs != ids }) else { return [] }
            try await Task.sleep(for: .seconds(1))
        }
        // The operator is told all processes that still differ, so every process has the time to reply.
        return try await query(place) { !changed && $0.keyIDs != ids }.filter { $0.holder.keyIDs != ids }
    }

    static func names(of holders: [(place: String, holder: RingHolder)]) -> String {
        names(of: holders.map(\.holder))
    }

    /// Each name once: a process that was killed and started again has several registrations.
    private static func names(of holders: [RingHolder]) -> String {
        Set(holders.map(\.instance)).sorted().joined(separator: ", ")
    }

    /// - Parameter isEnough: whether a reply makes waiting for the others unnecessary.
    private mutating func query(
        _ place: MasterKeySource, until isEnough: (RingHolder) -> Bool
    ) async throws -> [(place: String, holder: RingHolder)] {
        var inquiries: [String] = []
        for database in databases { inquiries.append(try await database.records.inquire()) }
        let start = ContinuousClock.now
        var holders: [(place: String, holder: RingHolder)] = []
        var silent: [(database: SealedDatabase, holders: [RingHolder])] = []
        var isNoted = false
        while !databases.isEmpty {
            try await Task.sleep(for: min(Self.pause, window))
            (holders, silent) = ([], [])
            for (database, inquiry) in zip(databases, inquiries) {
                guard let found = try await database.records.holders(answering: inquiry) else {
                    throw KeysCommandError.anotherRotation(place.name)
                }
                holders += found.replied.map { (database.place, $0) }
                if !found.silent.isEmpty { silent.append((database, found.silent)) }
            }
            if holders.contains(where: { isEnough($0.holder) }) { break }
            let waited = ContinuousClock.now - start
            if silent.isEmpty {
                if waited >= window || !known.isEmpty && known.isSubset(of: holders.map(\.holder.id)) { break }
                continue
            }
            // First, because one query may take longer than `silence`: each process is named before it counts as ended.
            if waited >= window, !isNoted {
                printLine("Waiting for \(Self.names(of: silent.flatMap(\.holders))), which may still run.")
                isNoted = true
            }
            if waited >= silence {
                for (database, holders) in silent { try await database.records.forget(holders) }
                break
            }
        }
        for (database, inquiry) in zip(databases, inquiries) { try await database.records.endInquiry(inquiry) }
        known = Set(holders.map(\.holder.id))
        return holders
    }
}
