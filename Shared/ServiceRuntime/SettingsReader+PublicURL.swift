extension SettingsReader {
    /// `LATCHKEY_PUBLIC_URL`: where the world finds the public listener, for links in documents and in e-mails. Never
    /// taken from a request.
    /// - Returns: `https://auth.example.com`, without a trailing slash.
    package mutating func publicURL(default fallback: String?) -> String? {
        origin("LATCHKEY_PUBLIC_URL", default: fallback, example: "https://auth.example.com")
    }

    /// Where a listener of ours is found.
    /// - Returns: scheme and authority, without a trailing slash.
    package mutating func origin(_ name: String, default fallback: String?, example: String) -> String? {
        value(
            name, default: .some(fallback), standIn: nil, expects: "an absolute http or https URL without a path",
            example: example
        ) { text in Self.origin(text).map(Optional.some) }
    }

    private static func origin(_ text: String) -> String? {
        guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" }
        let isVisible = authority.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"\"<>?#@\\".utf8.contains($0) }
        let rest = text.dropFirst(scheme.count + authority.count)
        guard !authority.isEmpty, isVisible, rest.isEmpty || rest == "/" else { return nil }
        return scheme + authority
    }
}
