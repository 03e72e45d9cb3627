import Blocking
import EventLoop
package import SQL
package import ServiceRuntime

/// Keeps the sealed records of a service under the current master key. It detects a change of the key file within a
/// second, reseals older records in small steps, and is idle otherwise. It also reports to the operator's command which
/// keys this process holds.
///
/// It is no `MaintenanceTask`, because a failure delays its next run, and a scan has a state from run to run.
package struct SealingMaintenance: SignaledComponent {
    private let records: SealedRecords
    private let holder: RingHolder.Identity
    private let outage: MissingKeyOutage
    private let log: Log
    private let rotated: @Sendable (borrowing SQLTransaction) throws -> Void
    /// For reads of the key file, which block.
    private let files = BlockingPool(label: "master-key", threads: 1, maximumWaiting: 1)
    package let stop = StopSignal()

    private static let interval = Duration.seconds(1)
    /// The time from a failure of the database to the next attempt.
    private static let pauseAfterFailure = Duration.seconds(10)

    /// - Parameters:
    ///   - holder: the process, which the ring of `records` has registered.
    ///   - metrics: report records that this process cannot open.
    ///   - rotated: runs in the transaction that records the end of a rotation, in one process of
    ///     the service.
    package init(
        _ records: SealedRecords, holder: RingHolder.Identity, metrics: Metrics, log: Log,
        rotated: @escaping @Sendable (borrowing SQLTransaction) throws -> Void = { _ in }
    ) {
        self.records = records
        self.holder = holder
        outage = MissingKeyOutage(metrics)
        self.log = log
        self.rotated = rotated
    }

    package func run() async throws {
        await stop.run(runMaintenance, answerInquiries, watchMissingKeys)
        // `try?`: a process that was killed leaves its registration too.
        try? await holder.remove(from: records.database)
    }

    private func runMaintenance() async {
        var known = masterKeys.ring
        var schedule: ResealingSchedule?
        var pause = Self.interval
        // A sleep throws only when it is cancelled, which ends the loop.
        while (try? await EventLoop.sleep(forAbout: pause)) != nil {
            pause = Self.interval
            do {
                if schedule == nil {
                    schedule = .init(isResealed: try await records.isResealed(under: known.current.id), at: .now)
                }
                await reloadKeys()
                let ring = masterKeys.ring
                if ring.ids != known.ids {
                    known = ring
                    schedule?.ringChanged(at: .now)
                    log.info(
                        .masterKeyReloaded,
                        [
                            "current": .public(ring.current.id),
                            "former": .public(ring.former.map(\.id).joined(separator: ",")),
                        ])
                }
                if let due = schedule, due.isScanDue(at: .now) { schedule = try await scan(due) }
            } catch {
                guard !Task.isCancelled else { return }
                // Until the next attempt the former key still opens the records.
                log.error(.sealedRecordsResealFailed, ["error": .kind(of: error)])
                pause = Self.pauseAfterFailure
            }
        }
    }

    /// Concurrent with the scans, which may take long.
    private func answerInquiries() async {
        var answered: String?
        while (try? await EventLoop.sleep(forAbout: Self.interval)) != nil {
            // `try?`: the operator's command uses the same database and reports its failure.
            answered = (try? await records.answerInquiry(as: holder, after: answered)) ?? answered
        }
    }

    /// How long a process may not notice that it lacks a key. A record that it cannot open shows it at once.
    private static let missingKeyInterval = Duration.seconds(5)

    /// Reports keys that this process lacks: requests that need a record under them fail, or will after an activation.
    private func watchMissingKeys() async {
        var reported: [String] = []
        var announced: [String] = []
        while (try? await EventLoop.sleep(forAbout: Self.missingKeyInterval)) != nil {
            // `try?` twice: an outage of the database is reported elsewhere.
            if let lacked = try? await records.lackedAnnouncements(), lacked != announced {
                announced = lacked
                if !lacked.isEmpty {
                    log.warn(
                        .masterKeyAnnounced,
                        [
                            "keys": .public(lacked.joined(separator: ",")), "place": .public(masterKeys.source.name),
                            "effect": "the rotation waits until this machine has the key file of the other one",
                        ])
                }
            }
            guard let missing = try? await records.missingKeys(), !Task.isCancelled else { continue }
            outage.set(missing.isEmpty)
            guard missing != reported else { continue }
            reported = missing
            if missing.isEmpty {
                log.info(.masterKeyComplete)
            } else {
                log.error(
                    .masterKeyMissing,
                    [
                        "keys": .public(missing.joined(separator: ",")), "place": .public(masterKeys.source.name),
                        "effect": "records under them cannot be opened",
                    ])
            }
        }
    }

    private var masterKeys: ReloadingMasterKeyRing { records.keys.masterKeys }

    private func reloadKeys() async {
        guard masterKeys.fileHasChanged() else { return }
        do {
            try await files.run { [masterKeys] in try masterKeys.refresh() }
        } catch {
            log.error(.masterKeyReloadFailed, ["error": .kind(of: error)])
        }
    }

    private func scan(_ schedule: ResealingSchedule) async throws -> ResealingSchedule {
        var schedule = schedule
        let start = ContinuousClock.now
        let current = masterKeys.ring.current.id
        let scan = try await records.reseal()
        if scan.resealed > 0 {
            log.info(.sealedRecordsResealed, ["count": .public(scan.resealed), "key": .public(current)])
        }
        if schedule.scanFinished(since: start, isComplete: scan.isAllUnder(current)) {
            if scan.unreadable > 0 { log.error(.sealedRecordsDecryptFailed, ["count": .public(scan.unreadable)]) }
            try await records.markResealed(on: current, rotated)
        }
        return schedule
    }
}
