package import ServiceRuntime
import Settings
package import Vocabulary

/// The settings of app verification.
package struct AppVerificationSettings: Sendable {
    /// The reCAPTCHA service.
    package struct Recaptcha: Sendable {
        /// `LATCHKEY_RECAPTCHA_SECRET`: of the same key as `LATCHKEY_RECAPTCHA_SITE_KEY`.
        package var secret: Secret<String>
        /// `LATCHKEY_RECAPTCHA_BASE_URL`.
        package var baseURL: String
        /// The maximum time of one verification. The client waits for it.
        package var totalTime = Duration.seconds(3)
    }

    /// `LATCHKEY_SMS_CHALLENGE_BITS`: the difficulty of the challenge. One bit more doubles the work.
    package var challengeBits: Int
    /// `LATCHKEY_SMS_CHECKS_PER_ADDRESS_PER_HOUR`; nil for no limit.
    package var checksPerAddress: Int?
    /// Nil without keys: the challenge of this service is the only one.
    package var recaptcha: Recaptcha?

    /// - Parameter isDev: no limit per address by default, because tests come from one address.
    package init(from reader: inout SettingsReader, isDev: Bool) {
        challengeBits = reader.integer(.smsChallengeBits, default: 20)
        let limit = reader.integer(.smsChecksPerAddressPerHour, default: isDev ? 0 : 300)
        checksPerAddress = limit == 0 ? nil : limit
        let baseURL = reader.url(
            .recaptchaBaseURL, default: "https://www.google.com", example: "https://www.recaptcha.net")
        let secret = reader.optionalSecret(.recaptchaSecret)
        if (secret == nil) != (reader.optionalString(.recaptchaSiteKey) == nil) {
            reader.addIssue(
                secret == nil ? .recaptchaSecret : .recaptchaSiteKey,
                "is not set, and the other half of the key is",
                remedy: "Set both LATCHKEY_RECAPTCHA_SITE_KEY and LATCHKEY_RECAPTCHA_SECRET, or neither")
        }
        recaptcha = secret.map { Recaptcha(secret: $0, baseURL: baseURL) }
    }
}
