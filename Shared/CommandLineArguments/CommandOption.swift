package import Settings

/// An option of a command, as declared: `--name`, `--name VALUE` or `-l VALUE`.
package struct CommandOption: Hashable, Sendable {
    /// The long name, without the two dashes.
    package let name: String
    /// The short name, without the dash.
    package let letter: Character?
    /// The value in help texts, for example `FILE`; nil for an option without a value.
    package let valueName: String?
    /// What the option does, as a phrase without a full stop.
    package let meaning: String
    package let canRepeat: Bool
    /// The setting that the option overrides. A flag sets it to `1`. The values of a repeatable option are joined with
    /// commas.
    package let setting: Setting?
    package let completion: ValueCompletion

    /// - Parameters:
    ///   - valueName: nil for an option without a value.
    ///   - setting: the setting that the option overrides.
    package init(
        _ name: String, letter: Character? = nil, value valueName: String? = nil, canRepeat: Bool = false,
        overrides setting: Setting? = nil, completion: ValueCompletion = .none, _ meaning: String
    ) {
        self.name = name
        self.letter = letter
        self.valueName = valueName
        self.meaning = meaning
        self.canRepeat = canRepeat
        self.setting = setting
        self.completion = completion
    }

    /// Every command has it, without a declaration.
    package static let help = CommandOption("help", letter: "h", "print the help of the command")

    /// See `EnvironmentFile`.
    package static let environmentFile = CommandOption(
        "env-file", value: "FILE", canRepeat: true, completion: .file,
        "read settings from a systemd environment file, which override the variables of the process")
}

/// The values that a shell can propose for an operand or for the value of an option.
package enum ValueCompletion: Hashable, Sendable {
    case none, file, directory
    /// A closed list. The parser refuses every other value.
    case words([String])
    /// Values that a shell proposes, and the parser does not check.
    case proposals([String])

    /// The words that a shell proposes.
    var words: [String] {
        switch self {
        case .none, .file, .directory: []
        case .words(let words), .proposals(let words): words
        }
    }
}

/// An operand of a command, as declared. Required operands come first, then optional ones; only the last can repeat.
package struct Operand: Hashable, Sendable {
    /// In capitals, as in help texts: `DIR`.
    package let name: String
    package let isOptional: Bool
    package let canRepeat: Bool
    package let completion: ValueCompletion
    /// What the operand is, as a phrase without a full stop.
    package let meaning: String

    package init(
        _ name: String, isOptional: Bool = false, canRepeat: Bool = false, completion: ValueCompletion = .none,
        _ meaning: String
    ) {
        self.name = name
        self.isOptional = isOptional
        self.canRepeat = canRepeat
        self.completion = completion
        self.meaning = meaning
    }
}
