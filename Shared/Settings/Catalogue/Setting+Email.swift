/// Settings of all channels of the notifier.
extension Setting {
    package static let notifierChannels = Setting(
        "LATCHKEY_NOTIFIER_CHANNELS", .list, readBy: [.notifier], default: .value("email,sms,push,webhook"),
        example: "email",
        "The channels that this notifier delivers", "The other channels are left to other notifiers.")

    package static let notifierHistory = Setting(
        "LATCHKEY_NOTIFIER_HISTORY", .duration(maximumSeconds: 3650 * 86_400), readBy: [.notifier],
        default: .value("30d"), "How long deliveries are kept, with masked addresses, from 1d")
}

/// Settings of e-mail.
extension Setting {
    package static let smtpURL = Setting(
        "LATCHKEY_SMTP_URL", .url, readBy: [.notifier], requiredBy: [.notifier], isSecret: true,
        dev: .described("/dev/inbox"), example: "smtp://user:password@mail.example.com:587", "The mail server",
        "STARTTLS is required beyond loopback, unless the URL ends with ?starttls=never. smtps:// begins with TLS. "
            + "Percent-encode what is not a letter or digit in the password.")

    package static let smtpFrom = Setting(
        "LATCHKEY_SMTP_FROM", .text, readBy: [.notifier], requiredBy: [.notifier],
        dev: .described("noreply@latchkey.localhost without a mail server"),
        example: "Example <noreply@example.com>", "Sender of all e-mails")

    package static let smtpCAFile = Setting(
        "LATCHKEY_SMTP_CA_FILE", .path, readBy: [.notifier], default: .described("those of the system"),
        "Certificates to trust for the mail server")

    package static let smtpConnections = Setting(
        "LATCHKEY_SMTP_CONNECTIONS", .integer(1...64), readBy: [.notifier], default: .value("4"),
        "E-mails that are sent at a time")

    package static let smtpConnectTimeout = Setting(
        "LATCHKEY_SMTP_CONNECT_TIMEOUT", .duration(maximumSeconds: 60), readBy: [.notifier], default: .value("10s"),
        "Timeout until the mail server is ready for an e-mail")

    package static let smtpTimeout = Setting(
        "LATCHKEY_SMTP_TIMEOUT", .duration(maximumSeconds: 600), readBy: [.notifier], default: .value("60s"),
        "Timeout until the mail server has accepted an e-mail")

    package static let emailPerRecipientPerHour = Setting(
        "LATCHKEY_EMAIL_PER_RECIPIENT_PER_HOUR", .integer(0...1_000_000), readBy: [.notifier],
        default: .value("10"), dev: .value("0"), "E-mails to one address per hour; 0: no limit")

    package static let emailPerProjectPerHour = Setting(
        "LATCHKEY_EMAIL_PER_PROJECT_PER_HOUR", .integer(0...100_000_000), readBy: [.notifier],
        default: .value("10000"), dev: .value("0"), "E-mails of one project per hour; 0: no limit")
}

extension SettingsCatalogue {
    static let delivery: [Setting] = [.notifierChannels, .notifierHistory]
    static let email: [Setting] = [
        .smtpURL, .smtpFrom, .smtpCAFile, .smtpConnections, .smtpConnectTimeout, .smtpTimeout,
        .emailPerRecipientPerHour, .emailPerProjectPerHour,
    ]
}
