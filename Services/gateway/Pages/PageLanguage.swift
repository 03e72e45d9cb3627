import Vocabulary

/// The languages our pages speak.
enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case spanish = "es"
    case korean = "ko"
    case thai = "th"
    case german = "de"
    case french = "fr"
    case japanese = "ja"
    case arabic = "ar"

    /// The language of a tag (BCP 47), or of the longest beginning of it that we have: `de-CH` is German.
    init?(tag: some StringProtocol) {
        self.init(rawValue: String(String(tag).prefix { $0 != "-" && $0 != "_" }).asciiLowercased)
    }

    /// - Parameters:
    ///   - lang: of the link.
    ///   - acceptLanguage: what the browser prefers, in its order (RFC 9110 §12.5.4), if the link does not tell.
    static func best(_ lang: String?, acceptLanguage: String?) -> PageLanguage {
        let tags = [lang ?? ""] + (acceptLanguage ?? "").prefix(256).pieces(at: ",").map { String($0) }
        return tags.lazy.compactMap { tag in PageLanguage(tag: tag.drop { $0 == " " }.prefix { $0 != ";" }) }.first
            ?? .english
    }

    /// For `dir`.
    var direction: String { self == .arabic ? "rtl" : "ltr" }

    var texts: PageTexts {
        switch self {
        case .english: .english
        case .spanish: .spanish
        case .korean: .korean
        case .thai: .thai
        case .german: .german
        case .french: .french
        case .japanese: .japanese
        case .arabic: .arabic
        }
    }
}
