package import Vocabulary

/// What a text of a project contains in the place of a value.
package enum PageTextPlaceholder: String, CaseIterable, Sendable {
    case applicationName = "%APP_NAME%"
    case provider = "%PROVIDER%"
    case phoneNumber = "%PHONE_NUMBER%"
    case email = "%EMAIL%"
    case account = "%ACCOUNT%"
    case date = "%DATE%"
    /// A number of days, hours, characters or codes.
    case count = "%COUNT%"
}

/// A text that a project or a tenant can have in the place of that of Latchkey (`branding.pageTexts`).
///
/// Its key is its path in `PageTextSet.Groups` in camel case, without the group `pages`: `\.account.delete` has `accountDelete`.
/// The tests find a text that is missing here.
package struct PageTextEntry: Sendable {
    package let key: String
    /// What the text contains once; nil for a text without a value.
    package let placeholder: PageTextPlaceholder?
    /// With the placeholder.
    let read: @Sendable (PageTextSet.Groups) -> String
    private let write: @Sendable (inout PageTextSet.Groups, String, Language) -> Void

    /// By their keys.
    package static let all = Dictionary(
        uniqueKeysWithValues: (ofSignIn + ofPages + ofAccount + ofTasks).map { ($0.key, $0) })

    package static let maximumLabelBytes = 160
    package static let maximumSentenceBytes = 600
    /// Of an English text that is no sentence.
    private static let labelBytes = 40

    /// The limit of a text in UTF-8: that of a label where the English one is short.
    package var maximumBytes: Int {
        text(in: .english).utf8.count <= Self.labelBytes ? Self.maximumLabelBytes : Self.maximumSentenceBytes
    }

    /// The text of Latchkey, with the placeholder.
    package func text(in language: Language) -> String { read(language.pageTextSet.groups) }

    func replace(in groups: inout PageTextSet.Groups, by text: String, _ language: Language) {
        write(&groups, text, language)
    }

    // MARK: Kinds

    static func text(_ key: String, _ member: any WritableKeyPath<PageTextSet.Groups, String> & Sendable) -> Self {
        Self(
            key: key, placeholder: nil, read: { $0[keyPath: member] },
            write: { groups, text, _ in groups[keyPath: member] = text })
    }

    /// With a value.
    static func text(
        _ key: String,
        _ member: any WritableKeyPath<PageTextSet.Groups, @Sendable (String) -> String> & Sendable,
        _ placeholder: PageTextPlaceholder
    ) -> Self {
        Self(
            key: key, placeholder: placeholder, read: { $0[keyPath: member](placeholder.rawValue) },
            write: { groups, text, language in
                groups[keyPath: member] = { text.replacing(placeholder, with: $0, in: language) }
            })
    }

    /// With a number. An own text has one form for all of them.
    static func counted(
        _ key: String, _ member: any WritableKeyPath<PageTextSet.Groups, @Sendable (Int) -> String> & Sendable
    ) -> Self {
        let sample = 17
        return Self(
            key: key, placeholder: .count,
            read: {
                $0[keyPath: member](sample).replacing(String(sample), with: PageTextPlaceholder.count.rawValue)
            },
            write: { groups, text, language in
                groups[keyPath: member] = { text.replacing(.count, with: String($0), in: language) }
            })
    }
}

extension String {
    /// In a language that is written from right to left the value keeps its own direction (UAX #9).
    fileprivate func replacing(
        _ placeholder: PageTextPlaceholder, with value: String, in language: Language
    ) -> String {
        replacing(placeholder.rawValue, with: language.isRightToLeft ? "\u{2068}\(value)\u{2069}" : value)
    }
}
