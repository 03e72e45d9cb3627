import Contracts
import HTTPServer
import JSON
import Pages
import Vocabulary

/// How the branding looks, and whether everybody can read it.
extension ConsolePages {
    static let lookRoutes: [ConsoleRoute] = [
        .get(projectPattern("settings/look"), .project) { visit in
            visit.view.lookPage(try await StoredSettings(of: visit.realm, visit.call))
        }
    ]
}

/// A measured pair of colors of the branding.
struct BrandContrast: Equatable, Sendable {
    var color: RGBColor
    var other: RGBColor
    var leastContrast: Double

    var isEnough: Bool { color.contrast(with: other) >= leastContrast }

    /// `4.47:1`, rounded down, so that a ratio that is too low never looks sufficient.
    var ratio: String {
        let hundredths = Int64(saturating: color.contrast(with: other) * 100)
        let decimals = hundredths % 100
        return "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals):1"
    }

    /// The pairs that `BrandPalette.check` judges.
    static func all(of palette: BrandPalette) -> [BrandContrast] {
        let (text, edge) = (RGBColor.leastTextContrast, RGBColor.leastEdgeContrast)
        return [
            .init(color: palette.canvas, other: palette.scheme.text, leastContrast: text),
            .init(color: palette.canvas, other: palette.scheme.mutedText, leastContrast: text),
            .init(color: palette.brand, other: palette.scheme.surface, leastContrast: edge),
            .init(color: palette.brand, other: palette.canvas, leastContrast: edge),
        ]
    }
}

// MARK: - HTML

extension ConsoleView {
    private static func branding(of document: JSONValue) -> ProjectConfiguration.Branding {
        let value = document["branding"].flatMap { try? WireJSON.encode($0) }
        return value.flatMap { try? WireJSON.decode(ProjectConfiguration.Branding.self, from: $0) } ?? .init()
    }

    /// The colors of a document with their contrasts, before it is saved.
    func contrasts(of document: JSONValue, isSaved: Bool) -> HTML {
        let branding = Self.branding(of: document)
        let schemes: [BrandPalette.Scheme] =
            switch branding.colorScheme {
            case .light: [.light]
            case .dark: [.dark]
            case .both, nil: [.light, .dark]
            }
        let rows = schemes.flatMap { BrandContrast.all(of: branding.palette($0)) }.map { pair -> HTML in
            let sentence = settingTexts.contrast(pair.color.text, pair.other.text, pair.ratio)
            return
                "<li>\(HTML.badge(pair.isEnough ? "✓" : "✗", pair.isEnough ? .good : .bad)) <bdi>\(sentence)</bdi></li>"
        }
        let look = ConsoleVisit.address("\(visit.settingsPath)/look", [("tenant", visit.value("tenant"))])
        let link: HTML? = isSaved ? "<p>\(HTML.buttonLink(to: look, settingTexts.preview, .plain))</p>" : nil
        return "<ul>\(rows)</ul>\(link)"
    }

    /// A page as users see it, which does nothing.
    fileprivate func lookPage(_ stored: StoredSettings) -> HTTPResponse {
        let texts = visit.all
        let field = PageField(id: "email", label: texts.hostedSignIn.email) { field in
            field.kind = .email
            field.value = "ada@example.com"
        }
        let back = ConsoleVisit.address(visit.settingsPath, visit.settingsItems(.area(.branding)))
        return Page(
            language: visit.language, title: settingTexts.preview,
            content: """
                \(field.html)
                <p>\(HTML.button(texts.signIn.title, submits: false, isWide: true))</p>
                <p>\(HTML.buttonLink(to: back, settingTexts.branding.label, .quiet))</p>
                """, branding: PageBranding(Self.branding(of: stored.document))
        ).response
    }

    // MARK: Text messages

    /// What the text messages of a project cost, and what stops them.
    func messageCosts(_ status: MFASMS.ReadSendingStatus.Reply) -> HTML {
        func spent(_ micros: Int64, _ budget: Int64?) -> String {
            let amount = SMSSendingDocument.decimal(micros)
            return budget.map { settingTexts.ofBudget(amount, SMSSendingDocument.decimal($0)) }
                ?? settingTexts.noBudget(amount)
        }
        let prefixes = status.blockedPrefixes.map {
            "<bdi dir=\"ltr\">\($0.prefix)</bdi> \(time($0.blockedUntil)) " as HTML
        }
        return """
            <h2>\(settingTexts.messageCosts)</h2>
            \(facts([
                fact(settingTexts.spentThisHour, "\(spent(status.spentThisHourMicros, status.budgetPerHourMicros))"),
                fact(settingTexts.spentThisDay, "\(spent(status.spentThisDayMicros, status.budgetPerDayMicros))"),
                fact(settingTexts.sentThisDay, "\(String(status.sentThisDay))"),
                fact(settingTexts.verifiedThisDay, "\(String(status.verifiedThisDay))"),
                prefixes.isEmpty ? nil : fact(settingTexts.closedPrefixes, "\(prefixes)"),
            ]))
            <p class="small muted">\(settingTexts.budgetHint)</p>
            """
    }
}
