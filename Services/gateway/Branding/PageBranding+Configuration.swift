import Contracts
import Pages
import Vocabulary

extension PageBranding {
    /// The branding of a realm, which identity has checked.
    init(_ branding: ProjectConfiguration.Branding?) {
        guard let branding else {
            self.init()
            return
        }
        func color(_ text: String?) -> RGBColor? { text.flatMap { RGBColor($0) } }
        func url(_ text: String?) -> WebURL? { text.flatMap { WebURL($0) } }
        self.init(
            name: branding.applicationName, logoPath: branding.logo?.path, color: color(branding.lightColors?.brand),
            darkColor: color(branding.darkColors?.brand), canvas: color(branding.lightColors?.canvas),
            darkCanvas: color(branding.darkColors?.canvas), radiusPixels: branding.cornerRadius,
            scheme: Scheme(branding.colorScheme), supportAddress: branding.supportContact.flatMap(EmailAddress.init),
            supportPage: url(branding.supportContact), termsURL: url(branding.termsUrl),
            privacyURL: url(branding.privacyUrl), ownTexts: Self.ownTexts(branding.pageTexts))
    }
}

extension PageBranding {
    private static func ownTexts(_ texts: [String: [String: String]]?) -> [Language: [String: String]] {
        (texts ?? [:]).reduce(into: [:]) { own, entry in
            if let language = Language(rawValue: entry.key) { own[language] = entry.value }
        }
    }
}

extension PageBranding.Scheme {
    fileprivate init(_ scheme: ProjectConfiguration.Branding.ColorScheme?) {
        switch scheme {
        case .light: self = .light
        case .dark: self = .dark
        case .both, nil: self = .both
        }
    }
}
