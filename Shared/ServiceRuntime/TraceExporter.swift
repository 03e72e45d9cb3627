import Contracts
import EventLoop
import FoundationEssentials
package import HTTPClient
import Synchronization
package import Tracing
import Vocabulary

/// Sends the spans of this process to the receiver of `LATCHKEY_OTLP_URL`, every two seconds or when a batch is complete.
///
/// Nothing waits for it: while the receiver is slow, spans wait in the `SpanRecorder`, which drops what it has no place
/// for. A batch that fails is dropped. It is sent again only if the receiver asks for that.
package final class TraceExporter: SignaledComponent {
    /// Between two exports of incomplete batches.
    private static let interval = Duration.seconds(2)
    /// How long a stopping process waits for its last export.
    private static let lastExportTime = Duration.seconds(1)

    private let spans: SpanRecorder
    private let resource: TraceResource
    private let url: String
    private let send: @Sendable (HTTPClientRequest) async -> Result<HTTPClientResponse, HTTPClientError>
    private let pause: @Sendable (Duration) async throws -> Void
    private let log: Log
    private let counts = Mutex(Counts())
    package let stop = StopSignal()

    private struct Counts {
        var exported: UInt64 = 0
        /// Spans of failed batches, and those that the receiver rejected.
        var refused: UInt64 = 0
    }

    /// - Parameters:
    ///   - send: sends one request, within a few seconds.
    ///   - pause: waits for the time that the receiver asked for.
    package init(
        _ spans: SpanRecorder, of resource: TraceResource, to settings: TraceSettings, log: Log,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        send: @escaping @Sendable (HTTPClientRequest) async -> Result<HTTPClientResponse, HTTPClientError>
    ) {
        self.spans = spans
        self.resource = resource
        url = settings.url
        self.log = log
        self.pause = pause
        self.send = send
    }

    /// The exporter of a process.
    convenience init(_ spans: SpanRecorder, of process: ProcessSettings, to settings: TraceSettings, log: Log) {
        var limits = HTTPClient.Limits()
        limits.connectTime = .seconds(2)
        limits.totalTime = .seconds(5)
        limits.bodyBytes = 64 << 10
        limits.threads = 1
        let client = HTTPClient(limits)
        self.init(
            spans,
            of: TraceResource(
                service: process.service.rawValue, instance: process.start.busInstance, version: Program.version),
            to: settings, log: log,
            send: { request in
                do throws(HTTPClientError) {
                    return .success(try await client.send(request))
                } catch {
                    return .failure(error)
                }
            })
    }

    package func run() async throws {
        // Unstructured, and not on the loop of the process: a running request cannot be interrupted, and the encoding of
        // a batch would delay the requests of the process.
        let exports = Task { await exportRegularly() }
        await stop.wait()
        exports.cancel()
        await runAtMost(Self.lastExportTime) { await self.export() }
    }

    private func exportRegularly() async {
        await withTaskGroup { group in
            group.addTask { [spans] in
                // The only error of a sleep is its cancellation.
                while (try? await EventLoop.sleep(forAbout: Self.interval)) != nil { spans.wake() }
            }
            for await _ in spans.signals { await export() }
        }
    }

    /// Sends what waits, until a batch fails.
    func export() async {
        while case let batch = spans.takeBatch(), !batch.isEmpty {
            let body = TraceDocument(batch, of: resource).json
            guard await isAccepted(body, spans: UInt64(batch.count)) else { return }
        }
    }

    private func isAccepted(_ body: Data, spans count: UInt64) async -> Bool {
        let request = HTTPClientRequest(
            .post, url, headers: [("Content-Type", "application/json")], body: body)
        var attempt = 1
        while true {
            switch TraceReceiverDecision(await send(request), attempt: attempt) {
            case .accepted(let rejected):
                let refused = min(count, rejected)
                counts.withLock {
                    $0.exported = $0.exported.addingSaturated(count - refused)
                    $0.refused = $0.refused.addingSaturated(refused)
                }
                return true
            case .retry(let time):
                attempt += 1
                // A process that stops does not wait.
                guard (try? await pause(time)) != nil else { return drop(count, "interrupted") }
            case .dropped(let reason): return drop(count, reason)
            }
        }
    }

    private func drop(_ count: UInt64, _ reason: String) -> Bool {
        counts.withLock { $0.refused = $0.refused.addingSaturated(count) }
        // One subject: a receiver that replies differently each time must not use up those of other events.
        log.errorOnceAMinute(
            .tracesNotExported, about: "receiver", ["reason": .public(reason), "spans": .public(count)])
        return false
    }

    var metrics: [ProcessReport.Metric] {
        let (exported, refused) = counts.withLock { ($0.exported, $0.refused) }
        func dropped(_ reason: String, _ count: UInt64) -> ProcessReport.Metric {
            .init(
                name: "latchkey_traces_dropped_spans_total", kind: .counter, labels: ["reason": reason],
                value: Double(count))
        }
        return [
            .init(name: "latchkey_traces_exported_spans_total", kind: .counter, value: Double(exported)),
            dropped("queue", spans.droppedSpans), dropped("receiver", refused),
            .init(name: "latchkey_traces_waiting_spans", kind: .gauge, value: Double(spans.waitingSpans)),
        ]
    }
}
