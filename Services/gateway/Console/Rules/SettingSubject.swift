import Contracts
import JSON
import Pages
import Vocabulary

/// What a form of settings is about: an area, or texts in one language, which have too many fields for one form.
enum SettingSubject: Equatable, Sendable {
    case area(SettingArea)
    /// Nil: the text for languages without one of their own.
    case mail(MailTemplate, Language?)
    case pageTexts(Language)

    /// The templates of e-mails in the configuration.
    enum MailTemplate: String, CaseIterable, Sendable {
        case resetPassword, verifyEmail, changeEmail, revertSecondFactorAddition

        var purpose: Notifier.EmailPurpose {
            switch self {
            case .resetPassword: .resetPassword
            case .verifyEmail: .verifyEmail
            case .changeEmail: .emailChanged
            case .revertSecondFactorAddition: .secondFactorAdded
            }
        }

        func path(_ language: Language?) -> String {
            let template = "notification.sendEmail.\(rawValue)Template"
            return language.map { "\(template).translations.\($0.rawValue)" } ?? template
        }

        func texts(_ texts: PageTexts.Settings) -> String {
            switch self {
            case .resetPassword: texts.mailReset.label
            case .verifyEmail: texts.mailVerification.label
            case .changeEmail: texts.mailAddressChange.label
            case .revertSecondFactorAddition: texts.mailFactor.label
            }
        }
    }

    /// Those of an owner. A tenant has the e-mails of its project or those of Latchkey.
    static func all(of owner: SettingsOwner) -> [SettingSubject] {
        let languages = Language.allCases
        let mails = MailTemplate.allCases.flatMap { template in
            ([nil] + languages).map { SettingSubject.mail(template, $0) }
        }
        return SettingArea.allCases.map(Self.area) + languages.map(Self.pageTexts) + (owner == .project ? mails : [])
    }

    // MARK: In addresses

    /// `passwords`, `mail.resetPassword.de`, `mail.resetPassword` or `pages.de`.
    init?(_ text: String) {
        let pieces = text.pieces(at: ".").map(String.init)
        let language = pieces.dropFirst().last.flatMap(Language.init(rawValue:))
        switch (pieces.first, pieces.count) {
        case ("mail", 2...3):
            guard let template = pieces.dropFirst().first.flatMap(MailTemplate.init),
                pieces.count == 2 || language != nil
            else { return nil }
            self = .mail(template, language)
        case ("pages", 2):
            guard let language else { return nil }
            self = .pageTexts(language)
        default:
            guard let area = SettingArea(rawValue: text) else { return nil }
            self = .area(area)
        }
    }

    var name: String {
        switch self {
        case .area(let area): area.rawValue
        case .mail(let template, let language):
            ["mail", template.rawValue, language?.rawValue].compactMap(\.self)
                .joined(separator: ".")
        case .pageTexts(let language): "pages.\(language.rawValue)"
        }
    }

    // MARK: Content

    var isArea: Bool {
        switch self {
        case .area: true
        case .mail, .pageTexts: false
        }
    }

    /// The heading and what it is for.
    func texts(_ texts: PageTexts.Settings) -> (label: String, hint: String?) {
        switch self {
        case .area(let area):
            let texts = area.texts(texts)
            return (texts.label, texts.hint)
        case .mail(let template, let language):
            return ("\(template.texts(texts)): \(language?.ownName ?? texts.everyLanguage)", nil)
        case .pageTexts(let language):
            return ("\(texts.pageTexts.label): \(language.ownName)", texts.pageTexts.hint)
        }
    }

    func fields(of owner: SettingsOwner) -> [SettingField] {
        switch self {
        case .area(let area): return area.fields(of: owner)
        case .mail(let template, let language):
            return owner == .project ? Self.mailFields(template.path(language), hasSender: language == nil) : []
        case .pageTexts(let language):
            let path = SettingPath("branding.pageTexts.\(language.rawValue)")
            return [
                .init("texts", .sentences, project: path, tenant: path, inheritance: .ofMember, \.pageTextKeys)
            ]
        }
    }

    private static func mailFields(_ path: String, hasSender: Bool) -> [SettingField] {
        func field(_ id: String, _ kind: SettingField.Kind, _ name: String, _ texts: @escaping SettingField.Texts)
            -> SettingField
        {
            .init(id, kind, project: SettingPath("\(path).\(name)"), texts)
        }
        let text = [
            field("subject", .text, "subject", \.mailSubject), field("body", .longText, "body", \.mailBody),
            field(
                "isHTML", .choice([(.on, .string("HTML")), (.off, .string("PLAIN_TEXT"))]), "bodyFormat",
                \.mailIsHTML),
        ]
        let sender = [
            field("sender", .text, "senderDisplayName", \.mailSender),
            field("localPart", .text, "senderLocalPart", \.mailLocalPart),
            field("replyTo", .text, "replyTo", \.mailReplyTo),
        ]
        return hasSender ? text + sender : text
    }
}

extension Language {
    /// As its speakers write it.
    var ownName: String {
        switch self {
        case .english: "English"
        case .spanish: "Español"
        case .korean: "한국어"
        case .thai: "ไทย"
        case .german: "Deutsch"
        case .french: "Français"
        case .japanese: "日本語"
        case .arabic: "العربية"
        }
    }
}
