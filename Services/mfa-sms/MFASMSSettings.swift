import Contracts
package import MasterKey
package import ServiceRuntime
package import Storage

/// What mfa-sms reads from its environment.
package struct MFASMSSettings: Sendable {
    package var common: CommonSettings
    package var storage: StorageSettings
    package var masterKey: MasterKeyPlace
    /// The host that codes are for, where a project has no domain of its own.
    package var originDomain: String?

    /// - Throws: every missing or malformed setting.
    package init(_ environment: Environment) throws(SettingsFaults) {
        var reader = SettingsReader(environment)
        common = CommonSettings(.mfaSMS, from: &reader)
        storage = StorageSettings(.mfaSMS, from: &reader, dataDirectory: common.dataDirectory)
        masterKey = MasterKeySettings(from: &reader).place(dataDirectory: common.dataDirectory)
        originDomain = reader.value(
            "LATCHKEY_SMS_ORIGIN_DOMAIN", default: .some(nil), standIn: nil, expects: "a host name",
            example: "app.example.com", parse: Self.hostName)
        try reader.finish()
    }

    /// Labels of letters, digits and hyphens, at least two of them.
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

    package static let help =
        StorageSettings.help(.mfaSMS) + MasterKeyPlace.help + [
            Program.Setting(
                "LATCHKEY_SMS_ORIGIN_DOMAIN", "site that codes are for where the project has no authorized domain")
        ]
}
