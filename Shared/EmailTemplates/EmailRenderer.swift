package import Contracts
import Vocabulary

/// The content of an e-mail, without envelope and headers.
package struct RenderedEmail: Equatable, Sendable {
    /// BCP 47.
    package var language: String
    /// Shown before the sender's address, if the project has set one.
    package var senderName: String?
    package var subject: String
    package var text: String
    package var html: String
}

/// Renders an e-mail: with the project's template if there is one, otherwise with the built-in text in the recipient's
/// language. Every inserted value is escaped for its context (security rule HT14).
package struct EmailRenderer {
    /// Longer names and hints are truncated.
    static let maximumValueLength = 200
    static let maximumSubjectLength = 250

    private let request: Notifier.SendEmail
    private let language: EmailLanguage
    private let builtInText: EmailText
    private let look: EmailLook

    private init(_ request: Notifier.SendEmail, _ language: EmailLanguage) {
        self.request = request
        self.language = language
        builtInText = language.text(request.purpose)
        look = EmailLook(request, name: Self.shortened(request.appName))
    }

    /// - Throws: the error in the template of the request.
    package static func render(_ request: Notifier.SendEmail) throws(EmailTemplateError) -> RenderedEmail {
        let language = Language.find(request.locale, default: request.defaultLocale)
        return try EmailRenderer(request, EmailLanguage(language)).email()
    }

    private func email() throws(EmailTemplateError) -> RenderedEmail {
        let template = request.template
        try template?.check(for: request.purpose)
        let subject = try line(template?.subject ?? builtInText.subject)
        let text: String
        let html: String
        switch (template?.body, template?.bodyFormat) {
        case (nil, _): (text, html) = try (plainText(shippedParagraphs()), page(shippedBlocks(), title: subject))
        case (let body?, .html):
            // The plain alternative is built in, because a conversion of HTML to text would be unreliable.
            (text, html) = try (plainText(shippedParagraphs()), EmailTemplateText(body).filled(htmlValue))
        case (let body?, .plainText), (let body?, nil):
            let paragraphs = try EmailTemplateText(body)
            text = paragraphs.filled(textValue)
            html = page(
                [Self.paragraph(linked(paragraphs), style: "margin:0 0 16px;white-space:pre-wrap")], title: subject)
        }
        return RenderedEmail(
            language: language.language.rawValue, senderName: try template?.senderDisplayName.map(line) ?? senderName,
            subject: String(subject.prefix(Self.maximumSubjectLength)), text: text, html: html)
    }

    /// That of the branding: the name of the application if it has no other.
    private var senderName: String? {
        (request.branding?.senderName ?? request.branding?.applicationName).nilIfEmpty.map(Self.shortened)
    }

    // MARK: Values

    private func value(_ placeholder: Notifier.EmailPlaceholder) -> String {
        switch placeholder {
        case .appName: Self.shortened(request.appName)
        case .link: request.link ?? ""
        case .code: request.code?.reveal() ?? ""
        case .email: request.recipient.rawValue
        case .newEmail: request.newEmail?.rawValue ?? ""
        case .displayName: Self.shortened(request.displayName ?? "").withoutLinks
        case .secondFactor: Self.shortened(request.secondFactor ?? language.genericFactorName).withoutLinks
        case .passkey: Self.shortened(request.passkey ?? language.hiddenPasskeyName).withoutLinks
        case .provider: Self.shortened(request.provider ?? "")
        // An address of another user: in a form that no mail client links.
        case .account: Self.shortened(request.account?.email.rawValue ?? language.methods.none).withoutLinks
        case .signInMethods: Self.shortened(signInMethods)
        case .supportContact: request.branding?.supportContact ?? ""
        case .time: Self.shortened(request.signIn?.time ?? request.deletionTime ?? "")
        case .device: Self.shortened(request.signIn?.device ?? language.unknownClient).withoutLinks
        case .network: Self.shortened(request.signIn?.network ?? language.unknownClient)
        }
    }

    private var signInMethods: String {
        guard let account = request.account else { return language.methods.none }
        let words = [
            account.hasPassword ? language.methods.password : nil,
            account.hasEmailLink ? language.methods.emailLink : nil,
            account.hasPhoneNumber ? language.methods.phoneNumber : nil,
            account.hasPasskeys ? language.methods.passkey : nil,
        ].compactMap(\.self)
        let all = words + account.providers
        return all.isEmpty ? language.methods.none : all.joined(separator: language.methods.separator)
    }

    /// One line, without control characters, of bounded length.
    private static func shortened(_ text: String) -> String {
        let line = text.unicodeScalars.map { $0.isControlOfHeaders ? " " : Character($0) }
        return String(String(line).prefix(maximumValueLength))
    }

    /// A header line. Control characters are rejected in templates and removed from values.
    private func line(_ template: String) throws(EmailTemplateError) -> String {
        try EmailTemplateText(template).filled(value)
    }

    /// In right-to-left text, U+2068 and U+2069 keep the order of the characters in an address.
    private func textValue(_ placeholder: Notifier.EmailPlaceholder) -> String {
        let value = value(placeholder)
        // Not for what a reader copies.
        let isCopied = placeholder == .link || placeholder == .code
        return language.language.isRightToLeft && !isCopied ? "\u{2068}\(value)\u{2069}" : value
    }

    private func htmlValue(_ placeholder: Notifier.EmailPlaceholder) -> String { value(placeholder).markupEscaped }

    private func isolatedHTMLValue(_ placeholder: Notifier.EmailPlaceholder) -> String {
        "<bdi>\(htmlValue(placeholder))</bdi>"
    }

    // MARK: Built-in text

    private var greeting: String {
        request.displayName.map { !$0.isEmpty } == true ? language.greeting : language.genericGreeting
    }

    private var closing: String? { request.purpose.isNotice && request.link != nil ? nil : builtInText.closing }

    /// Where the reader gets help, if the project says so.
    private var support: [String] {
        (request.branding?.supportContact).nilIfEmpty == nil ? [] : [language.support]
    }

    private func shippedParagraphs() throws(EmailTemplateError) -> [String] {
        var paragraphs = [greeting, builtInText.lead]
        if request.code != nil { paragraphs.append("%CODE%") }
        if request.link != nil {
            if !builtInText.securityAdvice.isEmpty { paragraphs.append(builtInText.securityAdvice) }
            paragraphs.append("%LINK%")
        }
        return paragraphs + (closing.map { [$0] } ?? []) + support + [language.farewell]
    }

    private func plainText(_ paragraphs: [String]) throws(EmailTemplateError) -> String {
        var filled: [String] = []
        for paragraph in paragraphs { filled.append(try EmailTemplateText(paragraph).filled(textValue)) }
        return filled.joined(separator: "\n\n") + "\n"
    }

    private func shippedBlocks() throws(EmailTemplateError) -> [String] {
        func block(_ template: String) throws(EmailTemplateError) -> String {
            let text = try EmailTemplateText(template)
            let filled = text.parts.reduce(into: "") { result, part in
                switch part {
                case .text(let text): result += text.markupEscaped
                case .placeholder(.supportContact): result += supportLink
                case .placeholder(let placeholder): result += isolatedHTMLValue(placeholder)
                }
            }
            return Self.paragraph(filled)
        }
        var blocks = [try block(greeting), try block(builtInText.lead)]
        if request.code != nil { blocks.append(code) }
        if request.link != nil {
            if !builtInText.securityAdvice.isEmpty { blocks.append(try block(builtInText.securityAdvice)) }
            blocks.append(button)
        }
        for sentence in (closing.map { [$0] } ?? []) + support { blocks.append(try block(sentence)) }
        blocks.append(try block(language.farewell))
        if request.link != nil { blocks.append(linkInFull) }
        return blocks
    }

    // MARK: HTML

    private static func paragraph(_ html: String, style: String = "margin:0 0 16px") -> String {
        "<p style=\"\(style)\">\(html)</p>"
    }

    private var button: String {
        """
        <p style="margin:24px 0"><a href="\(htmlValue(.link))" \(look.button)>\(builtInText.button.markupEscaped)</a></p>
        """
    }

    private var code: String {
        Self.paragraph(
            htmlValue(.code),
            style: "margin:24px 0;font-size:32px;line-height:1.25;font-weight:600;letter-spacing:0.1em;direction:ltr")
    }

    /// The contact was checked with the configuration; anything else is text.
    private var supportLink: String {
        guard let contact = (request.branding?.supportContact).nilIfEmpty else { return "" }
        let text = "<bdi>\(contact.markupEscaped)</bdi>"
        let address = EmailAddress(contact) != nil ? "mailto:\(contact)" : contact
        guard EmailAddress(contact) != nil || WebURL(contact)?.isSecure == true else { return text }
        return "<a href=\"\(address.markupEscaped)\" style=\"color:inherit\">\(text)</a>"
    }

    private var linkInFull: String {
        """
        <p style="margin:24px 0 0;font-size:14px;opacity:0.8">\(language.linkHint.markupEscaped)<br>\
        <a href="\(htmlValue(.link))" dir="ltr" style="color:inherit;word-break:break-all">\(htmlValue(.link))</a></p>
        """
    }

    /// The project's plain text, with its link converted to HTML.
    private func linked(_ text: EmailTemplateText) -> String {
        text.parts.reduce(into: "") { result, part in
            switch part {
            case .text(let text): result += text.markupEscaped
            case .placeholder(.link) where request.link != nil:
                result +=
                    "<a href=\"\(htmlValue(.link))\" dir=\"ltr\" style=\"word-break:break-all\">\(htmlValue(.link))</a>"
            case .placeholder(let placeholder): result += isolatedHTMLValue(placeholder)
            }
        }
    }

    /// Without fonts, scripts and, unless the project has a logo, pictures: a mail client loads nothing, so the time of
    /// reading stays unknown.
    private func page(_ blocks: [String], title: String) -> String {
        let (tag, direction) = (language.language.rawValue, language.language.direction)
        let (className, style) = look.card
        return """
            <!DOCTYPE html>
            <html lang="\(tag)" dir="\(direction)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="\(look.colorSchemes)">
            <meta name="supported-color-schemes" content="\(look.colorSchemes)">
            <title>\(title.markupEscaped)</title>
            \(look.styleSheet)</head>
            <body \(look.canvas)>
            <div lang="\(tag)" dir="\(direction)" \(className)style="\(style)max-width:560px;margin:0 auto;\
            font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;font-size:16px;line-height:1.6">
            \((look.header + blocks).joined(separator: "\n"))
            </div>
            </body>
            </html>

            """
    }
}
