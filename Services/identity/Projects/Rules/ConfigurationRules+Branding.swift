import Contracts
import Crypto
import Vocabulary

// The rules for `branding` of a project or tenant (REST 5.1).

extension ProjectConfiguration.Branding {
    /// The limit of names: authenticators can cut off a longer one (WebAuthn 6.4.1.2).
    static let maximumNameBytes = 64

    /// The branding in canonical form and without empty members. A new logo keeps its content, which is stored beside the
    /// configuration (`SQLTransaction.saveLogo`).
    /// - Parameter previous: the stored branding of the same project or tenant.
    /// - Returns: nil if nothing is set.
    func checked(after previous: Self?) throws(ServiceError) -> Self? {
        var checked = self
        checked.applicationName = try Self.checkedName(
            applicationName, after: previous?.applicationName, "applicationName")
        checked.senderName = try Self.checkedName(senderName, after: previous?.senderName, "senderName")
        checked.supportContact = supportContact.nilIfEmpty
        if let contact = checked.supportContact, EmailAddress(contact) == nil, !Self.isSecureURL(contact) {
            throw .invalidBranding("supportContact must be an e-mail address or an https URL")
        }
        checked.termsUrl = try Self.checkedURL(termsUrl, "termsUrl")
        checked.privacyUrl = try Self.checkedURL(privacyUrl, "privacyUrl")
        if let cornerRadius, !Self.cornerRadii.contains(cornerRadius) {
            throw .invalidBranding(
                "cornerRadius lies between \(Self.cornerRadii.lowerBound) and \(Self.cornerRadii.upperBound)")
        }
        checked.lightColors = try lightColors?.checked("lightColors")
        checked.darkColors = try darkColors?.checked("darkColors")
        try checked.checkSchemes()
        checked.logo = try logo?.checked(after: previous?.logo)
        checked.pageTexts = try Self.checkedPageTexts(pageTexts, after: previous?.pageTexts)
        return checked == Self() ? nil : checked
    }

    // MARK: Texts

    /// - Parameter stored: what was stored before there was a rule stays, so that it refuses no change of another setting.
    private static func checkedName(
        _ text: String?, after stored: String?, _ field: String
    ) throws(ServiceError) -> String? {
        guard let name = text.nilIfEmpty, name != stored else { return text.nilIfEmpty }
        let scalars = name.unicodeScalars
        guard name.utf8.count <= maximumNameBytes, name.isShownAsItIs,
            scalars.first?.properties.isWhitespace == false, scalars.last?.properties.isWhitespace == false
        else {
            throw .invalidBranding(
                "\(field) must have at most \(maximumNameBytes) bytes, no characters that control, turn or hide"
                    + " text, and no blank at either end"
            )
        }
        return name
    }

    private static func checkedURL(_ text: String?, _ field: String) throws(ServiceError) -> String? {
        guard let url = text.nilIfEmpty else { return nil }
        guard isSecureURL(url) else { throw .invalidBranding("\(field) must be an https URL") }
        return url
    }

    private static func isSecureURL(_ text: String) -> Bool { WebURL(text)?.isSecure == true }

    // MARK: Colors

    /// `4.47:1`, rounded down, so that a ratio that is too low never looks sufficient.
    private static func ratio(_ contrast: Double) -> String {
        let hundredths = Int64(saturating: contrast * 100)
        let decimals = hundredths % 100
        return "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals):1"
    }

    /// Colors that no page would use are refused, and colors that somebody could not read.
    private func checkSchemes() throws(ServiceError) {
        let effective = colorScheme ?? .both
        if effective == .light, darkColors != nil {
            throw .invalidBranding("darkColors has no effect with colorScheme \(effective.rawValue)")
        }
        if effective == .dark, lightColors != nil {
            throw .invalidBranding("lightColors has no effect with colorScheme \(effective.rawValue)")
        }
        for (field, isSet, scheme) in [
            ("lightColors", lightColors != nil, BrandPalette.Scheme.light), ("darkColors", darkColors != nil, .dark),
        ] where isSet {
            do throws(BrandPalette.UnreadableColor) {
                try palette(scheme).check()
            } catch {
                throw .invalidBranding(
                    "\(field).\(error.member) has a contrast of \(Self.ratio(error.contrast)) with \(error.other):"
                        + " at least \(Self.ratio(error.leastContrast)) is needed")
            }
        }
    }
}

extension ProjectConfiguration.Branding.Colors {
    /// - Parameter field: the name of the member.
    fileprivate func checked(_ field: String) throws(ServiceError) -> Self? {
        var checked = Self()
        checked.brand = try Self.checkedColor(brand, "\(field).brand")
        checked.canvas = try Self.checkedColor(canvas, "\(field).canvas")
        return checked == Self() ? nil : checked
    }

    private static func checkedColor(_ text: String?, _ field: String) throws(ServiceError) -> String? {
        guard let text = text.nilIfEmpty else { return nil }
        guard let color = RGBColor(text) else {
            throw .invalidBranding("\(field) must be # and six hexadecimal digits, like #2f5bd8")
        }
        return color.text
    }
}

extension ProjectConfiguration.Branding.Logo {
    fileprivate func checked(after previous: Self?) throws(ServiceError) -> Self? {
        guard let content = content.nilIfEmpty else {
            guard let digest = digest.nilIfEmpty else { return nil }
            guard let previous, digest == previous.digest else {
                throw .invalidBranding("logo.digest is not that of the stored logo: set logo.content for a new one")
            }
            return previous
        }
        guard let bytes = Base64Field.decode(content) else {
            throw .invalidBranding("logo.content must be base64")
        }
        do throws(LogoImageError) {
            return Self(try LogoImage(bytes), content: content)
        } catch {
            throw .invalidBranding("logo.content \(error)")
        }
    }

    private init(_ image: LogoImage, content: String) {
        self.init()
        self.content = content
        digest = image.digest
        mediaType = image.format.rawValue
        width = image.width
        height = image.height
    }
}

extension LogoImage {
    /// SHA-256 in hexadecimal digits.
    var digest: String { SHA2.sha256(bytes).hexadecimal }
}

extension Unicode.Scalar {
    /// Characters that change the direction of the text behind them (UAX #9), and so what a name seems to say.
    var turnsText: Bool { (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value) }
}

extension ServiceError {
    /// - Parameter reason: begins with the path inside `branding`.
    fileprivate static func invalidBranding(_ reason: String) -> ServiceError {
        .invalidConfiguration("branding.\(reason)")
    }
}
