internal import CPageStylesheet
import Vocabulary

/// The one stylesheet of a page: the file `pages.css`, and after it what the branding changes. The branding stands in the
/// address, so that the answer depends on nothing else and every project has its own entry in a cache.
package struct PageStylesheet: Sendable {
    package static let path = "/__/auth/pages.css"

    /// Only the members that styles can show.
    private var branding: PageBranding

    package init(_ branding: PageBranding) {
        self.branding = branding
    }

    /// Ignores what no page writes.
    /// - Parameter item: returns the value of a parameter name.
    package init(_ item: (String) -> String?) {
        func color(_ name: String) -> RGBColor? { item(name).flatMap { RGBColor("#\($0)") } }
        branding = PageBranding(
            color: color("color"), darkColor: color("dark-color"), canvas: color("canvas"),
            darkCanvas: color("dark-canvas"),
            radiusPixels: item("radius").flatMap { Int($0) }.flatMap {
                PageBranding.radiusRange.contains($0) ? $0 : nil
            }, scheme: item("scheme").flatMap(PageBranding.Scheme.init) ?? .both)
    }

    /// The address of the sheet. Another text of the file has another address.
    package var url: String {
        let items: [(name: String, value: String?)] = [
            ("color", branding.color.map(Self.digits)), ("dark-color", branding.darkColor.map(Self.digits)),
            ("canvas", branding.canvas.map(Self.digits)),
            ("dark-canvas", branding.darkCanvas.map(Self.digits)), ("radius", branding.radiusPixels.map { String($0) }),
            ("scheme", branding.scheme == .both ? nil : branding.scheme.rawValue),
        ]
        return items.reduce("\(Self.path)?v=\(Self.version)") { url, item in
            url + (item.value.map { "&\(item.name)=\($0)" } ?? "")
        }
    }

    private static func digits(_ color: RGBColor) -> String { String(color.text.dropFirst()) }

    package var text: String { Self.file + overrides }

    /// `pages.css`.
    package static let file: String = {
        var count = 0
        let bytes = latchkey_page_stylesheet(&count)
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }()

    /// FNV-1a, 64 bits: it names a text, and protects nothing.
    package static let version = file.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { hash, byte in
        (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }.hexadecimal

    /// The grounds of `pages.css` on which links and buttons stand.
    private static let lightSurface = RGBColor.white
    private static let darkSurface = RGBColor(red: 0x20, green: 0x24, blue: 0x2c)
    /// What `pages.css` has where the branding sets one scheme alone.
    private static let lightColor = RGBColor(red: 0x2f, green: 0x5b, blue: 0xd8)
    private static let lightCanvas = RGBColor(red: 0xf5, green: 0xf6, blue: 0xf8)
    private static let darkCanvas = RGBColor(red: 0x10, green: 0x12, blue: 0x16)

    /// The variables that the branding sets. The rest of the scheme derives from them.
    private var overrides: String {
        var variables: [(name: String, value: String)] = []
        if branding.scheme != .both { variables.append(("color-scheme", branding.scheme.rawValue)) }
        if branding.color != nil || branding.darkColor != nil {
            let color = branding.color ?? Self.lightColor
            let darkColor = branding.darkColor ?? color
            let dark = darkColor.adjusted(
                toward: .white, until: RGBColor.leastEdgeContrast, on: Self.darkSurface)
            let link = color.adjusted(toward: .black, until: RGBColor.leastTextContrast, on: groundOfLinks)
            let darkLink = darkColor.adjusted(
                toward: .white, until: RGBColor.leastTextContrast, on: Self.darkSurface)
            variables += [
                ("--brand", "light-dark(\(color.text), \(dark.text))"),
                ("--brand-ink", "light-dark(\(color.ink.text), \(dark.ink.text))"),
                ("--link", "light-dark(\(link.text), \(darkLink.text))"),
            ]
        }
        if branding.canvas != nil || branding.darkCanvas != nil {
            let (light, dark) = (branding.canvas ?? Self.lightCanvas, branding.darkCanvas ?? Self.darkCanvas)
            variables.append(("--canvas", "light-dark(\(light.text), \(dark.text))"))
        }
        if let radius = branding.radiusPixels { variables.append(("--radius", "\(radius)px")) }
        guard !variables.isEmpty else { return "" }
        return ":root { \(variables.map { "\($0.name): \($0.value)" }.joined(separator: "; ")) }\n"
    }

    /// Links stand on cards, and on the canvas where it is light.
    private var groundOfLinks: RGBColor {
        guard let canvas = branding.canvas, canvas.contrast(with: .black) >= 15 else {
            return Self.lightCanvas
        }
        return canvas
    }
}
