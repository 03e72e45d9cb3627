internal import Contracts
internal import ServiceRuntime

/// Which variables of the operator reach which process: nobody is given a secret that is not theirs (security reference
/// SE3).
enum ChildEnvironment {
    /// Variables that are not ours and mean something to every process.
    private static let general: Set = [
        "GLIBC_TUNABLES", "HOME", "LANG", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX", "PATH", "SSL_CERT_DIR",
        "SSL_CERT_FILE", "SWIFT_BACKTRACE", "TMPDIR", "TZ", "XDG_RUNTIME_DIR",
    ]

    /// What is said of messages to telephones without being a secret of a provider.
    private static let sendingPolicyPrefixes = [
        "RESEND_", "PER_", "PRICES", "BUDGET_", "CONVERSION_", "NUMBER_",
    ].map { "LATCHKEY_SMS_" + $0 }
    /// Of mfa-sms, though they begin like those of the notifier.
    private static let verificationNames: Set = [
        "LATCHKEY_SMS_CHALLENGE_BITS", "LATCHKEY_SMS_CHECKS_PER_ADDRESS_PER_HOUR", "LATCHKEY_SMS_ORIGIN_DOMAIN",
    ]

    /// - Returns: what `service` may see of the launcher's environment.
    static func visible(to service: ServiceName, of environment: Environment) -> Environment {
        environment.filter { name in
            general.contains(name) || (name.hasPrefix("LATCHKEY_") && isVisible(name, to: service))
        }
    }

    private static func isVisible(_ name: String, to service: ServiceName) -> Bool {
        if name.hasSuffix("_DATABASE_URL") {
            return name == "LATCHKEY_DATABASE_URL" ? service.ownsData : name == service.databaseVariable
        }
        if name.hasPrefix("LATCHKEY_MASTER_KEY") { return service.ownsData }
        if name.hasPrefix("LATCHKEY_AUDIT_") || name == "LATCHKEY_PASSWORD_FILTER" { return service == .identity }
        if name == "LATCHKEY_API_KEY" || name == "LATCHKEY_DEV_SERVICE_ACCOUNTS" { return service == .identity }
        if sendingPolicyPrefixes.contains(where: name.hasPrefix) { return service == .mfaSMS || service == .notifier }
        if name == "LATCHKEY_RECAPTCHA_SITE_KEY" { return service == .mfaSMS || service == .gateway }
        if name.hasPrefix("LATCHKEY_RECAPTCHA_") || verificationNames.contains(name) { return service == .mfaSMS }
        let senderPrefixes = ["SMTP_", "EMAIL_", "NOTIFIER_", "SMS_", "TWILIO_", "VONAGE_", "APNS_"].map {
            "LATCHKEY_" + $0
        }
        return senderPrefixes.contains(where: name.hasPrefix) ? service == .notifier : true
    }
}
