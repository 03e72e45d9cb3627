package import ServiceRuntime
package import Vocabulary

/// What an operator sets of app verification.
package struct AppCheckSettings: Sendable {
    /// Who judges tokens of reCAPTCHA.
    package struct Recaptcha: Sendable {
        /// `LATCHKEY_RECAPTCHA_SECRET`: of the same key as `LATCHKEY_RECAPTCHA_SITE_KEY`.
        package var secret: Secret<String>
        /// `LATCHKEY_RECAPTCHA_BASE_URL`.
        package var baseURL: String
        /// For the whole of one question: whoever asks for a code waits for it.
        package var totalTime = Duration.seconds(3)

        package init(secret: Secret<String>, baseURL: String) {
            self.secret = secret
            self.baseURL = baseURL
        }
    }

    /// `LATCHKEY_SMS_CHALLENGE_BITS`: the work of our own challenge; one bit more is twice as much.
    package var challengeBits: Int
    /// `LATCHKEY_SMS_CHECKS_PER_ADDRESS_PER_HOUR`; nil for no limit.
    package var checksPerAddress: Int?
    /// Nil: without keys our own challenge is the only one.
    package var recaptcha: Recaptcha?

    /// - Parameter isDev: a run of tests comes from one address.
    package init(from reader: inout SettingsReader, isDev: Bool) {
        challengeBits = reader.integer("LATCHKEY_SMS_CHALLENGE_BITS", default: 20, in: 8...28)
        let limit = reader.integer(
            "LATCHKEY_SMS_CHECKS_PER_ADDRESS_PER_HOUR", default: isDev ? 0 : 300, in: 0...1_000_000)
        checksPerAddress = limit == 0 ? nil : limit
        let baseURL = reader.url(
            "LATCHKEY_RECAPTCHA_BASE_URL", default: "https://www.google.com", example: "https://www.recaptcha.net")
        let secret = reader.optionalSecret("LATCHKEY_RECAPTCHA_SECRET")
        if (secret == nil) != (reader.optionalString("LATCHKEY_RECAPTCHA_SITE_KEY") == nil) {
            reader.fault(
                secret == nil ? "LATCHKEY_RECAPTCHA_SECRET" : "LATCHKEY_RECAPTCHA_SITE_KEY",
                "is not set, and the other half of the key is",
                remedy: "Set both LATCHKEY_RECAPTCHA_SITE_KEY and LATCHKEY_RECAPTCHA_SECRET, or neither")
        }
        recaptcha = secret.map { Recaptcha(secret: $0, baseURL: baseURL) }
    }

    /// For `--help`.
    package static let help = [
        Program.Setting(
            "LATCHKEY_SMS_CHALLENGE_BITS", "work of the page that checks for an app, 8 to 28 bits (20)"),
        Program.Setting(
            "LATCHKEY_SMS_CHECKS_PER_ADDRESS_PER_HOUR", "pushes and finished pages; 0: no limit (300; dev: 0)"),
        Program.Setting("LATCHKEY_RECAPTCHA_SITE_KEY", "of reCAPTCHA v2, instead of that work; needs"),
        Program.Setting("LATCHKEY_RECAPTCHA_SECRET", "its secret"),
        Program.Setting("LATCHKEY_RECAPTCHA_BASE_URL", "who judges its tokens (https://www.google.com)"),
    ]
}
