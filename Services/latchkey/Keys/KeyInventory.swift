import Contracts
import MasterKey

/// The output of `latchkey keys list`.
enum KeyInventory {
    /// The sealed records of each service.
    typealias RecordCounts = [(service: ServiceName, records: SealedRecords.Scan)]

    /// One master key, and what it opens.
    struct Row: Encodable, Equatable {
        enum Use: String, Encodable {
            /// It seals, and opens.
            case current
            case opens
            /// Beside the file of the keys.
            case kept
            /// Records are sealed under it, and nobody has it.
            case missing
        }

        /// `unnamed` for records of an early version, which any of the keys opens.
        var key: String
        var use: Use
        /// By service, without those that have none.
        var records: [String: Int]

        var recordsText: String {
            let counts = ServiceName.allCases.compactMap { service in
                records[service.rawValue].map { "\(service.rawValue) \($0)" }
            }
            return counts.isEmpty ? "0" : counts.joined(separator: ", ")
        }
    }

    static func recordCounts(of databases: [SealedDatabase]) async throws -> RecordCounts {
        var recordCounts: RecordCounts = []
        for database in databases { recordCounts.append((database.service, try await database.records.countRecords())) }
        return recordCounts
    }

    /// - Parameter former: ids of the keys that are kept beside the file.
    static func rows(of ring: MasterKeyRing, former: [String] = [], _ recordCounts: RecordCounts) -> [Row] {
        func row(_ key: String, _ use: Row.Use) -> Row {
            Row(key: key, use: use, records: records(recordCounts) { $0.found[key, default: 0] })
        }
        let kept = former.filter { ring[$0] == nil }
        let lost = Set(recordCounts.flatMap(\.records.found.keys)).subtracting(ring.ids + kept).sorted()
        var rows = ring.all.map { row($0.id, $0.id == ring.current.id ? .current : .opens) }
        rows += kept.map { row($0, .kept) } + lost.map { row($0, .missing) }
        let legacy = records(recordCounts, of: \.legacyCount)
        if !legacy.isEmpty { rows.append(Row(key: "unnamed", use: .opens, records: legacy)) }
        return rows
    }

    private static func records(
        _ recordCounts: RecordCounts, of count: (SealedRecords.Scan) -> Int
    ) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: recordCounts.map { ($0.service.rawValue, count($0.records)) }.filter { $0.1 > 0 })
    }
}
