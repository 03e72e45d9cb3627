import Contracts
import FoundationEssentials
import JSON
import Testing
import Vocabulary

@testable import IdentityService

struct BrandingConfigurationTests {
    private typealias Branding = ProjectConfiguration.Branding

    private static func branding(_ json: String) throws -> Branding {
        try WireJSON.decode(Branding.self, from: Data(json.utf8))
    }

    // MARK: Rules

    @Test(arguments: [
        #"{"applicationName":"Blumenladen Müller"}"#, #"{"applicationName":"花屋 😀","senderName":"Shop: mail"}"#,
        #"{"applicationName":"\#(String(repeating: "n", count: 64))"}"#,
        #"{"supportContact":"help@example.com"}"#, #"{"supportContact":"https://example.com/help?from=mail"}"#,
        #"{"termsUrl":"https://example.com/terms","privacyUrl":"https://example.com/privacy#data"}"#,
        #"{"cornerRadius":0}"#, #"{"cornerRadius":24}"#,
        ##"{"colorScheme":"LIGHT","lightColors":{"brand":"#2f5bd8","canvas":"#ffffff"}}"##,
        ##"{"colorScheme":"DARK","darkColors":{"brand":"#ffcc00","canvas":"#000000"}}"##,
        ##"{"colorScheme":"BOTH","lightColors":{"brand":"#8a2020"},"darkColors":{"canvas":"#141414"}}"##,
        // The grays beside the bound: 3.03:1 on the surface.
        ##"{"lightColors":{"brand":"#949494","canvas":"#ffffff"}}"##,
    ])
    func validSettingsAreStoredAsTheyAre(json: String) throws {
        let branding = try Self.branding(json)
        #expect(try branding.checked(after: nil) == branding)
    }

    @Test(
        arguments: [
            (
                #"{"applicationName":"\#(String(repeating: "n", count: 65))"}"#,
                "applicationName must have at most 64 bytes"
            ),
            (#"{"applicationName":"Shop\r\nBcc: a@b.example"}"#, "applicationName must have"),
            (#"{"applicationName":" Shop"}"#, "no blank at either end"), (#"{"applicationName":"Shop "}"#, "no blank"),
            // "moc.live" in the eyes of a reader.
            (#"{"applicationName":"Shop \u202elive.com"}"#, "no characters that control, turn or hide"),
            (#"{"senderName":"\#(String(repeating: "é", count: 33))"}"#, "senderName must have at most 64 bytes"),
            (#"{"senderName":"Shop\u2028"}"#, "senderName"),
            (#"{"supportContact":"http://example.com/help"}"#, "supportContact must be an e-mail address or an https"),
            (#"{"supportContact":"help"}"#, "supportContact"),
            (#"{"supportContact":"javascript:alert(1)"}"#, "support"),
            (#"{"termsUrl":"http://example.com"}"#, "termsUrl must be an https URL"),
            (#"{"privacyUrl":"/privacy"}"#, "privacyUrl must be an https URL"),
            (#"{"cornerRadius":25}"#, "cornerRadius lies between 0 and 24"), (#"{"cornerRadius":-1}"#, "cornerRadius"),
            (#"{"lightColors":{"brand":"blue"}}"#, "lightColors.brand must be # and six hexadecimal digits"),
            (##"{"lightColors":{"brand":"#fff"}}"##, "lightColors.brand must be #"),
            (##"{"darkColors":{"canvas":"#000000;background:url(//evil.example)"}}"##, "darkColors.canvas must be #"),
            (
                ##"{"colorScheme":"LIGHT","darkColors":{"brand":"#ffcc00"}}"##,
                "darkColors has no effect with colorScheme LIGHT"
            ),
            (##"{"colorScheme":"DARK","lightColors":{"brand":"#2f5bd8"}}"##, "lightColors has no effect"),
            (#"{"logo":{"content":"%"}}"#, "logo.content must be base64"),
            (#"{"logo":{"content":"PHN2ZyBvbmxvYWQ9ImEoKSI+PC9zdmc+"}}"#, "logo.content is an SVG document"),
            (#"{"logo":{"content":"R0lGODlh"}}"#, "logo.content is no PNG, JPEG or WebP file"),
            (
                #"{"logo":{"digest":"\#(String(repeating: "0", count: 64))"}}"#,
                "logo.digest is not that of the stored logo"
            ),
        ] as [(String, String)])
    func invalidSettingIsRefusedByName(json: String, reason: String) throws {
        let branding = try Self.branding(json)
        let error = #expect(throws: ServiceError.self) { try branding.checked(after: nil) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message?.contains("branding.") == true && error?.message?.contains(reason) == true, "\(error)")
    }

    /// Text at 4.5:1, edges at 3:1. The measured ratio is rounded down.
    @Test(
        arguments: [
            (
                ##"{"lightColors":{"brand":"#959595"}}"##,
                "lightColors.brand has a contrast of 2.99:1 with the surface #ffffff: at least 3.00:1 is needed"
            ),
            (##"{"lightColors":{"brand":"#ffcc00"}}"##, "lightColors.brand has a contrast of 1.51:1 with the surface"),
            // Visible on the surface, and not on the canvas.
            (
                ##"{"lightColors":{"brand":"#949494"}}"##,
                "lightColors.brand has a contrast of 2.80:1 with the canvas #f5f6f8"
            ),
            (
                ##"{"darkColors":{"brand":"#2f5bd8"}}"##,
                "darkColors.brand has a contrast of 2.93:1 with the surface #191c22"
            ),
            (
                ##"{"lightColors":{"canvas":"#c0c0c0"}}"##,
                "lightColors.canvas has a contrast of 3.47:1 with the muted text #586070: at least 4.50:1"
            ),
            (
                ##"{"lightColors":{"canvas":"#000000"}}"##,
                "lightColors.canvas has a contrast of 1.20:1 with the text #171a21"
            ),
            (
                ##"{"darkColors":{"canvas":"#ffffff"}}"##,
                "darkColors.canvas has a contrast of 1.15:1 with the text #eceff4"
            ),
        ] as [(String, String)])
    func unreadableColorIsRefusedWithItsContrast(json: String, reason: String) throws {
        let branding = try Self.branding(json)
        let error = #expect(throws: ServiceError.self) { try branding.checked(after: nil) }
        #expect(error?.message?.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func storedFormIsCanonical() throws {
        let branding = try Self.branding(
            ##"{"applicationName":"","termsUrl":"","lightColors":{"brand":"#2F5BD8"},"darkColors":{},"logo":{}}"##)
        let expected = try Self.branding(##"{"lightColors":{"brand":"#2f5bd8"}}"##)
        #expect(try branding.checked(after: nil) == expected)
        #expect(try Branding().checked(after: expected) == nil)
    }

    // MARK: Logo

    @Test func newLogoIsDescribedByItsContent() throws {
        // The server's fields of another logo have no effect.
        let logo = try #require(
            try Self.branding(
                #"{"logo":{"content":"\#(SampleImage.png)","digest":"00","mediaType":"text/html","width":9,"height":9}}"#
            ).checked(after: nil)?.logo)
        #expect(logo.digest == "91b11f6c2a0d7969cdbac49b65b322e56b34723b4529dd3b5a0f0027b5d49e95")
        #expect(logo.mediaType == "image/png" && logo.width == 5 && logo.height == 3)
    }

    /// A document can be read, changed and sent back.
    @Test func storedLogoStaysByItsDigest() throws {
        var stored = try #require(
            try Self.branding(#"{"logo":{"content":"\#(SampleImage.png)"}}"#).checked(after: nil)?.withoutLogoContent)
        #expect(stored.logo?.content == nil)
        stored.applicationName = "Shop"
        #expect(try stored.checked(after: stored) == stored)
        // The server's fields cannot be changed with it.
        var forged = stored
        forged.logo?.mediaType = "text/html"
        #expect(try forged.checked(after: stored) == stored)
    }

    // MARK: Tenants

    @Test func tenantInheritsWhatItDoesNotSet() throws {
        var project = ProjectConfiguration()
        project.branding = try Self.branding(
            ##"""
            {"applicationName":"Shop","senderName":"Shop team","supportContact":"help@example.com","cornerRadius":4,
            "termsUrl":"https://example.com/terms","lightColors":{"brand":"#2f5bd8","canvas":"#ffffff"},
            "darkColors":{"brand":"#9ab4ff"}}
            """##)
        var tenant = TenantConfiguration()
        #expect(project.applying(tenant).branding == project.branding)
        tenant.branding = try Self.branding(
            ##"{"applicationName":"Acme","lightColors":{"brand":"#8a2020"},"privacyUrl":"https://acme.example/privacy"}"##
        )
        let effective = project.applying(tenant).branding
        #expect(
            effective
                == (try Self.branding(
                    ##"""
                    {"applicationName":"Acme","senderName":"Acme","supportContact":"help@example.com","cornerRadius":4,
                    "termsUrl":"https://example.com/terms","privacyUrl":"https://acme.example/privacy",
                    "lightColors":{"brand":"#8a2020"},"darkColors":{"brand":"#9ab4ff"}}
                    """##)))
    }

    @Test func nameIsThatOfTheProjectWithoutBranding() throws {
        var configuration = ProjectConfiguration()
        #expect(configuration.applicationName(of: ProjectID("demo")) == "demo")
        configuration.branding = try Self.branding(#"{"applicationName":"Shop"}"#)
        #expect(configuration.applicationName(of: ProjectID("demo")) == "Shop")
    }

    // MARK: Palettes

    /// No project has to choose a color for each scheme.
    @Test(arguments: ["#2f5bd8", "#000000", "#8a2020", "#ffcc00", "#003300"])
    func darkBrandIsDerivedFromTheLightOne(brand: String) throws {
        let palette = try Self.branding(##"{"lightColors":{"brand":"\##(brand)"}}"##).palette(.dark)
        #expect(throws: Never.self) { try palette.check() }
        #expect(palette.brand.contrast(with: palette.ink) >= 4.5)
    }

    @Test(arguments: BrandPalette.Scheme.allCases) func defaultPaletteIsReadable(scheme: BrandPalette.Scheme) {
        #expect(throws: Never.self) { try Branding().palette(scheme).check() }
    }
}
