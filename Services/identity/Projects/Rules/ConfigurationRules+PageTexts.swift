import Contracts
import Vocabulary

// The rules for the texts that a project or tenant gives the sign-in pages (`branding.pageTexts`), as those for the templates
// of its e-mails.

extension ProjectConfiguration.Branding {
    /// The texts without empty ones.
    /// - Returns: nil if nothing is set.
    static func checkedPageTexts(_ texts: [String: PageTexts]?) throws(ServiceError) -> [String: PageTexts]? {
        var checked: [String: PageTexts] = [:]
        for (language, own) in texts ?? [:] {
            guard Language(rawValue: language) != nil else {
                let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidPageText("\(language) is none of \(known)")
            }
            if let own = try own.checked(language) { checked[language] = own }
        }
        return checked.nilIfEmpty
    }
}

extension ProjectConfiguration.Branding.PageTexts {
    static let maximumTitleBytes = 160
    static let maximumTextBytes = 600

    fileprivate func checked(_ language: String) throws(ServiceError) -> Self? {
        func check(
            _ text: String?, _ name: String, _ maximumBytes: Int = Self.maximumTitleBytes, needsName: Bool = false
        ) throws(ServiceError) -> String? {
            guard let text = text.nilIfEmpty else { return nil }
            if let problem = Self.problem(of: text, maximumBytes, needsName: needsName) {
                throw .invalidPageText("\(language).\(name) \(problem)")
            }
            return text
        }
        var checked = Self()
        checked.signInTitle = try check(signInTitle, "signInTitle")
        checked.signInPurpose = try check(signInPurpose, "signInPurpose", needsName: true)
        checked.signUpTitle = try check(signUpTitle, "signUpTitle")
        checked.passwordTitle = try check(passwordTitle, "passwordTitle")
        checked.secondFactorTitle = try check(secondFactorTitle, "secondFactorTitle")
        checked.passkeyOfferTitle = try check(passkeyOfferTitle, "passkeyOfferTitle")
        checked.passkeyOfferText = try check(passkeyOfferText, "passkeyOfferText", Self.maximumTextBytes)
        checked.signedOutTitle = try check(signedOutTitle, "signedOutTitle")
        checked.signedOutText = try check(signedOutText, "signedOutText", Self.maximumTextBytes)
        return checked == Self() ? nil : checked
    }

    private static func problem(of text: String, _ maximumBytes: Int, needsName: Bool) -> String? {
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
        let name = namePlaceholder
        let isNamed = text.contains(name)
        guard parts == 1 || needsName && isNamed && parts == 3 else {
            return needsName ? "takes one placeholder, \(name)" : "takes no placeholder, nor a percent sign"
        }
        return needsName && !isNamed ? "lacks the placeholder \(name)" : nil
    }
}

extension ServiceError {
    /// - Parameter reason: begins with the path inside `branding.pageTexts`.
    fileprivate static func invalidPageText(_ reason: String) -> ServiceError {
        .invalidConfiguration("branding.pageTexts.\(reason)")
    }
}
