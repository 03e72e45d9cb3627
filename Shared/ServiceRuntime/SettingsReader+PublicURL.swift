package import Settings
internal import Vocabulary

extension SettingsReader {
    private static let publicURLExample = "https://auth.example.com"
    private static let originMeaning = "an absolute http or https URL without a path"

    /// `LATCHKEY_PUBLIC_URL`: where the world finds the public listener, for links in documents and in e-mails. Never
    /// taken from a request.
    /// - Returns: `https://auth.example.com`, without a trailing slash; nil when it is not set.
    package mutating func publicURL() -> String? {
        origin(.publicURL, default: nil, example: Self.publicURLExample)
    }

    /// The same for processes that cannot do without: links would lead to a server of somebody else.
    /// - Parameter fallback: of dev mode; nil demands the setting.
    package mutating func requiredPublicURL(default fallback: String?) -> String {
        value(
            .publicURL, default: fallback, standIn: Self.publicURLExample, expects: Self.originMeaning,
            example: Self.publicURLExample, parse: Self.origin)
    }

    /// Where a listener of ours is found.
    /// - Returns: scheme and authority, without a trailing slash.
    package mutating func origin(_ setting: Setting, default fallback: String?, example: String) -> String? {
        value(setting, default: .some(fallback), standIn: nil, expects: Self.originMeaning, example: example) { text in
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
