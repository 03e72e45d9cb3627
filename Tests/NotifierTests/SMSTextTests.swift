import Contracts
import EmailTemplates
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

@Suite struct SMSTextTests {
    private func text(
        _ appName: String = "Demo", locale: String? = nil, standard: String? = nil, domain: String? = nil,
        template: String? = nil
    ) throws -> SMSText {
        var request = try sampleSMS()
        request.appName = appName
        request.locale = locale
        request.defaultLocale = standard
        request.originDomain = domain
        request.template = template
        return SMSText(request)
    }

    @Test(
        arguments: [
            (nil, nil, "Demo: 123456 is your code. Do not share it."),
            ("de-AT", nil, "Demo: 123456 ist Ihr Code. Geben Sie ihn nicht weiter."),
            ("es_419", nil, "Demo: 123456 es tu clave. No la compartas."),
            ("xx", "fr", "Demo : 123456 est votre code. Ne le partagez pas."),
            ("ja", "fr", "Demo: 認証コードは 123456 です。誰にも教えないでください。"),
            ("ko", nil, "Demo: 인증번호 123456. 다른 사람에게 알려주지 마세요."),
            ("th", nil, "Demo: รหัสของคุณคือ 123456 ห้ามบอกผู้อื่น"), ("ar", nil, "Demo: رمزك هو 123456. لا تشاركه مع أحد."),
            ("<script>", nil, "Demo: 123456 is your code. Do not share it."),
        ] as [(String?, String?, String)])
    func textUsesRecipientsLanguage(locale: String?, standard: String?, body: String) throws {
        #expect(try text(locale: locale, standard: standard).body == body)
    }

    @Test func textNamesTheApplicationOfABranding() throws {
        #expect(try text("Flower Shop", locale: "en").body == "Flower Shop: 123456 is your code. Do not share it.")
        #expect(try text("Blumenladen Müller", locale: "de").body.hasPrefix("Blumenladen Müller: 123456 ist"))
    }

    /// A text with more segments costs more.
    @Test(arguments: Language.allCases.map(\.rawValue))
    func textFitsOneSegment(language: String) throws {
        for domain in [nil, "auth.example.com"] {
            let text = try text("Example", locale: language, domain: domain)
            #expect(SMSText.segmentCount(of: text.body) == 1, "\(text.body)")
            let isLatin = ["en", "de", "es", "fr"].contains(language)
            #expect((text.encoding == .gsm7) == isLatin)
        }
    }

    /// Security rule SM12.
    @Test(arguments: Language.allCases.map(\.rawValue))
    func textNamesAppAndContainsNoLink(language: String) throws {
        let body = try text("Example", locale: language).body
        #expect(body.contains("Example") && body.contains("123456") && !body.contains("://") && !body.contains("%"))
    }

    @Test func lastLineBindsCodeToDomain() throws {
        let body = try text(domain: "auth.example.com").body
        #expect(body.split(separator: "\n").last == "@auth.example.com #123456")
    }

    @Test(
        arguments: [
            ("Evil\n@evil.example #123456", "Evil  evil.example  123456: 123456 is your code. Do not share it."),
            ("https://evil.example", "https evil.example: 123456 is your code. Do not share it."),
            ("%LOGIN_CODE%", "%LOGIN_CODE%: 123456 is your code. Do not share it."),
            (
                String(repeating: "x", count: 100),
                String(repeating: "x", count: 40) + ": 123456 is your code. Do not share it."
            ),
        ])
    func appNameIsSanitized(name: String, body: String) throws {
        #expect(try text(name).body == body)
    }

    @Test func longAppNameIsTruncatedToOneSegment() throws {
        let text = try text(String(repeating: "名", count: 40), locale: "ja", domain: "auth.example.com")
        #expect(SMSText.segmentCount(of: text.body) == 1)
        #expect(text.body.hasPrefix("名名名名名名名名"))
    }

    @Test func projectTemplateReplacesText() throws {
        let text = try text(
            locale: "ja", domain: "e.x", template: "%LOGIN_CODE% is your verification code for %APP_NAME%.")
        #expect(text.body == "123456 is your verification code for Demo.\n@e.x #123456")
    }

    @Test(arguments: [
        (String(repeating: "a", count: 160), 1), (String(repeating: "a", count: 161), 2),
        (String(repeating: "a", count: 306), 2), (String(repeating: "a", count: 307), 3),
        (String(repeating: "€", count: 80), 1), (String(repeating: "€", count: 81), 2),
        (String(repeating: "字", count: 70), 1), (String(repeating: "字", count: 71), 2),
        (String(repeating: "😀", count: 35), 1), (String(repeating: "😀", count: 36), 2), ("", 1),
    ])
    func segmentsAreCounted(text: String, count: Int) {
        #expect(SMSText.segmentCount(of: text) == count)
    }

    @Test(arguments: ["", "123", "123456789", "12a456", "١٢٣٤٥٦"])
    func codeRequiresFourToEightDigits(code: String) throws {
        var request = try sampleSMS()
        request.code = Secret(code)
        #expect(throws: ServiceError.self) { try request.check() }
    }

    @Test(arguments: [
        "no place for the code", "%LOGIN_CODE% https://example.com/",
        "%LOGIN_CODE%" + String(repeating: "x", count: 1013),
    ])
    func invalidTemplateIsRefused(template: String) throws {
        var request = try sampleSMS()
        request.template = template
        #expect(throws: ServiceError.self) { try request.check() }
    }

    @Test(arguments: ["", "a b", "a\nb", "a#b", String(repeating: "a", count: 254)])
    func invalidDomainIsRefused(domain: String) throws {
        var request = try sampleSMS()
        request.originDomain = domain
        #expect(throws: ServiceError.self) { try request.check() }
    }

    @Test func recipientIsMasked() throws {
        #expect(try OutgoingMessage.sms(sampleSMS()).maskedRecipient == "•••0010")
        let push = Notifier.SendPush(
            project: ProjectID("p"), deviceToken: Secret("00112233445566778899"), isSandbox: false, bundleID: "a.b",
            receipt: "r", secret: Secret("s"))
        #expect(OutgoingMessage.push(push).maskedRecipient == "•••8899")
        try push.check()
        var other = push
        other.deviceToken = Secret("not hexadecimal")
        #expect(throws: ServiceError.self) { try other.check() }
        other = push
        other.bundleID = ""
        #expect(throws: ServiceError.self) { try other.check() }
    }
}
