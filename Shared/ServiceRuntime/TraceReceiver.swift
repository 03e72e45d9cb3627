package import HTTPClient
import JSON

/// What a response of the receiver of traces means for the batch that it got (OTLP 1.x, "OTLP/HTTP Response").
package enum TraceReceiverDecision: Equatable, Sendable {
    /// The receiver has the batch, except for this number of spans.
    case accepted(rejectedSpans: UInt64)
    case retry(after: Duration)
    /// The batch is dropped; with the reason for the log.
    case dropped(String)

    /// Attempts for one batch.
    static let maximumAttempts = 3
    /// A receiver that asks for a longer pause gets the next batch only.
    static let longestPause = Duration.seconds(60)

    /// - Parameter attempt: 1 for the first one of the batch.
    package init(_ result: Result<HTTPClientResponse, HTTPClientError>, attempt: Int) {
        switch result {
        case .success(let response) where (200..<300).contains(response.status):
            self = .accepted(rejectedSpans: Self.rejectedSpans(in: response))
        case .success(let response):
            guard response.status == 429 || response.status == 503, attempt < Self.maximumAttempts,
                let pause = response.header("retry-after").flatMap({ UInt32($0) }).map(Duration.seconds),
                pause <= Self.longestPause
            else {
                self = .dropped("status \(response.status)")
                return
            }
            self = .retry(after: pause)
        case .failure(let error): self = .dropped(error.kind)
        }
    }

    /// The body of a response with another content means nothing: the receiver has accepted the batch.
    private static func rejectedSpans(in response: HTTPClientResponse) -> UInt64 {
        // `try?`: text that is no JSON says nothing about spans.
        switch (try? WireJSON.decode(JSONValue.self, from: response.body))?["partialSuccess"]?["rejectedSpans"] {
        case .string(let digits): return UInt64(digits) ?? 0
        case .integer(let count): return UInt64(clamping: count)
        case .null, .bool, .number, .array, .object, nil: return 0
        }
    }
}
