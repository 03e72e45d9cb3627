import Contracts
import EmailTemplates
import FoundationEssentials
import JSON
import Testing
import Vocabulary

/// E-mails with the name and the look of their project.
@Suite struct BrandedEmailTests {
    private static let logoURL = "https://auth.example.com/__/auth/logo/00ff"

    private func request(_ json: String, logoURL: String? = nil, locale: String = "en") throws -> Notifier.SendEmail {
        var request = try sampleRequest(locale: locale)
        request.branding = try WireJSON.decode(ProjectConfiguration.Branding.self, from: Data(json.utf8))
        request.appName = request.branding?.applicationName ?? request.appName
        request.logoURL = logoURL
        return request
    }

    private static let complete = ##"""
        {"applicationName":"Flower Shop","senderName":"The Flower Shop","supportContact":"help@example.com",
        "lightColors":{"brand":"#8a2020","canvas":"#fff8f0"},"darkColors":{"brand":"#ff9d94"},"cornerRadius":8,
        "logo":{"digest":"00ff","mediaType":"image/png","width":96,"height":48}}
        """##

    @Test func textNamesTheApplicationAndItsContact() throws {
        let email = try EmailRenderer.render(request(Self.complete))
        #expect(email.senderName == "The Flower Shop")
        #expect(email.subject == "Reset your password for Flower Shop")
        #expect(
            email.text == """
                Hello Ada,

                Follow this link to reset the Flower Shop password for your account ada@example.com.

                https://example.com/a?b=c&d=e

                If you didn’t ask to reset your password, you can ignore this email.

                Questions? help@example.com

                Your Flower Shop team

                """)
    }

    @Test func textWithoutBrandingIsTheSameAsBefore() throws {
        let email = try EmailRenderer.render(sampleRequest(locale: "en"))
        #expect(email.senderName == nil && email.subject == "Reset your password for Demo")
        #expect(
            email.text == """
                Hello Ada,

                Follow this link to reset the Demo password for your account ada@example.com.

                https://example.com/a?b=c&d=e

                If you didn’t ask to reset your password, you can ignore this email.

                Your Demo team

                """)
        #expect(email.html.contains(#"<body style="margin:0;padding:24px 16px">"#))
        #expect(email.html.contains("border-radius:6px;background:#1d4ed8;color:#ffffff"))
        #expect(!email.html.contains("<style>") && !email.html.contains("<img"))
    }

    /// The light colors at the elements, the dark ones in the only style sheet, and the logo in its proportions.
    @Test func htmlHasTheLookOfTheProject() throws {
        let html = try EmailRenderer.render(request(Self.complete, logoURL: Self.logoURL)).html
        for part in [
            #"<meta name="color-scheme" content="light dark">"#,
            ##"<body class="canvas" style="margin:0;padding:24px 16px;background:#fff8f0">"##,
            #"<div lang="en" dir="ltr" class="card" style="background:#ffffff;color:#171a21;padding:32px;border-radius:8px;max-width:560px;"#,
            #"<img src="\#(Self.logoURL)" alt="" width="80" height="40" "#, "<bdi>Flower Shop</bdi></p>",
            #"class="brand" style="display:inline-block;padding:12px 24px;border-radius:4px;background:#8a2020;color:#ffffff;"#,
            ".canvas { background: #101216 !important }",
            ".card { background: #191c22 !important; color: #eceff4 !important }",
            ".brand { background: #ff9d94 !important; color: #000000 !important }",
            #"<a href="mailto:help@example.com" style="color:inherit"><bdi>help@example.com</bdi></a>"#,
        ] { #expect(html.contains(part), "\(part)") }
        // Nothing but the logo is loaded.
        #expect(html.ranges(of: "<img").count == 1 && !html.contains("url(") && !html.contains("<link"))
    }

    @Test(arguments: [
        ("LIGHT", "light", "background:#ffffff;color:#171a21"), ("DARK", "dark", "background:#191c22;color:#eceff4"),
    ])
    func oneSchemeIsForEveryReader(scheme: String, schemes: String, card: String) throws {
        let html = try EmailRenderer.render(request(#"{"colorScheme":"\#(scheme)"}"#)).html
        #expect(html.contains(#"<meta name="color-scheme" content="\#(schemes)">"#))
        #expect(html.contains(card) && !html.contains("<style>"))
    }

    @Test func senderNameIsThatOfTheApplicationUnlessATemplateHasOne() throws {
        var request = try request(#"{"applicationName":"Flower Shop"}"#)
        #expect(try EmailRenderer.render(request).senderName == "Flower Shop")
        request.template = .init(senderDisplayName: "Orders of %APP_NAME%")
        #expect(try EmailRenderer.render(request).senderName == "Orders of Flower Shop")
    }

    /// A text of the project stands in the same frame.
    @Test func textOfTheProjectHasTheLook() throws {
        var request = try request(Self.complete, logoURL: Self.logoURL)
        request.template = .init(body: "Open %LINK%. Ask %SUPPORT_CONTACT%.")
        let email = try EmailRenderer.render(request)
        #expect(email.text == "Open https://example.com/a?b=c&d=e. Ask help@example.com.")
        #expect(email.html.contains(#"class="card""#) && email.html.contains(Self.logoURL))
    }

    @Test func helpPageIsALink() throws {
        let html = try EmailRenderer.render(request(#"{"supportContact":"https://example.com/help?a=1&b=2"}"#)).html
        #expect(
            html.contains(
                #"<a href="https://example.com/help?a=1&amp;b=2" style="color:inherit"><bdi>https://example.com/help?a=1&amp;b=2</bdi></a>"#
            ))
    }

    /// Identity checks the branding. What comes another way is escaped, or has no effect (security rule HT14).
    @Test func valuesCannotChangeThePage() throws {
        let html = try EmailRenderer.render(
            request(
                ##"""
                {"applicationName":"<b>Shop\"'</b>","supportContact":"javascript:alert(1)","cornerRadius":9999,
                "lightColors":{"brand":"#000;background:url(//evil.example)","canvas":"\"><script>"},
                "logo":{"width":0,"height":-9}}
                """##, logoURL: "https://example.com/\"><script>")
        ).html
        #expect(
            !html.contains("<b>") && !html.contains("<script") && !html.contains("url(")
                && !html.contains("href=\"java"))
        #expect(html.contains("&lt;b&gt;Shop&quot;&#39;&lt;/b&gt;") && html.contains("border-radius:24px"))
        #expect(html.contains(#"width="40" height="40""#))
    }

    @Test(arguments: Language.allCases) func contactStandsInEveryLanguage(language: Language) throws {
        let email = try EmailRenderer.render(request(Self.complete, locale: language.rawValue))
        #expect(email.text.contains("help@example.com") && email.html.contains("mailto:help@example.com"))
        #expect(email.text.contains("Flower Shop") && !email.text.contains("%"))
    }
}
