import Contracts
import SQL
import ServiceRuntime
import Storage
import Vocabulary

/// Checks whether each database can be opened, and its version.
enum DatabaseChecks {
    /// - Parameter processes: the number of those that run here, by service.
    /// - Returns: the findings, and the clocks of the database servers.
    static func findings(
        about stores: [StorageSettings], _ processes: [ServiceName: Int]
    ) async -> ([Finding], [ClockSample]) {
        var findings: [Finding] = []
        var clocks: [ClockSample] = []
        var budgets: [ConnectionBudget] = []
        var exhausted: Set<String> = []
        for store in stores {
            guard let count = processes[store.service], count > 0 else { continue }
            let subject = "database of \(store.service.rawValue)"
            let place = TextTable.escaped(store.location.description)
            guard !exhausted.contains(place) else {
                findings.append(Finding(subject, .skipped, "\(place) has no free connection slot."))
                continue
            }
            do {
                guard let database = try await store.openForCopying(createIfMissing: false) else {
                    findings.append(
                        Finding(subject, .skipped, "\(place) does not exist yet; the first start creates it."))
                    continue
                }
                let version: String
                switch store.location {
                case .sqlite:
                    version = try await text(of: "SELECT 'SQLite ' || sqlite_version() AS text", in: database)
                case .postgres:
                    version = try await text(
                        of: "SELECT 'PostgreSQL ' || current_setting('server_version') AS text", in: database)
                    let time = try await text(
                        of: "SELECT CAST(CAST(floor(extract(epoch FROM clock_timestamp())) AS BIGINT) AS TEXT) AS text",
                        in: database)
                    if let seconds = Int64(time) {
                        let now = WallClock.now().timestamp.seconds
                        let ahead = now.subtractingReportingOverflow(seconds)
                        if !ahead.overflow {
                            clocks.append(.init(source: place, aheadSeconds: Int(ahead.partialValue)))
                        }
                    }
                    let index = budgets.firstIndex { $0.place == place }
                    if let index {
                        budgets[index].processes += count
                    } else {
                        budgets.append(
                            try await ConnectionBudget(
                                of: place, in: database, processes: count, perProcess: store.connections))
                    }
                }
                await database.close()
                findings.append(Finding(subject, .ok, "\(version) at \(place)."))
            } catch {
                if error as? SQLError == .connectionsExhausted { exhausted.insert(place) }
                findings.append(
                    Finding(
                        subject, .error, "\(place) cannot be used: \(TextTable.escaped("\(error)")).",
                        remedy: "Check \(store.settingName), and that the server runs."))
            }
        }
        return (findings + budgets.map(\.finding), clocks)
    }

    private static func text(of query: String, in database: any SQLDatabase) async throws -> String {
        try await database.read { transaction in try transaction.firstRow(query)?.get("text") ?? "" }
    }
}
