import FoundationEssentials
import JSON
import Vocabulary

/// Replacements of external servers for tests, in dev mode only: `https://<host>/<path>` becomes `<base URL>/<path>`.
package struct DevEndpoints: Equatable, Sendable {
    private let bases: [String: String]

    package static let none = DevEndpoints(bases: [:])

    private init(bases: [String: String]) {
        self.bases = bases
    }

    /// - Parameter text: a JSON object of host names and base URLs.
    /// - Returns: nil for anything else.
    package init?(_ text: String) {
        // `try?`: the result is nil.
        guard let bases = try? WireJSON.decode([String: String].self, from: Data(text.utf8)),
            bases.allSatisfy({ host, base in
                WebURL.isHostName(host) && WebURL(base).map { $0.query == nil && $0.fragment == nil } ?? false
            })
        else { return nil }
        self.init(
            bases: Dictionary(
                bases.map {
                    ($0.key.asciiLowercased, $0.value.hasSuffix("/") ? String($0.value.dropLast()) : $0.value)
                },
                uniquingKeysWith: { first, _ in first }))
    }

    /// Where a request for a URL goes.
    func destination(of url: WebURL) -> String {
        guard url.isSecure, let base = bases[url.host] else { return url.text }
        // The text is "https://" with the authority, and then the path.
        return base
            + String(decoding: url.text.utf8.dropFirst("https://".utf8.count + url.authority.utf8.count), as: UTF8.self)
    }
}
