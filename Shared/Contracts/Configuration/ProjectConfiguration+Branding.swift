package import Vocabulary

extension ProjectConfiguration {
    /// The name and the look of the application of a project or tenant (`branding`), a Latchkey extension. Pages, mails,
    /// text messages, authenticator apps and passkey prompts show it. Absent members: the project ID in place of a name,
    /// and the look of Latchkey.
    package struct Branding: DocumentMessage {
        package enum ColorScheme: String, DocumentEnumeration {
            case light = "LIGHT", dark = "DARK"
            /// The default: that of the reader's device.
            case both = "BOTH"
            package static let unset = "COLOR_SCHEME_UNSPECIFIED"
        }

        /// What users know the application by. At most 64 bytes.
        package var applicationName: String?
        /// Before the address in the sender of mails. At most 64 bytes. Absent: the application name.
        package var senderName: String?
        /// Where users get help: an e-mail address or an `https` URL.
        package var supportContact: String?
        /// `https` URLs.
        package var termsUrl: String?
        package var privacyUrl: String?
        package var logo: Logo?
        /// Absent: both.
        package var colorScheme: ColorScheme?
        package var lightColors: Colors?
        /// Without a brand color: the light one, with as much white as the dark pages need.
        package var darkColors: Colors?
        /// In CSS pixels, 0 to 24. Absent: `defaultCornerRadius`.
        package var cornerRadius: Int?
        /// Own texts of pages, by language (`en`) and by their keys (`PageTextEntry`). Absent ones: those of Latchkey.
        package var pageTexts: [String: [String: String]]?

        package static let cornerRadii = 0...24
        package static let defaultCornerRadius = 12

        package init() {}

        /// The picture beside the name. A document has either the content of a new one, or the digest of the stored one.
        package struct Logo: DocumentMessage {
            /// Base64 of a PNG, JPEG or WebP file. Only in a change: it is stored beside the configuration, and no reply
            /// contains it.
            package var content: String?
            /// SHA-256 in lower-case hexadecimal digits: the name of the picture in its URL.
            package var digest: String?
            /// Set by the server, of the stored picture.
            package var mediaType: String?
            package var width: Int?
            package var height: Int?

            package static let specialFields: [String: DocumentSchema?] = [
                "mediaType": .output, "width": .output, "height": .output,
            ]

            package init() {}
        }

        /// The two colors of a scheme: `#` and six hexadecimal digits.
        package struct Colors: DocumentMessage {
            /// Of the primary button, and of the mark in place of a logo.
            package var brand: String?
            /// Behind everything.
            package var canvas: String?

            package init() {}
        }
    }
}

// MARK: - Effective values

extension ProjectConfiguration.Branding {
    /// The branding of a tenant: each member that it does not set is the project's. The colors of a scheme belong
    /// together, since they were checked together.
    func inheriting(from project: Self?) -> Self {
        guard let project else { return self }
        var result = self
        result.applicationName = applicationName ?? project.applicationName
        // A tenant with a name of its own does not send in the project's.
        result.senderName = senderName ?? applicationName ?? project.senderName
        result.supportContact = supportContact ?? project.supportContact
        result.termsUrl = termsUrl ?? project.termsUrl
        result.privacyUrl = privacyUrl ?? project.privacyUrl
        result.logo = logo ?? project.logo
        result.colorScheme = colorScheme ?? project.colorScheme
        result.lightColors = lightColors ?? project.lightColors
        result.darkColors = darkColors ?? project.darkColors
        result.cornerRadius = cornerRadius ?? project.cornerRadius
        // Those of a language belong together.
        result.pageTexts = (project.pageTexts ?? [:]).merging(pageTexts ?? [:]) { $1 }.nilIfEmpty
        return result
    }

    /// The colors of a scheme, also of one that `colorScheme` does not use.
    package func palette(_ scheme: BrandPalette.Scheme) -> BrandPalette {
        switch scheme {
        case .light: BrandPalette(.light, brand: lightColors?.brand, canvas: lightColors?.canvas)
        case .dark:
            BrandPalette(
                .dark, brand: darkColors?.brand, canvas: darkColors?.canvas, lightBrand: lightColors?.brand)
        }
    }
}

extension ProjectConfiguration {
    /// What users know the application by: the configured name, or the ID of the project.
    package func applicationName(of project: ProjectID) -> String {
        (branding?.applicationName).nilIfEmpty ?? project.rawValue
    }

    /// `passkeyConfig` with the application name as the name of the relying party, if it has none of its own.
    package var namedPasskeyConfig: Passkeys? {
        guard let name = (branding?.applicationName).nilIfEmpty, (passkeyConfig?.relyingPartyName).nilIfEmpty == nil
        else { return passkeyConfig }
        var result = passkeyConfig ?? .init()
        result.relyingPartyName = name
        return result
    }
}

extension ProjectConfiguration.Branding.Logo {
    /// At the origin of the pages. Nil without a digest.
    package var path: String? { digest.map { "/__/auth/logo/\($0)" } }
}

/// The colors of a scheme of pages and mails: those of the project, those derived from them, and those that every page
/// has.
package struct BrandPalette: Equatable, Sendable {
    package enum Scheme: CaseIterable, Sendable { case light, dark }

    package let brand: RGBColor
    package let canvas: RGBColor
    package let scheme: Scheme

    /// Of pages and mails without a brand color.
    package static let defaultBrand = RGBColor(red: 0x2f, green: 0x5b, blue: 0xd8)

    /// - Parameters:
    ///   - brand: nil, or no color: that of `lightBrand`.
    ///   - lightBrand: for the dark scheme, mixed with as much white as it needs; nil: that of Latchkey.
    init(_ scheme: Scheme, brand: String?, canvas: String?, lightBrand: String? = nil) {
        func color(_ text: String?) -> RGBColor? { text.flatMap { RGBColor($0) } }
        let canvas = color(canvas) ?? scheme.defaultCanvas
        self.scheme = scheme
        self.canvas = canvas
        switch scheme {
        case .light: self.brand = color(brand) ?? Self.defaultBrand
        case .dark:
            self.brand =
                color(brand)
                ?? [canvas, scheme.surface].reduce(color(lightBrand) ?? Self.defaultBrand) {
                    $0.adjusted(toward: .white, until: RGBColor.leastEdgeContrast, on: $1)
                }
        }
    }

    /// The text on the brand color.
    package var ink: RGBColor { brand.ink }

    /// A color with too little contrast.
    package struct UnreadableColor: Error, Equatable {
        /// `brand` or `canvas`.
        package var member: String
        /// What the color stands beside.
        package var other: String
        package var contrast: Double
        package var leastContrast: Double
    }

    /// The text on the brand color is readable in any case (`RGBColor.ink`), and links have more contrast than muted text.
    /// - Throws: the first color whose contrast is below its bound.
    package func check() throws(UnreadableColor) {
        func check(
            _ member: String, _ color: RGBColor, beside other: String, _ otherColor: RGBColor, _ leastContrast: Double
        ) throws(UnreadableColor) {
            let contrast = color.contrast(with: otherColor)
            guard contrast >= leastContrast else {
                throw UnreadableColor(
                    member: member, other: "\(other) \(otherColor.text)", contrast: contrast,
                    leastContrast: leastContrast)
            }
        }
        try check("canvas", canvas, beside: "the text", scheme.text, RGBColor.leastTextContrast)
        try check("canvas", canvas, beside: "the muted text", scheme.mutedText, RGBColor.leastTextContrast)
        try check("brand", brand, beside: "the surface", scheme.surface, RGBColor.leastEdgeContrast)
        try check("brand", brand, beside: "the canvas", canvas, RGBColor.leastEdgeContrast)
    }
}

extension BrandPalette.Scheme {
    package var defaultCanvas: RGBColor {
        switch self {
        case .light: RGBColor(red: 0xf5, green: 0xf6, blue: 0xf8)
        case .dark: RGBColor(red: 0x10, green: 0x12, blue: 0x16)
        }
    }

    /// Of cards and panels.
    package var surface: RGBColor {
        switch self {
        case .light: .white
        case .dark: RGBColor(red: 0x19, green: 0x1c, blue: 0x22)
        }
    }

    package var text: RGBColor {
        switch self {
        case .light: RGBColor(red: 0x17, green: 0x1a, blue: 0x21)
        case .dark: RGBColor(red: 0xec, green: 0xef, blue: 0xf4)
        }
    }

    package var mutedText: RGBColor {
        switch self {
        case .light: RGBColor(red: 0x58, green: 0x60, blue: 0x70)
        case .dark: RGBColor(red: 0xa3, green: 0xac, blue: 0xba)
        }
    }
}
