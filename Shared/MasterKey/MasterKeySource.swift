package import ServiceRuntime
internal import Settings

/// Where the master keys of a process come from.
package enum MasterKeySource: Sendable {
    case file(String)
    /// The environment. This ring is the process's until its end.
    case variable(MasterKeyRing)

    /// For sentences: the path, or the name of the variable.
    package var name: String {
        switch self {
        case .file(let path): path
        case .variable: Setting.masterKey.name
        }
    }
}

/// What the operator said about the master key.
package struct MasterKeySettings: Sendable {
    private let file: String?
    private let ring: MasterKeyRing?

    /// Reads `LATCHKEY_MASTER_KEY_FILE` and `LATCHKEY_MASTER_KEY`; both at once are a fault.
    package init(from reader: inout SettingsReader) {
        file = reader.optionalString(.masterKeyFile)
        ring = reader.value(
            .masterKey, default: .some(nil), standIn: nil, expects: "one master key or several",
            example: "<8 hexadecimal digits>:<64 hexadecimal digits>", isSecret: true
        ) { text in
            // `try?`: the fault says what the variable should hold, which is all a reader of a secret may be told.
            (try? MasterKeyRing(text: text)).map(MasterKeyRing?.some)
        }
        if file != nil, ring != nil {
            reader.addIssue(
                .masterKey, "is set, and so is \(Setting.masterKeyFile.name)", remedy: "Remove one of them")
        }
    }

    /// - Parameter dataDirectory: where the file is when nothing was said.
    package func place(dataDirectory: String) -> MasterKeySource {
        ring.map(MasterKeySource.variable) ?? .file(file ?? dataDirectory + "/master.key")
    }
}
