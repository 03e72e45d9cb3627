import Contracts
import Vocabulary

// The rules for the parts of a configuration about messages, bots and request floods (REST 5.1).

extension ProjectConfiguration.Recaptcha {
    func check() throws(ServiceError) {
        guard (managedRules ?? []).allSatisfy({ (0...1).contains($0.endScore ?? 0) }) else {
            throw .invalidConfiguration("scores of recaptchaConfig lie between 0 and 1")
        }
        // The key's name is part of a resource name, which clients split at its slashes.
        let keys = (recaptchaKeys ?? []).map { $0.key ?? "" }
        guard
            keys.allSatisfy({
                !$0.isEmpty && $0.utf8.count <= 512 && !$0.unicodeScalars.contains(where: \.properties.isWhitespace)
            })
        else {
            throw .invalidConfiguration("recaptchaConfig.recaptchaKeys holds keys")
        }
    }
}

extension ProjectConfiguration {
    static let maximumMobileApps = 50

    /// Client ids and app ids become schemes of URLs that browsers are sent to, so their form is strict.
    func checkMobileApps() throws(ServiceError) {
        let apps = mobileApps ?? []
        guard apps.count <= Self.maximumMobileApps else {
            throw .invalidConfiguration("mobileApps holds at most \(Self.maximumMobileApps) applications")
        }
        guard apps.allSatisfy({ MobileApp.isBundleID($0.bundleId ?? "") }) else {
            throw .invalidConfiguration("mobileApps: every application has a bundleId like org.example.app")
        }
        guard Set(apps.map(\.bundleId)).count == apps.count else {
            throw .invalidConfiguration("mobileApps: each bundleId stands once")
        }
        guard apps.allSatisfy({ $0.appId.map(MobileApp.isAppID) ?? true }) else {
            throw .invalidConfiguration("mobileApps: an appId is like 1:204801:ios:77aa")
        }
        guard apps.allSatisfy({ $0.clientId.map(MobileApp.isClientID) ?? true }) else {
            throw .invalidConfiguration("mobileApps: a clientId is like 5501-abc.apps.googleusercontent.com")
        }
    }
}

extension ProjectConfiguration.Notification {
    func check() throws(ServiceError) {
        typealias Purpose = Notifier.EmailPurpose
        let templates: [(String, Template?, Purpose)] = [
            ("resetPasswordTemplate", sendEmail?.resetPasswordTemplate, .resetPassword),
            ("verifyEmailTemplate", sendEmail?.verifyEmailTemplate, .verifyEmail),
            ("changeEmailTemplate", sendEmail?.changeEmailTemplate, .emailChanged),
            (
                "revertSecondFactorAdditionTemplate", sendEmail?.revertSecondFactorAdditionTemplate, .secondFactorAdded
            ),
        ]
        for (name, template, purpose) in templates {
            guard let template else { continue }
            try Self.check(template, name, purpose)
            for language in (template.translations ?? [:]).keys.sorted() {
                guard let known = Language(rawValue: language) else {
                    let all = Language.allCases.map(\.rawValue).joined(separator: ", ")
                    throw .invalidConfiguration(
                        "notification.sendEmail.\(name).translations: \(language) is none of \(all)")
                }
                try Self.check(template.translated(into: known), "\(name).translations.\(language)", purpose)
            }
        }
        if let uri = sendEmail?.callbackUri, !uri.isEmpty, WebURL(uri) == nil {
            throw .invalidConfiguration("notification.sendEmail.callbackUri must be an absolute URL")
        }
        if let port = sendEmail?.smtp?.port, !(1...65_535).contains(port) {
            throw .invalidConfiguration("notification.sendEmail.smtp.port lies between 1 and 65535")
        }
        if let sender = sendEmail?.smtp?.senderEmail, !sender.isEmpty, EmailAddress(sender) == nil {
            throw .invalidConfiguration("notification.sendEmail.smtp.senderEmail must be an e-mail address")
        }
        if let text = (sendSms?.smsTemplate?.content).nilIfEmpty,
            let problem = Notifier.SendSMS.problem(ofTemplate: text)
        {
            throw .invalidConfiguration("notification.sendSms.smsTemplate.content \(problem)")
        }
        if let locale = defaultLocale, !locale.isEmpty, !Self.isLanguageTag(locale) {
            throw .invalidConfiguration("notification.defaultLocale must be a language tag")
        }
    }

    private static func check(
        _ template: Template, _ name: String, _ purpose: Notifier.EmailPurpose
    ) throws(ServiceError) {
        do throws(EmailTemplateError) {
            try Notifier.EmailTemplate(template)?.check(for: purpose)
        } catch {
            throw .invalidConfiguration("notification.sendEmail.\(name): \(error)")
        }
    }

    /// The format of BCP 47: subtags of 1 to 8 letters and digits, a language first. `_` counts as `-`, because
    /// platforms write it.
    private static func isLanguageTag(_ text: String) -> Bool {
        let subtags = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        return text.utf8.count <= 64 && (2...8).contains(subtags.first?.utf8.count ?? 0)
            && subtags.first?.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) } == true
            && subtags.allSatisfy { subtag in
                (1...8).contains(subtag.utf8.count)
                    && subtag.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) }
            }
    }
}

extension ProjectConfiguration.Quota.SignUpQuota {
    /// A week.
    private static let maximumSeconds: Int64 = 7 * 24 * 60 * 60

    /// None of the three can be left out.
    func check() throws(ServiceError) {
        guard let quota, let startTime, let quotaDuration else {
            throw .invalidConfiguration("quota.signUpQuotaConfig takes quota, startTime and quotaDuration together")
        }
        guard let number = Int64(quota), number > 0 else {
            throw .invalidConfiguration("quota.signUpQuotaConfig.quota must be greater than 0")
        }
        guard Self.isTime(startTime) else {
            throw .invalidConfiguration("quota.signUpQuotaConfig.startTime must be a time like 2026-01-31T12:00:00Z")
        }
        guard quotaDuration.hasSuffix("s"), let seconds = Int64(quotaDuration.dropLast()),
            (1...Self.maximumSeconds).contains(seconds)
        else { throw .invalidConfiguration("quota.signUpQuotaConfig.quotaDuration lies between 1s and 604800s") }
    }

    /// RFC 3339, in UTC, like the document's other times.
    private static func isTime(_ text: String) -> Bool {
        let pattern = "0000-00-00T00:00:00"
        let bytes = Array(text.utf8)
        guard bytes.count > pattern.utf8.count, bytes.last == UInt8(ascii: "Z") else { return false }
        let matches = zip(bytes, pattern.utf8).allSatisfy { byte, wanted in
            wanted == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == wanted
        }
        let fraction = bytes[pattern.utf8.count...].dropLast()
        return matches && (fraction.isEmpty || fraction.first == UInt8(ascii: "."))
            && fraction.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
