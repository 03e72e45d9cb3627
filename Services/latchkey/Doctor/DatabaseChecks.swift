internal import Contracts
internal import SQL
internal import ServiceRuntime
internal import Storage
internal import Vocabulary

/// Checks whether each database can be opened, and its version.
enum DatabaseChecks {
    /// - Parameter services: those that run here.
    /// - Returns: the findings, and the clocks of the database servers.
    static func findings(
        about stores: [StorageSettings], _ services: some Collection<ServiceName>
    ) async -> ([Finding], [ClockSample]) {
        var findings: [Finding] = []
        var clocks: [ClockSample] = []
        for store in stores where services.contains(store.service) {
            let subject = "database of \(store.service.rawValue)"
            let place = TextTable.escaped(store.location.description)
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
                }
                await database.close()
                findings.append(Finding(subject, .ok, "\(version) at \(place)."))
            } catch {
                findings.append(
                    Finding(
                        subject, .error, "\(place) cannot be used: \(TextTable.escaped("\(error)")).",
                        remedy: "Check \(store.settingName), and that the server runs."))
            }
        }
        return (findings, clocks)
    }

    private static func text(of query: String, in database: any SQLDatabase) async throws -> String {
        try await database.read { transaction in try transaction.firstRow(query)?.get("text") ?? "" }
    }
}
