import Testing
import Vocabulary

@testable import Pages

@Suite struct PageChartTests {
    private static func chart(
        _ values: [[Int64]], in language: Language = .english, table: PageChart.Table = .shown(period: "When")
    ) -> PageChart {
        PageChart(
            id: "c", title: "Title <i>", summary: "Sum & more", periods: values[0].indices.map { "\($0):00" },
            series: zip(["one", "<b>"], [PageChart.Tone.first, .bad]).enumerated().prefix(values.count).map {
                index, entry in
                .init(entry.0, entry.1, values[index])
            }, table: table, language: language,
            format: { language.number($0) })
    }

    /// Bars are stacked from the bottom, each value once, and the highest reaches the top.
    @Test func barsAreStacked() {
        let html = Self.chart([[0, 30], [0, 10]]).html.text
        #expect(html.contains(#"<path class="first" d="M11 1000V250h8V1000z" />"#))
        #expect(html.contains(#"<path class="bad" d="M11 250V0h8V250z" />"#))
        #expect(html.contains("<title>1:00: 30 · 10</title>"))
        #expect(!html.contains("0:00: "))
    }

    @Test func timeRunsInTheDirectionOfTheLanguage() {
        #expect(Self.chart([[5, 0]]).html.text.contains("M1 1000V0h8V1000z"))
        #expect(Self.chart([[5, 0]], in: .arabic).html.text.contains("M11 1000V0h8V1000z"))
    }

    /// A screen reader gets a sentence and a table, and texts are escaped. The policy of pages permits no style.
    @Test func chartHasASentenceAndATable() {
        let html = Self.chart([[1234, 0], [0, 1]]).html.text
        #expect(html.contains(#"role="img" aria-label="Title &lt;i&gt;: Sum &amp; more""#))
        #expect(html.contains(#"<th scope="col">&lt;b&gt;</th>"#))
        #expect(html.contains("<td><bdi>0:00</bdi></td><td>1,234</td><td>0</td>"))
        let link = Self.chart([[1]], table: .behind(address: "/a?b=1&c", label: "Read")).html.text
        #expect(link.contains(#"<a href="/a?b=1&amp;c#c">Read</a>"#) && !link.contains("<table"))
        #expect(!html.contains("style") && !html.contains("<script") && !html.contains("<b>"))
    }

    @Test(arguments: [[Int64.max, Int64.max], [0, 1], [1, 1_000_000]]) func everyValueHasABar(values: [Int64]) {
        let html = Self.chart([values, values]).html.text
        for value in values where value > 0 { #expect(html.contains("h8V")) }
        #expect(!html.contains("V-"))
    }

    @Test func seriesThatAreShorterAreZero() {
        #expect(Self.chart([[1, 2], []]).html.text.contains("<td><bdi>1:00</bdi></td><td>2</td><td>0</td>"))
        #expect(Self.chart([[0, 0], [0, 0]]).isEmpty)
        #expect(!Self.chart([[0, 1]]).isEmpty)
    }

    @Test(arguments: [
        (Language.english, Int64(0), "0", "0.00"), (.english, 1_234_567, "1,234,567", "1.23"),
        (.german, 48_210, "48.210", "0,0482"), (.french, -1000, "-1\u{202F}000", "-0,001"),
        (.japanese, 12_400_000, "12,400,000", "12.40"), (.arabic, 8000, "8,000", "0.008"),
        (.spanish, 1_000_000_000, "1.000.000.000", "1.000,00"), (.english, 999_999, "999,999", "1.00"),
    ])
    func numbersAreWrittenAsInTheLanguage(language: Language, value: Int64, number: String, amount: String) {
        #expect(language.number(value) == number)
        #expect(language.amount(micros: value) == amount)
    }
}
