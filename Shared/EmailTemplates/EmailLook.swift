import Contracts
import Vocabulary

/// The look of the HTML part of an e-mail with the branding of its project. Without branding the mail client chooses the
/// colors, light or dark, except those of the button.
struct EmailLook {
    private typealias Branding = ProjectConfiguration.Branding

    private let branding: Branding?
    private let name: String
    private let logoURL: String?

    init(_ request: Notifier.SendEmail, name: String) {
        branding = request.branding
        self.name = name
        logoURL = request.logoURL
    }

    // MARK: Colors

    /// The value of `color-scheme`.
    var colorSchemes: String {
        switch branding?.colorScheme {
        case .both, nil: "light dark"
        case .light: "light"
        case .dark: "dark"
        }
    }

    /// The colors at the elements themselves: mail clients that read no style sheet show these.
    private func palette(_ branding: Branding) -> BrandPalette {
        switch branding.colorScheme {
        case .both, .light, nil: branding.palette(.light)
        case .dark: branding.palette(.dark)
        }
    }

    /// The colors for readers with a dark screen. Nothing in a scheme alone.
    var styleSheet: String {
        guard let branding, colorSchemes == "light dark" else { return "" }
        let dark = branding.palette(.dark)
        return """
            <style>@media (prefers-color-scheme: dark) {
            .canvas { background: \(dark.canvas.text) !important }
            .card { background: \(dark.scheme.surface.text) !important; color: \(dark.scheme.text.text) !important }
            .brand { background: \(dark.brand.text) !important; color: \(dark.ink.text) !important }
            }</style>

            """
    }

    private func radius(_ branding: Branding) -> Int {
        let radius = branding.cornerRadius ?? Branding.defaultCornerRadius
        return min(max(radius, Branding.cornerRadii.lowerBound), Branding.cornerRadii.upperBound)
    }

    // MARK: Elements

    /// The attributes of the body, after its margins.
    var canvas: String {
        guard let branding else { return #"style="margin:0;padding:24px 16px""# }
        return #"class="canvas" style="margin:0;padding:24px 16px;background:\#(palette(branding).canvas.text)""#
    }

    /// The class of the card, and what its style begins with.
    var card: (className: String, style: String) {
        guard let branding else { return ("", "") }
        let palette = palette(branding)
        return (
            #"class="card" "#,
            "background:\(palette.scheme.surface.text);color:\(palette.scheme.text.text);padding:32px;"
                + "border-radius:\(radius(branding))px;"
        )
    }

    /// The attributes of the button, without its address.
    var button: String {
        guard let branding else {
            return """
                style="display:inline-block;padding:12px 24px;border-radius:6px;background:#1d4ed8;color:#ffffff;\
                font-weight:600;text-decoration:none"
                """
        }
        let palette = palette(branding)
        return """
            class="brand" style="display:inline-block;padding:12px 24px;\
            border-radius:\(max(0, radius(branding).subtractingSaturated(4)))px;\
            background:\(palette.brand.text);color:\(palette.ink.text);font-weight:600;text-decoration:none"
            """
    }

    /// Logo and name. A mail client that loads pictures asks for the logo at the same address for every user.
    var header: [String] {
        guard let branding else { return [] }
        var content = "<bdi>\(name.markupEscaped)</bdi>"
        if let logoURL {
            let (width, height) = Self.shownSize(of: branding.logo)
            content = """
                <img src="\(logoURL.markupEscaped)" alt="" width="\(width)" height="\(height)" \
                style="vertical-align:middle;margin-inline-end:12px">\(content)
                """
        }
        return ["<p style=\"margin:0 0 24px;font-weight:600\">\(content)</p>"]
    }

    /// 40 pixels high, and at most 160 wide.
    private static func shownSize(of logo: Branding.Logo?) -> (width: Int, height: Int) {
        guard let width = logo?.width, let height = logo?.height, width > 0, height > 0 else { return (40, 40) }
        let scale = min(40 / Double(height), 160 / Double(width))
        return (max(1, Int(saturating: Double(width) * scale)), max(1, Int(saturating: Double(height) * scale)))
    }
}
