/// A text with placeholders. A placeholder is `%`, three or more of `A` to `Z` and `_`, and `%`. Every other percent
/// sign is literal, also in a percent-encoded URL.
package struct EmailTemplateText: Equatable, Sendable {
    package enum Part: Equatable, Sendable {
        case text(String)
        case placeholder(Notifier.EmailPlaceholder)
    }

    package let parts: [Part]

    /// - Throws: `unknownPlaceholder`.
    package init(_ text: String) throws(EmailTemplateError) {
        var parts: [Part] = []
        var rest = text[...]
        var plain = ""
        while let percent = rest.utf8.firstIndex(of: UInt8(ascii: "%")) {
            plain += rest[..<percent]
            rest = rest[percent...].dropFirst()
            let name = rest.prefix { ("A"..."Z").contains($0) || $0 == "_" }
            guard name.utf8.count >= 3, rest[name.endIndex...].first == "%" else {
                plain += "%"
                continue
            }
            guard let placeholder = Notifier.EmailPlaceholder(rawValue: String(name)) else {
                throw .unknownPlaceholder("%\(name.prefix(64))%")
            }
            if !plain.isEmpty { parts.append(.text(plain)) }
            plain = ""
            parts.append(.placeholder(placeholder))
            rest = rest[name.endIndex...].dropFirst()
        }
        plain += rest
        if !plain.isEmpty { parts.append(.text(plain)) }
        self.parts = parts
    }

    package var placeholders: Set<Notifier.EmailPlaceholder> {
        Set(
            parts.compactMap { part in
                switch part {
                case .text: nil
                case .placeholder(let placeholder): placeholder
                }
            })
    }

    /// The text with its placeholders replaced.
    package func filled(_ value: (Notifier.EmailPlaceholder) -> String) -> String {
        parts.reduce(into: "") { result, part in
            switch part {
            case .text(let text): result += text
            case .placeholder(let placeholder): result += value(placeholder)
            }
        }
    }
}
