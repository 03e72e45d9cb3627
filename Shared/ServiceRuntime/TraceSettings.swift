import Settings
import Vocabulary

/// `LATCHKEY_OTLP_URL` and `LATCHKEY_OTLP_SAMPLE_PERCENT`: where the traces of a process go, and how many.
package struct TraceSettings: Equatable, Sendable {
    /// The address of the receiver, without a slash at its end.
    package var receiver: String
    /// Of the traces that begin in this process.
    package var sampledPercent: Int

    package init(receiver: String, sampledPercent: Int = 100) {
        self.receiver = receiver
        self.sampledPercent = sampledPercent
    }

    /// - Returns: nil without a receiver.
    package init?(from reader: inout SettingsReader) {
        let receiver: String? = reader.value(
            .otlpURL, default: .some(nil), placeholder: nil,
            expects: "an absolute http or https URL without credentials and without a query",
            example: "http://127.0.0.1:4318", isSecret: true, parse: { Self.receiver($0).map(Optional.some) })
        let percent: Int? = reader.optionalString(.otlpSamplePercent) == nil ? nil : reader.integer(.otlpSamplePercent)
        guard let receiver else {
            if percent != nil, reader.optionalString(.otlpURL) == nil {
                reader.addIssue(
                    .otlpSamplePercent, "has no effect without \(Setting.otlpURL.name)",
                    remedy: "Set both, or remove it")
            }
            return nil
        }
        self.init(receiver: receiver, sampledPercent: percent ?? 100)
    }

    /// Credentials are a matter of the collector, and would stand in the list of processes. `WebURL` has none.
    private static func receiver(_ text: String) -> String? {
        guard let url = WebURL(text), url.query == nil, url.fragment == nil else { return nil }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Of OTLP over HTTP.
    package var url: String { receiver + "/v1/traces" }
}
