/// Settings of SMS providers.
extension Setting {
    package static let smsProvider = Setting(
        "LATCHKEY_SMS_PROVIDER", .list, readBy: [.notifier], dev: .described("/dev/inbox"), example: "twilio,vonage",
        "SMS providers out of twilio, vonage and webhook, in the order of failover",
        "Without it sign-in by phone is refused.")

    package static let smsCAFile = Setting(
        "LATCHKEY_SMS_CA_FILE", .path, readBy: [.notifier], default: .described("those of the system"),
        "Certificates to trust for providers")

    package static let smsConnections = Setting(
        "LATCHKEY_SMS_CONNECTIONS", .integer(1...128), readBy: [.notifier], default: .value("8"),
        "Messages that are sent at a time")

    package static let smsTimeout = Setting(
        "LATCHKEY_SMS_TIMEOUT", .duration(maximumSeconds: 60), readBy: [.notifier], default: .value("10s"),
        "Timeout of a request to a provider")

    package static let smsCurrency = Setting(
        "LATCHKEY_SMS_CURRENCY", .text, readBy: [.notifier], default: .value("USD"),
        "Currency of LATCHKEY_SMS_PRICES: three letters")
}

/// Settings of Twilio.
extension Setting {
    package static let twilioAccountSID = Setting(
        "LATCHKEY_TWILIO_ACCOUNT_SID", .text, readBy: [.notifier], example: "AC...", "Twilio: the account")

    package static let twilioAuthToken = Setting(
        "LATCHKEY_TWILIO_AUTH_TOKEN", .text, readBy: [.notifier], isSecret: true,
        "Twilio: the password of the account, which signs its delivery receipts too")

    package static let twilioFrom = Setting(
        "LATCHKEY_TWILIO_FROM", .text, readBy: [.notifier], example: "+15005550006",
        "Twilio: the sender: a number, a word, or a messaging service (MG...)")

    package static let twilioBaseURL = Setting(
        "LATCHKEY_TWILIO_BASE_URL", .url, readBy: [.notifier], default: .value("https://api.twilio.com"),
        "Twilio: the address of the API")

    package static let smsWhatsAppRegions = Setting(
        "LATCHKEY_SMS_WHATSAPP_REGIONS", .list, readBy: [.notifier], example: "BR,IN",
        "Twilio: regions that get WhatsApp messages first", "It needs the account settings of Twilio.")

    package static let twilioWhatsAppFrom = Setting(
        "LATCHKEY_TWILIO_WHATSAPP_FROM", .text, readBy: [.notifier], example: "+14155238886",
        "Twilio: the sender of WhatsApp messages")

    package static let twilioWhatsAppContentSID = Setting(
        "LATCHKEY_TWILIO_WHATSAPP_CONTENT_SID", .text, readBy: [.notifier], example: "HX...",
        "Twilio: the approved WhatsApp template for codes")
}

/// Settings of Vonage.
extension Setting {
    package static let vonageAPIKey = Setting(
        "LATCHKEY_VONAGE_API_KEY", .text, readBy: [.notifier], example: "abcd1234", "Vonage: the account")

    package static let vonageAPISecret = Setting(
        "LATCHKEY_VONAGE_API_SECRET", .text, readBy: [.notifier], isSecret: true,
        "Vonage: the password of the account")

    package static let vonageFrom = Setting(
        "LATCHKEY_VONAGE_FROM", .text, readBy: [.notifier], example: "Example",
        "Vonage: the sender: a number or a word")

    package static let vonageSignatureSecret = Setting(
        "LATCHKEY_VONAGE_SIGNATURE_SECRET", .text, readBy: [.notifier], isSecret: true,
        "Vonage: verifies delivery receipts", "Without it receipts of Vonage are refused.")

    package static let vonageBaseURL = Setting(
        "LATCHKEY_VONAGE_BASE_URL", .url, readBy: [.notifier], default: .value("https://rest.nexmo.com"),
        "Vonage: the address of the API")
}

/// Settings of every other provider.
extension Setting {
    package static let smsWebhookURL = Setting(
        "LATCHKEY_SMS_WEBHOOK_URL", .url, readBy: [.notifier], example: "https://sms.example.com/send",
        "Webhook: URL of a service of yours, in front of any other provider")

    package static let smsWebhookSecret = Setting(
        "LATCHKEY_SMS_WEBHOOK_SECRET", .text, readBy: [.notifier], isSecret: true,
        "Webhook: signs requests and verifies delivery receipts")
}

extension SettingsCatalogue {
    static let sms: [Setting] = [
        .smsProvider, .smsCAFile, .smsConnections, .smsTimeout, .smsCurrency, .twilioAccountSID, .twilioAuthToken,
        .twilioFrom, .twilioBaseURL, .smsWhatsAppRegions, .twilioWhatsAppFrom, .twilioWhatsAppContentSID,
        .vonageAPIKey, .vonageAPISecret, .vonageFrom, .vonageSignatureSecret, .vonageBaseURL, .smsWebhookURL,
        .smsWebhookSecret,
    ]
}
