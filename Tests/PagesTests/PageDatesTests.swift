import Testing
import Vocabulary

@testable import Pages

@Suite struct PageDatesTests {
    /// 2026-11-22T08:15:00Z
    private static let moment = Moment(milliseconds: 1_795_335_300_000)

    @Test(
        arguments: [
            (.english, "22 November 2026"), (.german, "22. November 2026"), (.french, "22 novembre 2026"),
            (.spanish, "22 de noviembre de 2026"), (.japanese, "2026年11月22日"), (.korean, "2026년 11월 22일"),
            (.thai, "22 พฤศจิกายน พ.ศ. 2569"), (.arabic, "22 نوفمبر 2026"),
        ] as [(Language, String)])
    func dayIsInTheLanguageOfTheReader(language: Language, text: String) {
        #expect(language.date(Self.moment) == text)
    }

    /// The first and the last millisecond of a day, leap days, and times that no page has.
    @Test(
        arguments: [
            (0, "1 January 1970"), (86_399_999, "1 January 1970"), (86_400_000, "2 January 1970"),
            (951_782_400_000, "29 February 2000"), (1_709_164_800_000, "29 February 2024"),
            (1_767_225_599_999, "31 December 2025"), (253_402_300_799_000, "31 December 9999"),
        ] as [(Int64, String)])
    func dayIsThatOfUTC(milliseconds: Int64, text: String) {
        #expect(Language.english.date(Moment(milliseconds: milliseconds)) == text)
    }

    @Test(arguments: [Int64.min, -1, Int64.max]) func anyTimeHasAText(milliseconds: Int64) {
        for language in Language.allCases { #expect(!language.date(Moment(milliseconds: milliseconds)).isEmpty) }
    }

    @Test func everyMonthHasItsName() {
        let day: Int64 = 86_400_000
        for language in Language.allCases {
            let months = Set((0..<12).map { language.date(Moment(milliseconds: (15 + $0 * 30) * day)) })
            #expect(months.count == 12, "\(language)")
        }
        #expect(Language.french.date(Moment(milliseconds: 0)) == "1er janvier 1970")
    }

    @Test(
        arguments: [
            (-5, "Last used within the last hour"), (0, "Last used within the last hour"),
            (3_599, "Last used within the last hour"), (3_600, "Last used 1 hour ago"),
            (23 * 3_600 + 3_599, "Last used 23 hours ago"), (86_400, "Last used 1 day ago"),
            (30 * 86_400, "Last used 30 days ago"), (31 * 86_400, "Last used on 22 October 2026"),
        ] as [(Int, String)])
    func lastUseIsInWordsForAMonth(seconds: Int, text: String) {
        let now = Self.moment
        #expect(Language.english.pageTextSet.lastUsed(at: now - .seconds(seconds), now: now) == text)
    }

    @Test(
        arguments: [
            (1, "يوم واحد"), (2, "يومين"), (3, "3 أيام"), (10, "10 أيام"), (11, "11 يومًا"), (30, "30 يومًا"),
        ])
    func arabicCountsHaveTheirForm(count: Int, text: String) { #expect(ArabicCount.days(count) == text) }

    @Test(arguments: Language.allCases) func lastUseNamesItsNumber(language: Language) {
        let texts = language.lastUseTexts
        #expect(texts.hoursAgo(5).contains("5") && texts.daysAgo(12).contains("12"))
        #expect(texts.hoursAgo(1) != texts.daysAgo(1))
    }
}
