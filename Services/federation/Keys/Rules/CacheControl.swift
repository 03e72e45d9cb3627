import Vocabulary

/// The header `Cache-Control` of a response (RFC 9111 5.2).
enum CacheControl {
    /// `max-age`; nil without one, and for a malformed one. `no-store` and `no-cache` count as zero.
    static func maximumAge(_ header: String?) -> Duration? {
        guard let header else { return nil }
        let directives = header.pieces(at: ",", maximumCount: 20).map { directive in
            String(decoding: directive.utf8.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x22 }, as: UTF8.self)
                .asciiLowercased
        }
        if directives.contains("no-store") || directives.contains("no-cache") { return .zero }
        guard let age = directives.first(where: { $0.hasPrefix("max-age=") })?.dropFirst("max-age=".count),
            age.isASCIIDigits, age.utf8.count <= 10, let seconds = Int64(age)
        else { return nil }
        return .seconds(seconds)
    }
}
