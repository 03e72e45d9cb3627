import Testing
import Vocabulary

@testable import Pages

/// The colors of the pages against WCAG 2.2: text at least 4.5:1 (1.4.3), edges of controls at least 3:1 (1.4.11).
@Suite struct PageStylesheetTests {
    private static let pairs: [(name: String, ground: String, minimumRatio: Double)] =
        ["surface", "raised", "canvas"].flatMap { ground in
            [("ink", 4.5), ("muted", 4.5), ("link", 4.5), ("bad", 4.5), ("edge", 3)].map { ($0.0, ground, $0.1) }
        } + [
            ("good", "good-soft", 4.5), ("warn", "warn-soft", 4.5), ("bad", "bad-soft", 4.5),
            ("brand-ink", "brand", 4.5), ("brand", "surface", 3), ("brand", "raised", 3),
        ]

    /// The colors of one scheme. The last value of a variable counts.
    private static func colors(_ sheet: String, isDark: Bool) -> [String: RGBColor] {
        let pair = /--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/
        let single = /--([a-z-]+): (#[0-9a-f]{6});/
        let all =
            sheet.matches(of: single).map { (String($0.1), RGBColor($0.2)) }
            + sheet.matches(of: pair).map { (String($0.1), RGBColor(isDark ? $0.3 : $0.2)) }
        return Dictionary(all.compactMap { name, color in color.map { (name, $0) } }) { $1 }
    }

    private func expectContrast(_ sheet: PageStylesheet, isDark: Bool, _ what: String) throws {
        let colors = Self.colors(sheet.text, isDark: isDark)
        for (name, ground, minimumRatio) in Self.pairs {
            let ratio = try #require(colors[name]).contrast(with: try #require(colors[ground]))
            #expect(ratio >= minimumRatio, "\(what): \(name) on \(ground) has \(ratio)")
        }
    }

    @Test(arguments: [true, false]) func colorsHaveEnoughContrast(isDark: Bool) throws {
        try expectContrast(PageStylesheet(PageBranding()), isDark: isDark, "default")
    }

    /// Links, the focus and dark buttons derive from the color of the project, whichever it is.
    @Test(arguments: ["#ffd400", "#000000", "#ffffff", "#777777", "#e4002b", "#00b894", "#1b1464"], [true, false])
    func colorsOfProjectHaveEnoughContrast(color: String, isDark: Bool) throws {
        let branding = PageBranding(color: RGBColor(color))
        let colors = Self.colors(PageStylesheet(branding).text, isDark: isDark)
        for (name, ground, ratio) in [
            ("link", "surface", 4.5), ("link", "canvas", 4.5), ("brand-ink", "brand", 4.5),
        ] {
            let contrast = try #require(colors[name]).contrast(with: try #require(colors[ground]))
            #expect(contrast >= ratio, "\(color): \(name) on \(ground)")
        }
    }

    /// Forced colors replace backgrounds; an edge, also a transparent one, is drawn.
    @Test func everyControlHasAnEdge() {
        let rules = PageStylesheet.file.matches(of: /([^{}]+)\{([^{}]*)\}/).map { (String($0.1), String($0.2)) }
        for base in ["button, .button", "input, select, textarea"] {
            #expect(rules.contains { $0.0.contains(base) && $0.1.contains("border: 1px solid") }, "\(base)")
        }
        for (selector, body) in rules where selector.contains("button") || selector.contains("input") {
            #expect(!body.contains("border: 0") && !body.contains("border: none"), "\(selector)")
        }
    }

    /// Arabic pages mirror, and nothing comes from another place.
    @Test func propertiesAreLogical() {
        for word in ["left", "right", "margin-top", "padding-bottom", "url(", "@import", "http"] {
            #expect(!PageStylesheet.file.contains(word), "\(word)")
        }
    }

    @Test func addressHasTheBranding() throws {
        let plain = PageStylesheet(PageBranding(name: "Harbour"))
        #expect(plain.url == "/__/auth/pages.css?v=\(PageStylesheet.version)" && plain.text == PageStylesheet.file)
        let branding = PageBranding(
            color: RGBColor("#00b894"), darkColor: RGBColor("#ffd400"), canvas: RGBColor("#fafafa"),
            darkCanvas: RGBColor("#0a0b0c"), radiusPixels: 0, scheme: .dark)
        let sheet = PageStylesheet(branding)
        let items = try #require(WebURL("https://h.example\(sheet.url)")?.query).split(separator: "&").map {
            $0.split(separator: "=").map(String.init)
        }
        let read = PageStylesheet { name in items.first { $0[0] == name }?[1] }
        #expect(read.text == sheet.text && read.url == sheet.url)
        for line in [
            "color-scheme: dark", "--radius: 0px", "--brand-ink: light-dark(#000000", "light-dark(#fafafa, #0a0b0c)",
            "--brand: light-dark(#00b894, #ffd400)",
        ] { #expect(read.text.contains(line), "\(line)") }
    }

    /// A scheme that the branding leaves alone stays as it is in the file.
    @Test func oneSchemeCanHaveColorsAlone() {
        let dark = PageStylesheet(PageBranding(darkColor: RGBColor("#ffd400"), darkCanvas: RGBColor("#000000"))).text
        #expect(dark.contains("--brand: light-dark(#2f5bd8, #ffd400)"))
        #expect(dark.contains("--canvas: light-dark(#f5f6f8, #000000)"))
    }

    @Test(arguments: ["", "red", "fff", "00b894;}*{", "#00b89", "-1", "25", "1e1"])
    func otherItemsAreIgnored(value: String) {
        #expect(PageStylesheet { _ in value }.text == PageStylesheet.file)
    }
}
