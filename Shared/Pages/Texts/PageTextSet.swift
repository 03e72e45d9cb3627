package import Vocabulary

/// Every text of the pages for users in one language: those of Latchkey, or those of a project in their place.
///
/// A reference: the texts are many, and the visits that have them are copied.
@dynamicMemberLookup
package final class PageTextSet: Sendable {
    /// The texts of pages that belong together.
    package struct Groups: Sendable {
        package var pages: PageTexts
        package var account: PageTexts.Account
        package var phone: PageTexts.Phone
        package var connections: PageTexts.Connections
        package var rememberedDevices: PageTexts.RememberedDevices
        package var deletion: PageTexts.AccountDeletion
        package var passkeys: PageTexts.Passkeys
        package var lastUse: PageTexts.LastUse
    }

    package let language: Language
    let groups: Groups

    fileprivate static let builtIn = Dictionary(
        uniqueKeysWithValues: Language.allCases.map { ($0, PageTextSet($0)) })

    private init(_ language: Language, _ groups: Groups) {
        self.language = language
        self.groups = groups
    }

    fileprivate convenience init(_ language: Language) {
        self.init(
            language,
            Groups(
                pages: language.pageTexts, account: language.accountTexts, phone: language.phoneTexts,
                connections: language.connectionTexts, rememberedDevices: language.rememberedDeviceTexts,
                deletion: language.accountDeletionTexts, passkeys: language.passkeyTexts,
                lastUse: language.lastUseTexts))
    }

    package subscript<Group>(dynamicMember group: KeyPath<Groups, Group>) -> Group { groups[keyPath: group] }

    /// - Parameter own: texts that have been checked, by the keys of `PageTextEntry`. An unknown key has no effect.
    package func replaced(by own: [String: String]) -> PageTextSet {
        var groups = groups
        for (key, text) in own { PageTextEntry.all[key]?.replace(in: &groups, by: text, language) }
        return PageTextSet(language, groups)
    }

    /// In words for a month, then the day.
    package func lastUsed(at moment: Moment, now: Moment) -> String {
        let hours = Int(clamping: max(0, now.milliseconds(since: moment)) / 3_600_000)
        switch hours {
        case 0: return groups.lastUse.withinTheHour
        case 1..<24: return groups.lastUse.hoursAgo(hours)
        case 24..<(31 * 24): return groups.lastUse.daysAgo(hours / 24)
        default: return groups.account.lastUsed(language.date(moment))
        }
    }
}

extension Language {
    /// Those of Latchkey.
    package var pageTextSet: PageTextSet { PageTextSet.builtIn[self] ?? PageTextSet(self) }
}

extension PageBranding {
    /// The texts of the project, and those of Latchkey for what it does not name.
    package func texts(in language: Language) -> PageTextSet {
        ownTexts[language].map { language.pageTextSet.replaced(by: $0) } ?? language.pageTextSet
    }
}
