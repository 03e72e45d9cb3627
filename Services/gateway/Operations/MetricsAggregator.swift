package import Contracts
import ServiceRuntime
import Synchronization
import Vocabulary

/// The latest report of every process of the mesh, in the Prometheus text format.
package final class MetricsAggregator: Sendable {
    /// A process without a report for this time is removed.
    package static let reportTimeout = Duration.seconds(30)
    /// Reports of more processes than this are dropped.
    package static let maximumProcesses = 256

    private struct Entry: Sendable {
        var report: ProcessReport
        var receivedAt: ContinuousClock.Instant
    }

    private let entries = Mutex<[String: Entry]>([:])

    package init() {}

    package func record(_ report: ProcessReport, at now: ContinuousClock.Instant) {
        entries.withLock { entries in
            entries = entries.filter { now - $0.value.receivedAt <= Self.reportTimeout }
            guard entries.count < Self.maximumProcesses || entries[report.instance] != nil else { return }
            entries[report.instance] = Entry(report: report, receivedAt: now)
        }
    }

    private func reports(at now: ContinuousClock.Instant) -> [ProcessReport] {
        entries.withLock { entries in
            entries.values.filter { now - $0.receivedAt <= Self.reportTimeout }.map(\.report)
        }
    }

    /// What `latchkey status` shows, too.
    func status(at now: ContinuousClock.Instant, wallTime: Moment) -> MeshStatus {
        MeshStatus(reports(at: now), secondsSince1970: Double(wallTime.milliseconds) / 1000)
    }

    /// The services that report no process with a working store. Services without reports are not included.
    func servicesWithoutStore(at now: ContinuousClock.Instant) -> Set<ServiceName> {
        Set(
            Dictionary(grouping: reports(at: now), by: \.service)
                .filter { _, reports in reports.allSatisfy { $0.metrics.contains(where: \.isStoreOutage) } }.keys)
    }

    /// The text exposition format, version 0.0.4: metric families ordered by name.
    func text(at now: ContinuousClock.Instant) -> String {
        let samples = reports(at: now).sorted { $0.instance < $1.instance }.flatMap { report in
            report.metrics.map { Sample($0, of: report) }
        }
        let histograms = Set(samples.compactMap(\.histogram))
        var lines: [String] = []
        for (family, members) in Dictionary(grouping: samples, by: { $0.family(among: histograms) })
            .sorted(by: { $0.key < $1.key })
        {
            let kind = histograms.contains(family) ? "histogram" : members.first?.metric.kind.rawValue ?? "untyped"
            lines.append("# HELP \(family) \(MetricHelp.text(of: family))")
            lines.append("# TYPE \(family) \(kind)")
            lines += members.map(\.line)
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private struct Sample {
        let metric: ProcessReport.Metric
        let line: String

        init(_ metric: ProcessReport.Metric, of report: ProcessReport) {
            self.metric = metric
            // Prometheus itself sets `instance`, to the address that it reads.
            let labels =
                [("process", report.instance), ("service", report.service.rawValue)]
                + metric.labels.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            line =
                Self.name(metric.name) + "{"
                + labels.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "} "
                + Self.number(metric.value)
        }

        /// The histogram that this bucket belongs to.
        var histogram: String? {
            metric.labels["le"] == nil ? nil : Self.stem(metric.name, "_bucket")
        }

        func family(among histograms: Set<String>) -> String {
            for suffix in ["_bucket", "_sum", "_count"] {
                if let stem = Self.stem(metric.name, suffix), histograms.contains(stem) { return stem }
            }
            return Self.name(metric.name)
        }

        private static func stem(_ metric: String, _ suffix: String) -> String? {
            metric.hasSuffix(suffix) ? name(String(metric.dropLast(suffix.count))) : nil
        }

        /// Letters, digits and underscores: the characters that the format allows everywhere.
        private static func name(_ text: String) -> String {
            String(
                decoding: text.utf8.map { $0.isASCIINameByte && $0 != UInt8(ascii: "-") ? $0 : UInt8(ascii: "_") },
                as: UTF8.self)
        }

        /// Scalar by scalar: a quotation mark with a combining mark, and the two of `\r\n`, are one character.
        private static func escaped(_ text: String) -> String {
            text.unicodeScalars.reduce(into: "") { result, scalar in
                switch scalar {
                case "\\": result += "\\\\"
                case "\"": result += "\\\""
                case "\n": result += "\\n"
                default: result.unicodeScalars.append(scalar)
                }
            }
        }

        private static func number(_ value: Double) -> String {
            value.magnitude < 1e15 && value == value.rounded() ? String(Int64(value)) : String(value)
        }
    }
}
