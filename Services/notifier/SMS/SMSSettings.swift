import Contracts
import ServiceRuntime
import Settings
import Vocabulary

/// The operator's settings of SMS.
package struct SMSSettings: Sendable {
    enum Provider: Sendable {
        case twilio(TwilioProvider.Settings)
        case vonage(VonageProvider.Settings)
        case webhook(WebhookProvider.Settings)
    }

    /// WhatsApp, tried first.
    struct WhatsApp: Sendable {
        var twilio: TwilioProvider.Settings
        var from: String
        var regions: Set<String>
    }

    /// In failover order; never empty.
    var providers: [Provider] = []
    var whatsApp: WhatsApp?
    var prices = SMSPrices()
    var caFilePath: String?
    /// Maximum concurrent messages of a process.
    var connections = 8
    var callTimeout = Duration.seconds(10)
    var publicURL: String?

    /// - Returns: nil without a configured provider.
    init?(from reader: inout SettingsReader, isDev: Bool) {
        guard reader.optionalString(.smsProvider) != nil else { return nil }
        publicURL = reader.publicURL()
        let words = reader.list(.smsProvider, example: "twilio,vonage")
        let names = words.compactMap(Notifier.SMSProviderName.init(rawValue:))
        if names.count < words.count || Set(names).count < names.count {
            let all = Notifier.SMSProviderName.allCases.map(\.rawValue).joined(separator: ", ")
            reader.addIssue(
                .smsProvider, "names something else than \(all), or one of them twice",
                remedy: "Write it like LATCHKEY_SMS_PROVIDER=twilio,vonage")
        }
        providers = names.map { name in
            switch name {
            case .twilio: .twilio(Self.twilio(&reader, isDev: isDev))
            case .vonage: .vonage(Self.vonage(&reader, isDev: isDev))
            case .webhook:
                .webhook(
                    .init(
                        url: Self.url(
                            .smsWebhookURL, default: nil, example: "https://sms.example.com/send", isDev,
                            &reader),
                        secret: Self.secret(.smsWebhookSecret, &reader)))
            }
        }
        whatsApp = Self.whatsApp(&reader, isDev: isDev)
        prices = Self.prices(&reader)
        caFilePath = reader.optionalString(.smsCAFile)
        connections = reader.integer(.smsConnections, default: 8)
        callTimeout = reader.duration(.smsTimeout, default: .seconds(10))
    }

    /// The verifier of the providers' delivery receipts.
    package var receipts: DeliveryReceiptVerifier {
        var receipts = DeliveryReceiptVerifier(publicURL: publicURL)
        for provider in providers {
            switch provider {
            case .twilio(let twilio): receipts.twilioAuthToken = twilio.authToken
            case .vonage(let vonage): receipts.vonageSignatureSecret = vonage.signatureSecret
            case .webhook(let webhook): receipts.webhookSecret = webhook.secret
            }
        }
        if let whatsApp { receipts.twilioAuthToken = whatsApp.twilio.authToken }
        return receipts
    }

    // MARK: Providers

    private static func twilio(_ reader: inout SettingsReader, isDev: Bool) -> TwilioProvider.Settings {
        .init(
            baseURL: url(
                .twilioBaseURL, default: "https://api.twilio.com", example: "https://api.twilio.com",
                isDev, &reader),
            accountSID: reader.value(
                .twilioAccountSID, default: nil, placeholder: "", expects: "letters and digits",
                example: "ACXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", parse: nonEmptyWord),
            authToken: secret(.twilioAuthToken, &reader),
            from: reader.string(.twilioFrom, example: "+15005550006"))
    }

    private static func vonage(_ reader: inout SettingsReader, isDev: Bool) -> VonageProvider.Settings {
        .init(
            baseURL: url(
                .vonageBaseURL, default: "https://rest.nexmo.com", example: "https://rest.nexmo.com",
                isDev, &reader),
            apiKey: reader.value(
                .vonageAPIKey, default: nil, placeholder: "", expects: "letters and digits",
                example: "abcd1234", parse: nonEmptyWord),
            apiSecret: secret(.vonageAPISecret, &reader),
            from: reader.string(.vonageFrom, example: "Example"),
            signatureSecret: reader.optionalSecret(.vonageSignatureSecret))
    }

    private static func whatsApp(_ reader: inout SettingsReader, isDev: Bool) -> WhatsApp? {
        guard reader.optionalString(.smsWhatsAppRegions) != nil else { return nil }
        let regions = reader.value(
            .smsWhatsAppRegions, default: nil, placeholder: [], expects: "regions in capitals",
            example: "BR,IN"
        ) { text -> Set<String>? in
            let regions = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            return regions.allSatisfy { MessagePrices.isRegion($0) } ? Set(regions) : nil
        }
        let from = reader.value(
            .twilioWhatsAppFrom, default: nil, placeholder: "", expects: "a number in E.164 form",
            example: "+14155238886"
        ) { PhoneNumber($0)?.rawValue }
        var settings = twilio(&reader, isDev: isDev)
        settings.whatsAppContentSID = reader.optionalString(.twilioWhatsAppContentSID)
        return WhatsApp(twilio: settings, from: from, regions: regions)
    }

    private static func prices(_ reader: inout SettingsReader) -> SMSPrices {
        let currency = reader.value(
            .smsCurrency, default: "USD", placeholder: "USD", expects: "a currency's three letters",
            example: "EUR"
        ) { text in
            text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
                ? text : nil
        }
        let table = reader.value(
            .smsPrices, default: MessagePrices(), placeholder: MessagePrices(),
            expects: "prices by region, default for the others", example: "default=0.05,DE=0.07,US=0.008",
            parse: MessagePrices.init)
        return SMSPrices(currency: currency, table: table)
    }

    // MARK: Parsing

    private static func secret(_ setting: Setting, _ reader: inout SettingsReader) -> Secret<String> {
        Secret(
            reader.value(
                setting, default: nil, placeholder: "", expects: "a secret", example: "...", isSecret: true
            ) { $0.isEmpty ? nil : $0 })
    }

    /// A value that needs no escaping in a path or a header.
    private static func nonEmptyWord(_ text: String) -> String? {
        let isWord = text.utf8.allSatisfy { $0.isASCIINameByte || $0 == UInt8(ascii: "_") }
        return isWord && (1...64).contains(text.utf8.count) ? text : nil
    }

    /// Numbers, codes and the provider password are sent there: unencrypted only to this machine, or in dev mode.
    private static func url(
        _ setting: Setting, default fallback: String?, example: String, _ isDev: Bool, _ reader: inout SettingsReader
    ) -> String {
        let url = reader.url(setting, default: fallback, example: example)
        if url.hasPrefix("http://"), !isDev, !isLoopback(url) {
            reader.addIssue(
                setting, "is plain http beyond this machine", remedy: "Write it like \(setting.name)=\(example)")
        }
        return url
    }

    /// Whether a URL has a loopback host.
    static func isLoopback(_ url: String) -> Bool {
        WebURL(url)?.isLoopback ?? false
    }
}
