import Foundation
import Testing

@testable import GatewayService

/// Every metric has a sentence, and every sentence a metric.
@Suite struct MetricHelpTests {
    /// The names of metric families in the sources.
    private static func namesInSources() throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        var names: Set<String> = []
        for folder in ["Services", "Shared"] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                guard file.lastPathComponent != "MetricHelp.swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /"((?:latchkey|process)_[a-z_]+)"/) { names.insert(String(match.1)) }
                guard file.lastPathComponent == "BrokerStatistics.swift" else { continue }
                // The broker writes the common parts of its names once.
                for match in text.matches(of: /(counter|gauge)\("([a-z_]+)"/) {
                    names.insert("latchkey_broker_\(match.2)\(match.1 == "counter" ? "_total" : "")")
                }
            }
        }
        return names
    }

    @Test func everyMetricOfTheSourcesHasHelp() throws {
        let names = try Self.namesInSources()
        #expect(names.count > 50)
        #expect(names.subtracting(MetricHelp.texts.keys).sorted() == [])
        #expect(Set(MetricHelp.texts.keys).subtracting(names).sorted() == [])
    }

    /// The rules of the format: one line, without characters that need an escape.
    @Test(arguments: MetricHelp.texts.values.sorted())
    func helpIsOneSentence(text: String) {
        #expect(text.hasSuffix(".") && !text.contains { $0 == "\n" || $0 == "\\" })
    }

    /// The rules of Prometheus for names: counters end with `_total`, other metrics do not, and units are base units.
    @Test(arguments: MetricHelp.texts.keys.sorted())
    func nameFollowsRulesOfPrometheus(name: String) {
        for part in ["milliseconds", "_ms", "minutes", "kilobytes", "counter", "gauge", "histogram"] {
            #expect(!name.contains(part))
        }
        for end in ["_count", "_sum", "_bucket"] { #expect(!name.hasSuffix(end)) }
    }
}
