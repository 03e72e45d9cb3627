package import ServiceRuntime

/// Where the master keys of a process come from.
package enum MasterKeyPlace: Sendable {
    case file(String)
    /// The environment. This ring is the process's until its end.
    case variable(MasterKeyRing)

    package static let variableName = "LATCHKEY_MASTER_KEY"
    package static let fileVariableName = "LATCHKEY_MASTER_KEY_FILE"

    /// For sentences: the path, or the name of the variable.
    package var name: String {
        switch self {
        case .file(let path): path
        case .variable: Self.variableName
        }
    }

    /// What `--help` says.
    package static let help = [
        Program.Setting(fileVariableName, "file of the master key (default: master.key in LATCHKEY_DATA)"),
        Program.Setting(variableName, "the master key itself, instead of a file"),
    ]
}

/// What the operator said about the master key.
package struct MasterKeySettings: Sendable {
    private let file: String?
    private let ring: MasterKeyRing?

    /// Reads `LATCHKEY_MASTER_KEY_FILE` and `LATCHKEY_MASTER_KEY`; both at once are a fault.
    package init(from reader: inout SettingsReader) {
        file = reader.optionalString(MasterKeyPlace.fileVariableName)
        ring = reader.value(
            MasterKeyPlace.variableName, default: .some(nil), standIn: nil, expects: "one master key or several",
            example: "<8 hexadecimal digits>:<64 hexadecimal digits>", isSecret: true
        ) { text in
            // `try?`: the fault says what the variable should hold, which is all a reader of a secret may be told.
            (try? MasterKeyRing(text: text)).map(MasterKeyRing?.some)
        }
        if file != nil, ring != nil {
            reader.fault(
                MasterKeyPlace.variableName, "is set, and so is \(MasterKeyPlace.fileVariableName)",
                remedy: "Remove one of them")
        }
    }

    /// - Parameter dataDirectory: where the file is when nothing was said.
    package func place(dataDirectory: String) -> MasterKeyPlace {
        ring.map(MasterKeyPlace.variable) ?? .file(file ?? dataDirectory + "/master.key")
    }
}
