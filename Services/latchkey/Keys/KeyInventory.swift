internal import Contracts
internal import MasterKey

/// The output of `latchkey keys list`.
enum KeyInventory {
    /// The sealed records of each service.
    typealias RecordCounts = [(service: ServiceName, records: SealedRecords.Scan)]

    static func recordCounts(of databases: [SealedDatabase]) async throws -> RecordCounts {
        var recordCounts: RecordCounts = []
        for database in databases { recordCounts.append((database.service, try await database.records.countRecords())) }
        return recordCounts
    }

    /// - Parameter former: ids of the keys that are kept beside the file.
    static func text(of ring: MasterKeyRing, former: [String] = [], _ recordCounts: RecordCounts) -> String {
        let kept = former.filter { ring[$0] == nil }
        let lost = Set(recordCounts.flatMap(\.records.found.keys)).subtracting(ring.ids + kept).sorted()
        var rows = [("key", "use", "records")]
        rows += ring.all.map { key in
            (
                key.id, key.id == ring.current.id ? "current" : "opens",
                counts(recordCounts) { $0.found[key.id, default: 0] }
            )
        }
        rows += kept.map { id in (id, "kept", counts(recordCounts) { $0.found[id, default: 0] }) }
        rows += lost.map { id in (id, "missing", counts(recordCounts) { $0.found[id, default: 0] }) }
        if recordCounts.contains(where: { $0.records.legacyCount > 0 }) {
            rows.append(("unnamed", "opens", counts(recordCounts, of: \.legacyCount)))
        }
        return rows.map { "  \(padded($0.0, 10))\(padded($0.1, 9))\($0.2)" }.joined(separator: "\n")
    }

    private static func counts(_ recordCounts: RecordCounts, of count: (SealedRecords.Scan) -> Int) -> String {
        let counts = recordCounts.map { ($0.service, count($0.records)) }.filter { $0.1 > 0 }
        return counts.isEmpty ? "0" : counts.map { "\($0.rawValue) \($1)" }.joined(separator: ", ")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
