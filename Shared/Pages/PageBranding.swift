package import Vocabulary

/// The name and the face that a project or a tenant gives the pages for its users. Absent members have defaults.
package struct PageBranding: Equatable, Sendable {
    /// The color schemes in which pages appear.
    package enum Scheme: String, CaseIterable, Sendable {
        case light, dark
        /// The one that the user prefers.
        case both
    }

    /// The public name: on every page, in titles, and where texts name the application.
    package var name: String?
    /// The path of the logo at the origin of the pages. Pages load nothing from other hosts.
    package var logoPath: String?
    /// Buttons and marks. Links and the focus have it too, darker or lighter where its contrast needs that.
    package var color: RGBColor?
    /// In the dark scheme. By default `color`, lighter where its contrast needs that.
    package var darkColor: RGBColor?
    /// Behind the card of a page, in the light scheme.
    package var canvas: RGBColor?
    package var darkCanvas: RGBColor?
    /// Of cards; controls are a little less round.
    package var radiusPixels: Int?
    package var scheme: Scheme
    /// Where users find help.
    package var supportAddress: EmailAddress?
    /// The same as a page.
    package var supportPage: WebURL?
    package var termsURL: WebURL?
    package var privacyURL: WebURL?
    /// Texts in the place of those of Latchkey, by the keys of `PageTextEntry`.
    package var ownTexts: [Language: [String: String]]

    package static let radiusRange = 0...24

    package init(
        name: String? = nil, logoPath: String? = nil, color: RGBColor? = nil, darkColor: RGBColor? = nil,
        canvas: RGBColor? = nil, darkCanvas: RGBColor? = nil, radiusPixels: Int? = nil,
        scheme: Scheme = .both, supportAddress: EmailAddress? = nil, supportPage: WebURL? = nil,
        termsURL: WebURL? = nil, privacyURL: WebURL? = nil, ownTexts: [Language: [String: String]] = [:]
    ) {
        self.name = name
        self.logoPath = logoPath
        self.color = color
        self.darkColor = darkColor
        self.canvas = canvas
        self.darkCanvas = darkCanvas
        self.radiusPixels = radiusPixels
        self.scheme = scheme
        self.supportAddress = supportAddress
        self.supportPage = supportPage
        self.termsURL = termsURL
        self.privacyURL = privacyURL
        self.ownTexts = ownTexts
    }
}
