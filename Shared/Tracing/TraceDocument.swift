import Contracts
package import FoundationEssentials
import JSON

/// The process that spans come from: the resource of OpenTelemetry.
package struct TraceResource: Equatable, Sendable {
    /// `identity`.
    package var service: String
    /// One start of a process.
    package var instance: String
    package var version: String

    package init(service: String, instance: String, version: String) {
        self.service = service
        self.instance = instance
        self.version = version
    }
}

/// A batch of spans as JSON of OTLP 1.x (`ExportTraceServiceRequest`): ids are hexadecimal, 64-bit numbers are text.
package struct TraceDocument: Encodable {
    private let resourceSpans: [ResourceSpans]

    package init(_ spans: [Span], of resource: TraceResource) {
        resourceSpans = [
            ResourceSpans(
                resource: .init(attributes: [
                    .init("service.namespace", .text("latchkey")), .init("service.name", .text(resource.service)),
                    .init("service.instance.id", .text(resource.instance)),
                    .init("service.version", .text(resource.version)),
                ]),
                scopeSpans: [
                    .init(scope: .init(name: "latchkey", version: resource.version), spans: spans.map(SpanObject.init))
                ])
        ]
    }

    /// The body of a request to `/v1/traces`.
    package var json: Data {
        // Texts and numbers can always be encoded.
        (try? WireJSON.encode(self)) ?? Data()
    }

    private struct ResourceSpans: Encodable {
        var resource: Resource
        var scopeSpans: [ScopeSpans]
    }

    private struct Resource: Encodable {
        var attributes: [Attribute]
    }

    private struct ScopeSpans: Encodable {
        var scope: Scope
        var spans: [SpanObject]
    }

    private struct Scope: Encodable {
        var name: String
        var version: String
    }

    private struct Attribute: Encodable {
        struct Value: Encodable {
            var stringValue: String?
            var intValue: String?
        }

        var key: String
        var value: Value

        init(_ key: String, _ value: Span.Value) {
            self.key = key
            switch value {
            case .text(let text): self.value = Value(stringValue: text)
            case .number(let number): self.value = Value(intValue: String(number))
            }
        }
    }

    private struct Link: Encodable {
        var traceId: String
        var spanId: String
        var traceState: String?
        var flags: Int
    }

    private struct Status: Encodable {
        /// `STATUS_CODE_ERROR`.
        var code = 2
    }

    private struct SpanObject: Encodable {
        var traceId: String
        var spanId: String
        var traceState: String?
        var parentSpanId: String?
        var flags: Int
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
        var links: [Link]?
        var status: Status?

        init(_ span: Span) {
            traceId = span.context.traceID
            spanId = span.context.spanID
            traceState = span.context.state
            parentSpanId = span.parentID
            flags = span.context.isSampled ? 1 : 0
            name = span.name
            kind = span.kind.rawValue
            startTimeUnixNano = String(span.beganAt.nanoseconds)
            let (seconds, attoseconds) = max(.zero, span.duration).components
            let nanoseconds =
                UInt64(clamping: seconds) &* 1_000_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000)
            endTimeUnixNano = String(span.beganAt.nanoseconds &+ nanoseconds)
            attributes =
                span.attributes.map(Attribute.init)
                + (span.error.map { [Attribute("error.type", .text($0))] } ?? [])
            links =
                span.links.isEmpty
                ? nil
                : span.links.map {
                    Link(
                        traceId: $0.traceID, spanId: $0.spanID, traceState: $0.state, flags: $0.isSampled ? 1 : 0)
                }
            status = span.error == nil ? nil : Status()
        }
    }
}
