package import ServiceRuntime
import Settings

/// The source of the master keys of a process.
package enum MasterKeySource: Sendable {
    case file(String)
    /// The environment. The process uses this ring until it ends.
    case variable(MasterKeyRing)

    /// For messages: the path, or the name of the variable.
    package var name: String {
        switch self {
        case .file(let path): path
        case .variable: Setting.masterKey.name
        }
    }
}

/// The master key settings of the operator.
package struct MasterKeySettings: Sendable {
    private let file: String?
    private let ring: MasterKeyRing?

    /// Reads `LATCHKEY_MASTER_KEY_FILE` and `LATCHKEY_MASTER_KEY`; setting both is an error.
    package init(from reader: inout SettingsReader) {
        file = reader.optionalString(.masterKeyFile)
        ring = reader.value(
            .masterKey, default: .some(nil), placeholder: nil, expects: "one master key or several",
            example: "<8 hexadecimal digits>:<64 hexadecimal digits>", isSecret: true
        ) { text in
            // `try?`: the error names the expected format only, because the value is a secret.
            (try? MasterKeyRing(text: text)).map(MasterKeyRing?.some)
        }
        if file != nil, ring != nil {
            reader.addIssue(
                .masterKey, "is set, and so is \(Setting.masterKeyFile.name)", remedy: "Remove one of them")
        }
    }

    /// - Parameter dataDirectory: the directory of the file if no setting names one.
    package func place(dataDirectory: String) -> MasterKeySource {
        ring.map(MasterKeySource.variable) ?? .file(file ?? dataDirectory + "/master.key")
    }
}
