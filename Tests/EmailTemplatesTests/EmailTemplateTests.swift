import Contracts
import EmailTemplates
import TestSupport
import Testing
import Vocabulary

/// A message with every value that a template can use.
func sampleRequest(
    _ purpose: Notifier.EmailPurpose = .resetPassword, locale: String? = nil, template: Notifier.EmailTemplate? = nil
) throws -> Notifier.SendEmail {
    let isCode = purpose.requiredPlaceholder == .code
    return Notifier.SendEmail(
        realm: Realm(project: ProjectID("p")), recipient: try #require(EmailAddress("ada@example.com")),
        purpose: purpose, locale: locale, appName: "Demo", link: isCode ? nil : "https://example.com/a?b=c&d=e",
        code: isCode ? Secret("042917") : nil, displayName: "Ada", newEmail: EmailAddress("new@example.com"),
        account: .init(
            email: try #require(EmailAddress("stranger@evil.example")), hasPassword: true, hasEmailLink: false,
            hasPhoneNumber: false, hasPasskeys: true, providers: ["google.com"]), secondFactor: "+*******89",
        passkey: "Phone",
        template: template)
}

/// The built-in texts.
@Suite struct ShippedTemplateTests {
    @Test func everyPurposeHasTemplateInEveryLanguage() {
        let rows = EmailTemplateCheck.builtIn()
        #expect(Set(rows.map(\.language)) == ["en", "es", "ko", "th", "de", "fr", "ja", "ar"])
        #expect(rows.count == 8 * Notifier.EmailPurpose.allCases.count)
        for row in rows { #expect(row.problems == [], "\(row.language) \(row.purpose)") }
    }

    /// The reader of a new address sees whose account would get it. The address of that account is nothing to click on.
    @Test(arguments: Language.allCases) func emailOfChangeDescribesTheAccount(language: Language) throws {
        var request = try sampleRequest(.verifyAndChangeEmail, locale: language.rawValue)
        for body in [try EmailRenderer.render(request).text, try EmailRenderer.render(request).html] {
            #expect(body.contains("stranger@evil[.]example") && body.contains("google.com"))
            #expect(!body.contains("evil.example"))
        }
        // From identity of a former version.
        request.account = nil
        #expect(try !EmailRenderer.render(request).text.contains("%"))
    }

    @Test func methodsOfTheAccountAreNamed() throws {
        let text = try EmailRenderer.render(sampleRequest(.verifyAndChangeEmail, locale: "en")).text
        #expect(text.contains("these ways to sign in: password, passkey, google.com."))
        #expect(text.contains("choose “This was not me”"))
    }

    @Test func onlyArabicIsRightToLeft() throws {
        for language in Language.allCases {
            let tag = language.rawValue
            let email = try EmailRenderer.render(sampleRequest(locale: tag))
            let direction = language == .arabic ? "rtl" : "ltr"
            #expect(email.html.contains("<html lang=\"\(tag)\" dir=\"\(direction)\">"))
            #expect(email.html.contains("<div lang=\"\(tag)\" dir=\"\(direction)\""))
            // An address keeps its own direction.
            #expect(email.text.contains("\u{2068}ada@example.com\u{2069}") == (language == .arabic))
        }
    }

    @Test(arguments: Language.allCases.map(\.rawValue), Notifier.EmailPurpose.allCases)
    func emailReferencesNoRemoteResources(language: String, purpose: Notifier.EmailPurpose) throws {
        let email = try EmailRenderer.render(sampleRequest(purpose, locale: language))
        for word in ["src=", "url(", "<script", "<link", "@import", "<img"] { #expect(!email.html.contains(word)) }
        let addresses = email.html.matches(of: /https?:[^"<\s]*/).map { String($0.output) }
        let isCode = purpose.requiredPlaceholder == .code
        #expect(Set(addresses) == (isCode ? [] : ["https://example.com/a?b=c&amp;d=e"]))
        #expect(!email.text.contains("%"))
        #expect(!email.subject.contains("%"))
        #expect(email.text.contains("https://example.com/a?b=c&d=e\n") != isCode)
    }

    /// The code stands alone, so that it can be copied, and the mail says how long it is valid. Locked phones show subjects.
    @Test(arguments: Language.allCases, [Notifier.EmailPurpose.emailSignInCode, .emailVerificationCode])
    func codeIsShownAloneAndNotInSubject(language: Language, purpose: Notifier.EmailPurpose) throws {
        let email = try EmailRenderer.render(sampleRequest(purpose, locale: language.rawValue))
        #expect(email.text.contains("\n\n042917\n\n"))
        #expect(email.html.contains("font-size:32px") && email.html.contains(">042917</p>"))
        #expect(!email.subject.contains { $0.isNumber })
        let minutes = Identity.emailCodeLifetime / .seconds(60)
        for text in [email.text, email.html] { #expect(text.contains("\(Int(minutes))")) }
        #expect(email.text.contains("ada@example.com"))
    }

    @Test func noticeWithoutLinkStatesWhatToDo() throws {
        for purpose in Notifier.EmailPurpose.allCases where purpose.isNotice {
            var request = try sampleRequest(purpose)
            request.link = nil
            request.displayName = nil
            request.secondFactor = nil
            request.passkey = nil
            let email = try EmailRenderer.render(request)
            #expect(!email.html.contains("<a "))
            #expect(email.text.hasPrefix("Hello,\n\n"))
            #expect(email.text.contains("If this wasn’t you"))
        }
    }

    @Test(
        arguments: [
            ("de", nil, "de"), ("de-AT", nil, "de"), ("DE_at", nil, "de"), ("zh-Hant-TW", nil, "en"),
            ("pt-BR", "es-MX", "es"),
            ("pt-BR", "pt", "en"), (nil, "ko", "ko"), ("", "ja", "ja"), ("ar-EG-u-nu-latn", nil, "ar"),
            ("fr-CH, fr;q=0.9, en;q=0.8", nil, "fr"), ("--", nil, "en"), ("<script>", nil, "en"), ("deu", nil, "en"),
            (String(repeating: "de-", count: 100), nil, "de"), (String(repeating: " ", count: 100) + "de", nil, "en"),
        ] as [(String?, String?, String)])
    func languageFallsBackAlongItsChain(wish: String?, standard: String?, language: String) {
        #expect(Language.find(wish, default: standard).rawValue == language)
    }
}

/// Security rule HT14.
@Suite struct EscapingTests {
    @Test func valuesAreEscapedInHTML() throws {
        var request = try sampleRequest()
        request.appName = "<b>&\"'"
        request.displayName = "<img src=x onerror=alert(1)>"
        for template in [
            nil, Notifier.EmailTemplate(body: "<p>%DISPLAY_NAME% %APP_NAME% %LINK%", bodyFormat: .html),
            Notifier.EmailTemplate(body: "<p>%DISPLAY_NAME% %APP_NAME% %LINK%"),
        ] {
            request.template = template
            let email = try EmailRenderer.render(request)
            #expect(!email.html.contains("<img"))
            #expect(!email.html.contains("<b>"))
            #expect(email.html.contains("&lt;b&gt;&amp;&quot;&#39;"))
            #expect(email.html.contains("<p>&lt;img src=x onerror=alert(1)&gt;") == (template?.bodyFormat == .html))
        }
    }

    /// The name of a passkey is chosen by the user who added it.
    @Test(arguments: [Notifier.EmailPurpose.passkeyAdded, .passkeyRemoved], Language.allCases)
    func passkeyNameIsBoundedAndEscaped(purpose: Notifier.EmailPurpose, language: Language) throws {
        var request = try sampleRequest(purpose, locale: language.rawValue)
        request.passkey = "<b>Phone</b>\r\n%LINK%" + String(repeating: "x", count: 900)
        let email = try EmailRenderer.render(request)
        #expect(email.html.contains("<bdi>&lt;b&gt;Phone&lt;/b&gt;  %LINK%xxx") && !email.html.contains("<b>"))
        #expect(email.text.contains("<b>Phone</b>  %LINK%xxx"))
        #expect(!email.text.contains(String(repeating: "x", count: 200)))
        #expect(!email.subject.contains("Phone"))
        // The notifier was not given the name: the text says so.
        request.passkey = nil
        let hidden = try EmailRenderer.render(request)
        #expect(hidden.text.contains(EmailLanguage(language).hiddenPasskeyName))
    }

    /// A value that looks like a placeholder is not replaced.
    @Test func valuesAreNotExpandedAsTemplates() throws {
        var request = try sampleRequest()
        request.appName = "%LINK% 100% %UNKNOWN%"
        let email = try EmailRenderer.render(request)
        #expect(email.subject == "Reset your password for %LINK% 100% %UNKNOWN%")
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func valuesCannotBreakHeaderLine(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let pieces = ["\r\nBcc: x@y.zz", "\n", "\u{0}", "\u{2028}", "\u{85}", "ü", "%LINK%", "a", "👩‍👩‍👧"]
        func text() -> String {
            (0..<Int.random(in: 0...9, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }
            .joined()
        }
        var request = try sampleRequest(
            template: .init(senderDisplayName: "%APP_NAME% %DISPLAY_NAME%", subject: "%APP_NAME%: %DISPLAY_NAME%"))
        request.appName = text()
        request.displayName = text()
        let email = try EmailRenderer.render(request)
        for header in [email.subject, try #require(email.senderName)] {
            let controls = header.unicodeScalars.filter { $0.isControlOfHeaders }
            #expect(controls.isEmpty)
        }
    }

    @Test func longValuesAreTruncated() throws {
        var request = try sampleRequest()
        request.appName = String(repeating: "x", count: 900)
        #expect(try EmailRenderer.render(request).subject.count <= 250)
    }
}

/// The templates of projects.
@Suite struct ProjectTemplateTests {
    /// One register per language: German e-mails address the reader as "Sie", as the pages and text messages do.
    @Test(arguments: Notifier.EmailPurpose.allCases)
    func germanEmailAddressesReaderFormally(purpose: Notifier.EmailPurpose) throws {
        let email = try EmailRenderer.render(sampleRequest(purpose, locale: "de"))
        let word = /\b([Dd]u|[Dd]ich|[Dd]ir|[Dd]ein[a-z]*|[Ee]uch|[Ee]uer)\b/
        for text in [email.subject, email.text] { #expect(text.firstMatch(of: word) == nil, "\(text)") }
    }

    @Test func projectTemplateReplacesShippedOne() throws {
        let email = try EmailRenderer.render(
            sampleRequest(
                locale: "de",
                template: .init(
                    senderDisplayName: "%APP_NAME% Support", subject: "Hi %DISPLAY_NAME%",
                    body: "<p>100% <a href=\"%LINK%\">here</a>, %EMAIL%</p>", bodyFormat: .html)))
        #expect(email.subject == "Hi Ada")
        #expect(email.senderName == "Demo Support")
        #expect(email.html == "<p>100% <a href=\"https://example.com/a?b=c&amp;d=e\">here</a>, ada@example.com</p>")
        // The built-in text is beside it, in the language of the recipient.
        #expect(email.text.hasPrefix("Hallo Ada,\n"))
    }

    @Test func plainTextTemplateAlsoRendersHTML() throws {
        let email = try EmailRenderer.render(
            sampleRequest(template: .init(body: "Dear <%DISPLAY_NAME%>,\nopen %LINK%")))
        #expect(email.text == "Dear <Ada>,\nopen https://example.com/a?b=c&d=e")
        #expect(email.html.contains("Dear &lt;<bdi>Ada</bdi>&gt;,\nopen <a href=\"https://example.com/a?b=c&amp;d=e\""))
        #expect(email.subject == "Reset your password for Demo")
    }

    @Test(
        arguments: [
            (Notifier.EmailTemplate(body: "%LINK% %NAME%"), EmailTemplateError.unknownPlaceholder("%NAME%")),
            (.init(subject: "%APPNAME%"), .unknownPlaceholder("%APPNAME%")),
            (.init(senderDisplayName: "%TEAM%"), .unknownPlaceholder("%TEAM%")),
            (.init(body: "no way to go"), .missingPlaceholder(.link)),
            (.init(subject: "a\r\nBcc: b@c.dd"), .controlCharacter(field: "subject")),
            (.init(senderDisplayName: "a\u{2028}"), .controlCharacter(field: "senderDisplayName")),
            (.init(subject: String(repeating: "x", count: 501)), .tooLong(field: "subject", maximumBytes: 500)),
            (
                .init(body: "%LINK%" + String(repeating: "x", count: 65_531)),
                .tooLong(field: "body", maximumBytes: 65_536)
            ),
            (.init(senderLocalPart: "a@b"), .malformedSenderLocalPart),
            (.init(senderLocalPart: "a b"), .malformedSenderLocalPart),
            (.init(senderLocalPart: "ü"), .malformedSenderLocalPart),
            (.init(senderLocalPart: "a\r\nb"), .malformedSenderLocalPart),
        ] as [(Notifier.EmailTemplate, EmailTemplateError)])
    func templateErrorIsNamed(template: Notifier.EmailTemplate, fault: EmailTemplateError) throws {
        #expect(throws: fault) { try template.check(for: .resetPassword) }
        #expect(throws: fault) { try EmailRenderer.render(sampleRequest(template: template)) }
    }

    @Test func templateAtLimitsIsAccepted() throws {
        try Notifier.EmailTemplate(
            subject: String(repeating: "x", count: 500), body: "%LINK%" + String(repeating: "x", count: 65_530)
        ).check(for: .resetPassword)
        // A notice does not require its link.
        try Notifier.EmailTemplate(body: "changed").check(for: .emailChanged)
    }

    @Test func percentSignsAreLiteral() throws {
        for text in ["100%", "%", "%%", "50% OFF%", "https://x.example/%E2%82%AC%AB%CD", "%lower%", "%20%"] {
            #expect(try EmailTemplateText(text).parts == [.text(text)])
        }
        #expect(
            try EmailTemplateText("%%LINK%%").parts == [.text("%"), .placeholder(.link), .text("%")])
    }

    @Test func templatesComeFromConfiguration() throws {
        var configuration = ProjectConfiguration()
        #expect(try configuration.emailTemplate(for: .resetPassword) == nil)
        var stored = ProjectConfiguration.Notification.Template()
        stored.subject = "Hi"
        stored.body = ""
        stored.replyTo = "help@example.com"
        stored.bodyFormat = .html
        var sendEmail = ProjectConfiguration.Notification.SendEmail()
        sendEmail.resetPasswordTemplate = stored
        var notification = ProjectConfiguration.Notification()
        notification.sendEmail = sendEmail
        configuration.notification = notification
        #expect(
            try configuration.emailTemplate(for: .resetPassword)
                == Notifier.EmailTemplate(replyTo: EmailAddress("help@example.com"), subject: "Hi", bodyFormat: .html))
        #expect(try configuration.emailTemplate(for: .verifyEmail) == nil)
        var german = ProjectConfiguration.Notification.Template.Translation()
        german.subject = "Hallo"
        configuration.notification?.sendEmail?.resetPasswordTemplate?.translations = ["de": german]
        #expect(try configuration.emailTemplate(for: .resetPassword, locale: "de-AT")?.subject == "Hallo")
        #expect(try configuration.emailTemplate(for: .resetPassword, locale: "fr")?.subject == "Hi")
        configuration.notification?.defaultLocale = "de"
        #expect(try configuration.emailTemplate(for: .resetPassword, locale: "pt")?.subject == "Hallo")
        #expect(EmailTemplateCheck.configured(configuration).map(\.language) == ["own", "de"])
        configuration.notification?.sendEmail?.resetPasswordTemplate?.replyTo = "nobody"
        #expect(throws: EmailTemplateError.malformedReplyTo) { try configuration.emailTemplate(for: .resetPassword) }
        let problem = "replyTo is not an e-mail address."
        #expect(EmailTemplateCheck.configured(configuration).flatMap(\.problems) == [problem, problem])
    }
}
