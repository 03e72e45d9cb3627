import Testing
import Vocabulary

@testable import Pages

@Suite struct PageTextsTests {
    @Test(arguments: [
        ("en", Language.english), ("de-CH", .german), ("DE", .german), ("ar-EG", .arabic), ("pt-BR", .english),
        ("", .english),
        ("zz", .english), ("th_TH", .thai), ("kok", .english),
    ])
    func languageTagFallsBackToKnownLanguage(tag: String, language: Language) {
        #expect(Language.find(tag, acceptLanguage: nil) == language)
    }

    @Test(arguments: [
        (String?.none, "pt-BR, ja;q=0.8, en", Language.japanese), ("xx", "ko", .korean), ("fr", "ko", .french),
        (nil, "", .english),
        (nil, ";;,, ,q=1", .english),
    ])
    func acceptLanguageIsUsedWithoutKnownTag(tag: String?, header: String, language: Language) {
        #expect(Language.find(tag, acceptLanguage: header) == language)
    }

    /// Every sentence with its path in `PageTexts`.
    private static func sentences(of value: Any, _ path: String = "") -> [(path: String, text: String)] {
        if let text = value as? String { return [(path, text)] }
        return Mirror(reflecting: value).children.flatMap { sentences(of: $0.value, "\(path).\($0.label ?? "")") }
    }

    private static func sentences(ofPagesIn language: Language) -> [(path: String, text: String)] {
        sentences(forUsersIn: language) + sentences(ofConsoleIn: language)
    }

    private static func sentences(forUsersIn language: Language) -> [(path: String, text: String)] {
        sentences(of: language.pageTexts) + sentences(of: language.accountTexts)
            + sentences(of: language.rememberedDeviceTexts) + sentences(of: language.lastUseTexts)
            + sentences(of: language.phoneTexts) + sentences(of: language.connectionTexts)
            + sentences(of: language.accountDeletionTexts) + sentences(of: language.passkeyTexts)
    }

    private static func sentences(ofConsoleIn language: Language) -> [(path: String, text: String)] {
        sentences(of: language.consoleTexts) + sentences(of: language.settingTexts)
            + sentences(of: language.overviewTexts) + sentences(of: language.integrationTexts)
            + sentences(of: language.consoleUserTexts)
            + sentences(of: language.consolePasskeyTexts) + sentences(of: language.consoleShortcutTexts)
            + sentences(of: language.consoleTryTexts) + sentences(of: language.consoleRefusalTexts)
            + sentences(of: language.consoleImportTexts) + sentences(of: language.consoleAuditTexts)
    }

    /// The compiler finds missing sentences; this test finds untranslated ones.
    @Test(arguments: Language.allCases) func everySentenceIsTranslated(language: Language) {
        let english = Self.sentences(ofPagesIn: .english)
        let own = Self.sentences(ofPagesIn: language)
        #expect(own.map(\.path) == english.map(\.path) && own.count > 40)
        for (own, english) in zip(own, english) {
            #expect(
                !own.text.isEmpty && own.text == own.text.split(separator: " ").joined(separator: " "), "\(own.path)")
            if language != .english { #expect(own.text != english.text, "\(own.path)") }
        }
        let passkeys = language.pageTexts.accountPasskeys
        #expect(passkeys.added("2026-11-22").contains("2026-11-22"))
        #expect(passkeys.lastUsed("2026-11-22").contains("2026-11-22"))
        #expect(language.pageTexts.atLeast(12).contains("12") && language.pageTexts.atMost(64).contains("64"))
    }

    @Test(arguments: Language.allCases) func boxNamesTheDays(language: Language) {
        let remember = language.rememberedDeviceTexts.remember
        let sentences = [1, 2, 7, 30].map(remember)
        #expect(Set(sentences).count == 4 && sentences.last?.contains("30") == true)
        #expect(language.rememberedDeviceTexts.until("2026-11-22").contains("2026-11-22"))
    }

    /// A plus before a number would move behind it.
    @Test(arguments: Language.allCases.filter(\.isRightToLeft))
    func numbersKeepTheirOrderFromRightToLeft(language: Language) {
        let texts = language.pageTexts.hostedSignIn
        for sentence in [texts.smsSentTo("+1"), texts.useSMS("+1")] {
            #expect(sentence.contains("\u{2066}+1\u{2069}"), "\(sentence)")
        }
    }

    @Test(arguments: Language.allCases) func deletionNamesTheDaysAndTheDate(language: Language) {
        let texts = language.accountDeletionTexts
        let sentences = [1, 2, 7, 30].map(texts.inDays)
        #expect(Set(sentences).count == 4 && sentences.last?.contains("30") == true)
        for sentence in [texts.scheduled, texts.restoreBody] { #expect(sentence("2026-11-22").contains("2026-11-22")) }
        #expect(language.consoleTexts.obstacleDeletion("2026-11-22").contains("2026-11-22"))
    }

    /// Words of the form of address that a language does not have here. The people who are meant are named, or are "you".
    private static func otherAddress(_ language: Language) -> Regex<Substring>? {
        switch language {
        case .english: /(?i)\bwhoever\b/
        case .german: /\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein[a-z]*|[Ee]uch|[Ee]uer|[Ee]ure[a-z]*)\b/
        case .french: /(?i)\b(?:tu|toi|tes|ton)\b/
        case .korean: /귀하|당신|십시오/
        case .thai: /(?:^|[^เ])ท่าน|ครับ|ค่ะ/
        case .arabic: /أنتم|حسابكم|يمكنكم/
        case .japanese: /あなた|(?:である|だ|する|ない)。/
        // Pages for users say "tú", and those for operators "usted".
        case .spanish: nil
        }
    }

    @Test(arguments: Language.allCases) func eachLanguageHasOneFormOfAddress(language: Language) {
        guard let other = Self.otherAddress(language) else { return }
        for (path, text) in Self.sentences(ofPagesIn: language) {
            #expect(text.firstMatch(of: other) == nil, "\(path): \(text)")
        }
    }

    @Test func spanishHasOneFormOfAddressForUsersAndOneForOperators() {
        let formal =
            /(?i)\b(?:usted|vuelva|inténtelo|elija|abra|escriba|empiece|cierre también|puede intentarlo|se le|introduzca)\b/
        for (path, text) in Self.sentences(forUsersIn: .spanish) {
            #expect(text.firstMatch(of: formal) == nil, "\(path): \(text)")
        }
        let familiar =
            /(?i)\b(?:tu|tus|tú|te|puedes|tienes|inténtalo|cópialo|has)\b/
        for (path, text) in Self.sentences(ofConsoleIn: .spanish) {
            #expect(text.firstMatch(of: familiar) == nil, "\(path): \(text)")
        }
    }
}
