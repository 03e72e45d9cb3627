import Contracts
import Pages
import Vocabulary

// The rules for the texts that a project or tenant gives its pages (`branding.pageTexts`), as those for the templates of its
// e-mails.

extension ProjectConfiguration.Branding {
    /// Of all texts together: every page reads the configuration.
    static let maximumPageTextsBytes = 32 * 1024

    /// The texts without empty ones, and without stored ones whose key this version does not have any more.
    /// - Returns: nil if nothing is set.
    static func checkedPageTexts(
        _ texts: [String: [String: String]]?, after previous: [String: [String: String]]?
    ) throws(ServiceError) -> [String: [String: String]]? {
        var checked: [String: [String: String]] = [:]
        var bytes = 0
        for (language, own) in (texts ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard Language(rawValue: language) != nil else {
                let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidPageText("\(language.prefix(64)) is none of \(known)")
            }
            let stored = previous?[language] ?? [:]
            let kept = own.filter { key, text in
                !text.isEmpty && (PageTextEntry.all[key] != nil || stored[key] != text)
            }
            for (key, text) in kept.sorted(by: { $0.key < $1.key }) {
                guard let entry = PageTextEntry.all[key] else {
                    throw .invalidPageText("\(language).\(key.prefix(64)) is no text of a page")
                }
                if let problem = entry.problem(of: text) { throw .invalidPageText("\(language).\(key) \(problem)") }
                bytes += key.utf8.count + text.utf8.count
            }
            if !kept.isEmpty { checked[language] = kept }
        }
        guard bytes <= maximumPageTextsBytes else {
            throw .invalidConfiguration(
                "branding.pageTexts has more than \(maximumPageTextsBytes) bytes in keys and texts")
        }
        return checked.nilIfEmpty
    }
}

extension PageTextEntry {
    /// What is wrong with an own text; nil if nothing is.
    fileprivate func problem(of text: String) -> String? {
        let scalars = text.unicodeScalars
        guard text.utf8.count <= maximumBytes else { return "has more than \(maximumBytes) bytes" }
        guard !scalars.contains(where: { $0.isControlOfHeaders || $0.turnsText }) else {
            return "has characters that control or turn text"
        }
        guard scalars.first?.properties.isWhitespace == false, scalars.last?.properties.isWhitespace == false else {
            return "has a blank at an end"
        }
        guard !text.utf8.contains(where: { "<>".utf8.contains($0) }) else {
            return "has markup, which pages show as text"
        }
        let parts = text.pieces(at: "%").count
        guard let placeholder = placeholder?.rawValue else {
            return parts == 1 ? nil : "takes no placeholder, nor a percent sign"
        }
        let isNamed = text.contains(placeholder)
        guard parts == 1 || isNamed && parts == 3 else { return "takes one placeholder, \(placeholder)" }
        return isNamed ? nil : "lacks the placeholder \(placeholder)"
    }
}

extension ServiceError {
    /// - Parameter reason: begins with the path inside `branding.pageTexts`.
    fileprivate static func invalidPageText(_ reason: String) -> ServiceError {
        .invalidConfiguration("branding.pageTexts.\(reason)")
    }
}
