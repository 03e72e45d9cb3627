/// Settings of codes by SMS: limits and budgets.
extension Setting {
    package static let smsPrices = Setting(
        "LATCHKEY_SMS_PRICES", .list, readBy: [.mfaSMS, .notifier],
        default: .described("default=0.05 for budgets; for recorded costs what the provider reports"),
        example: "default=0.05,DE=0.07,US=0.008",
        "Price of a message by region, in your currency; `default` is for all other regions")

    package static let smsBudgetPerHour = budget("HOUR", "20")
    package static let smsBudgetPerDay = budget("DAY", "100")

    private static func budget(_ span: String, _ standard: String) -> Setting {
        Setting(
            "LATCHKEY_SMS_BUDGET_PER_\(span)", .text, readBy: [.mfaSMS], default: .value(standard),
            dev: .value("off"), "What the messages of one project may cost per \(span.lowercased()), or off",
            "The budget holds whatever happens: set it to a sum that you can lose.")
    }

    package static let smsResendWaits = Setting(
        "LATCHKEY_SMS_RESEND_WAITS", .list, readBy: [.mfaSMS], default: .value("30s,60s,120s,300s"),
        dev: .value("off"),
        "Durations before the next message to a number whose codes were not verified, or off",
        "The first follows the first message, and the last counts from then on.")

    package static let smsPerNumberPerDay = count(
        "NUMBER_PER_DAY", "5", dev: .value("100"), "Messages per day to a number whose codes were not verified",
        "Four times as many in all.")
    package static let smsPerAccountPerDay = count(
        "ACCOUNT_PER_DAY", "20", dev: .value("100"), "Messages per day for one account")
    package static let smsPerAddressPerHour = count(
        "ADDRESS_PER_HOUR", "10", dev: nil, "Messages per hour for one client network",
        "In dev mode loopback does not count.")
    package static let smsPerPrefixPerHour = count(
        "PREFIX_PER_HOUR", "100", dev: .value("0"), "Messages per hour to numbers with the same 7 digits")
    package static let smsPerPrefixPerDay = count(
        "PREFIX_PER_DAY", "500", dev: .value("0"), "Messages per day to numbers with the same 7 digits")

    private static func count(
        _ word: String, _ standard: String, dev: Default?, _ sentence: String, _ explanation: String = ""
    ) -> Setting {
        Setting(
            "LATCHKEY_SMS_PER_\(word)", .integer(0...1_000_000_000), readBy: [.mfaSMS], default: .value(standard),
            dev: dev, "\(sentence); 0: no limit", explanation)
    }

    package static let smsConversionPercent = Setting(
        "LATCHKEY_SMS_CONVERSION_PERCENT", .integer(0...90), readBy: [.mfaSMS], default: .value("10"),
        dev: .value("0"), "Percentage of codes for a prefix that must be verified; 0: no prefix is blocked")

    package static let smsNumberKinds = Setting(
        "LATCHKEY_SMS_NUMBER_KINDS", .list, readBy: [.mfaSMS],
        default: .value("mobile,fixedLineOrMobile,fixedLine,voip"),
        dev: .described("all but premiumRate and sharedCost"), "Kinds of numbers that get messages",
        "Add unknown for prefixes that are younger than the libphonenumber of the build.")

    package static let smsOriginDomain = Setting(
        "LATCHKEY_SMS_ORIGIN_DOMAIN", .text, readBy: [.mfaSMS], example: "app.example.com",
        "Host name of the site on which users enter codes, for projects without an authorized domain",
        "Phones fill in codes on that site only.")
}

/// Settings of app verification.
extension Setting {
    package static let smsChallengeBits = Setting(
        "LATCHKEY_SMS_CHALLENGE_BITS", .integer(8...28), readBy: [.mfaSMS], default: .value("20"),
        "Work of the challenge page of app verification, in bits", "One bit more is twice as much.")

    package static let smsChecksPerAddressPerHour = Setting(
        "LATCHKEY_SMS_CHECKS_PER_ADDRESS_PER_HOUR", .integer(0...1_000_000), readBy: [.mfaSMS],
        default: .value("300"), dev: .value("0"),
        "Silent pushes and finished challenge pages per hour and client network; 0: no limit")

    package static let recaptchaSiteKey = Setting(
        "LATCHKEY_RECAPTCHA_SITE_KEY", .text, readBy: [.gateway, .mfaSMS],
        example: "6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI",
        "Site key of reCAPTCHA v2, which replaces the work of the challenge page",
        "Set it for gateway and mfa-sms, together with LATCHKEY_RECAPTCHA_SECRET.")

    package static let recaptchaSecret = Setting(
        "LATCHKEY_RECAPTCHA_SECRET", .text, readBy: [.mfaSMS], isSecret: true, "The secret of that site key")

    package static let recaptchaBaseURL = Setting(
        "LATCHKEY_RECAPTCHA_BASE_URL", .url, readBy: [.mfaSMS], default: .value("https://www.google.com"),
        "URL of the server that verifies reCAPTCHA tokens")
}

extension SettingsCatalogue {
    static let smsPolicy: [Setting] = [
        .smsPrices, .smsBudgetPerHour, .smsBudgetPerDay, .smsResendWaits, .smsPerNumberPerDay, .smsPerAccountPerDay,
        .smsPerAddressPerHour, .smsPerPrefixPerHour, .smsPerPrefixPerDay, .smsConversionPercent, .smsNumberKinds,
        .smsOriginDomain,
    ]
    static let appVerification: [Setting] = [
        .smsChallengeBits, .smsChecksPerAddressPerHour, .recaptchaSiteKey, .recaptchaSecret, .recaptchaBaseURL,
    ]
}
