/// One environment variable that an operator can set.
///
/// Settings are created in this module only, one constant each, in the files of `Catalogue`. A process reads the
/// environment through these constants, so it cannot read a variable that is not in the catalog.
package struct Setting: Hashable, Sendable {
    /// The format of a value.
    package enum Kind: Hashable, Sendable {
        /// Text in a specific format, which `example` shows.
        case text
        /// `1`, `true`, `yes`, `on` or their opposites.
        case boolean
        case integer(ClosedRange<Int>)
        /// A whole number with its unit: `250ms`, `30s`, `15m`, `2h`, `7d`.
        case duration(maximumSeconds: Int)
        /// `HOST:PORT`.
        case address
        case url
        /// Values separated by commas.
        case list
        /// The path of a file or a directory.
        case path
    }

    /// The behavior if the variable is not set.
    package enum Default: Hashable, Sendable {
        /// The setting has no effect.
        case none
        /// The process behaves as if this text were set.
        case value(String)
        /// A description, as the rest of the sentence "Default: …".
        case described(String)
    }

    /// The party that sets it.
    package enum Audience: Hashable, Sendable {
        case `operator`
        /// An operator, in dev mode only.
        case development
        /// `latchkey up`, for the processes that it starts.
        case launcher
    }

    /// Including the prefix `LATCHKEY_`.
    package let name: String
    package let kind: Kind
    /// The processes that read it. `latchkey up` passes it to no other process.
    package let readers: Set<SettingsProcess>
    /// The processes that require it outside dev mode.
    package let requiredBy: Set<SettingsProcess>
    /// Never shown, and may be set as a file: see `fileName`.
    package let isSecret: Bool
    package let audience: Audience
    package let standard: Default
    /// The default in dev mode; nil if it is the same.
    package let devStandard: Default?
    /// A value for documents.
    package let example: String?
    /// Written into `deploy/env` without `#`.
    package let isSuggested: Bool
    /// A description without a full stop.
    package let sentence: String
    /// Further whole sentences for the documents; empty if there are none.
    package let explanation: String

    init(
        _ name: String, _ kind: Kind, readBy readers: Set<SettingsProcess>, requiredBy: Set<SettingsProcess> = [],
        isSecret: Bool = false, audience: Audience = .operator, default standard: Default = .none,
        dev devStandard: Default? = nil, example: String? = nil, isSuggested: Bool = false, _ sentence: String,
        _ explanation: String = ""
    ) {
        self.name = name
        self.kind = kind
        self.readers = readers
        self.requiredBy = requiredBy
        self.isSecret = isSecret
        self.audience = audience
        self.standard = standard
        self.devStandard = devStandard
        self.example = example
        self.isSuggested = isSuggested
        self.sentence = sentence
        self.explanation = explanation
    }

    /// The variable that names a file with the value; nil if it is not a secret.
    package var fileName: String? { isSecret ? name + "_FILE" : nil }

    /// Whether the file is read once at the start. The master key has a separate setting for its file, because
    /// processes read that file again when it changes.
    package var isResolvedFromFile: Bool { isSecret && self != .masterKey }

    /// The variables that can set the value.
    package var names: [String] { [name] + (isResolvedFromFile ? [name + "_FILE"] : []) }
}
