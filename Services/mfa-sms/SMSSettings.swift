import Contracts
package import DatabaseService
package import ServiceRuntime
import Settings

/// The settings of mfa-sms.
package struct SMSSettings: Sendable {
    package var common: DatabaseServiceSettings
    /// The host that codes are bound to if a project has no domain of its own.
    package var originDomain: String?
    package var policy: SendingPolicy
    package var appVerification: AppVerificationSettings

    /// - Throws: one error with every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(environment, of: .service(.mfaSMS))
        common = DatabaseServiceSettings(.mfaSMS, from: &reader)
        originDomain = reader.value(
            .smsOriginDomain, default: .some(nil), placeholder: nil, expects: "a host name",
            example: "app.example.com", parse: Self.hostName)
        policy = SendingPolicy(from: &reader, isDev: common.process.isDev)
        appVerification = AppVerificationSettings(from: &reader, isDev: common.process.isDev)
        try reader.finish()
    }

    /// At least two labels of letters, digits and hyphens.
    private static func hostName(_ text: String) -> String?? {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isName =
            text.utf8.count <= 253 && labels.count > 1
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            }
        return isName ? .some(text) : nil
    }
}
