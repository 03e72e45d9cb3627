/// The languages of e-mails, text messages and pages, by their primary subtags (BCP 47). English stands in for every
/// other one.
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case spanish = "es"
    case korean = "ko"
    case thai = "th"
    case german = "de"
    case french = "fr"
    case japanese = "ja"
    case arabic = "ar"

    /// The language of a tag, by its primary subtag: `de-CH`, `DE_at` and `de;q=0.8` are German. Nil for other languages
    /// and for malformed tags. At most the first 100 bytes of a tag are read.
    package init?(tag: some StringProtocol) {
        let separators: Set = [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ","), UInt8(ascii: ";")]
        let primary = tag.utf8.prefix(100).drop { $0 == UInt8(ascii: " ") }.prefix { !separators.contains($0) }
        self.init(rawValue: String(decoding: primary.map(\.asciiLowercased), as: UTF8.self))
    }

    /// The language that a request names, else the default of the project.
    /// - Parameters:
    ///   - requested: a tag, or a list of tags, of which the first counts.
    ///   - fallback: a tag.
    package static func find(_ requested: String?, default fallback: String?) -> Language {
        [requested, fallback].lazy.compactMap { $0.flatMap { Language(tag: $0) } }.first ?? .english
    }

    /// The language that a link names, else the first one of a browser's list (RFC 9110 §12.5.4) that there is. At most
    /// the first 256 bytes of the list are read.
    package static func find(_ requested: String?, acceptLanguage: String?) -> Language {
        let list = String(decoding: (acceptLanguage ?? "").utf8.prefix(256), as: UTF8.self).pieces(at: ",")
        return ([requested ?? ""] + list.map(String.init)).lazy.compactMap { Language(tag: $0) }.first ?? .english
    }

    package var isRightToLeft: Bool { self == .arabic }
    /// The value of `dir` in HTML.
    package var direction: String { isRightToLeft ? "rtl" : "ltr" }
}
