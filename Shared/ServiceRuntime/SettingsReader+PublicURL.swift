package import Settings
import Vocabulary

extension SettingsReader {
    private static let publicURLExample = "https://auth.example.com"
    private static let originMeaning = "an absolute http or https URL without a path"

    /// `LATCHKEY_PUBLIC_URL`: the external address of the public listener, for links in documents and e-mails. It is
    /// never taken from a request.
    /// - Returns: `https://auth.example.com`, without a trailing slash; nil if it is not set.
    package mutating func publicURL() -> String? {
        origin(.publicURL, default: nil, example: Self.publicURLExample)
    }

    /// The same for processes that require it, because links would lead to another server.
    /// - Parameter fallback: for dev mode; nil requires the setting.
    package mutating func requiredPublicURL(default fallback: String?) -> String {
        value(
            .publicURL, default: fallback, placeholder: Self.publicURLExample, expects: Self.originMeaning,
            example: Self.publicURLExample, parse: Self.origin)
    }

    /// The external address of a listener.
    /// - Returns: scheme and authority, without a trailing slash.
    package mutating func origin(_ setting: Setting, default fallback: String?, example: String) -> String? {
        value(setting, default: .some(fallback), placeholder: nil, expects: Self.originMeaning, example: example) {
            text in
            Self.origin(text).map(Optional.some)
        }
    }

    private static func origin(_ text: String) -> String? {
        guard WebURL(text) != nil, let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" }
        let rest = text.dropFirst(scheme.count + authority.count)
        return rest.isEmpty && !authority.contains { "?#".contains($0) } || rest == "/" ? scheme + authority : nil
    }
}
