/// One environment variable that an operator can set.
///
/// Settings are made in this module only, one constant each, in the files of `Catalogue`. A process reads the
/// environment through these constants, so it cannot read a variable that the catalogue does not have.
package struct Setting: Hashable, Sendable {
    /// What a value looks like.
    package enum Kind: Hashable, Sendable {
        /// Words of an own form, which `example` shows.
        case text
        /// `1`, `true`, `yes`, `on` or their opposites.
        case boolean
        case integer(ClosedRange<Int>)
        /// A whole number with its unit: `250ms`, `30s`, `15m`, `2h`, `7d`.
        case duration(maximumSeconds: Int)
        /// `HOST:PORT`.
        case address
        case url
        /// Values with commas between them.
        case list
        /// Of a file or a directory.
        case path
    }

    /// What counts when the variable is not set.
    package enum Default: Hashable, Sendable {
        /// Nothing: the setting has no effect then.
        case none
        /// The process behaves as if this text were set.
        case value(String)
        /// What no text can say, as the rest of the sentence "Default: …".
        case described(String)
    }

    /// Who sets it.
    package enum Audience: Hashable, Sendable {
        case `operator`
        /// An operator, in dev mode only.
        case development
        /// `latchkey up`, for the processes that it starts.
        case launcher
    }

    /// With the prefix `LATCHKEY_`.
    package let name: String
    package let kind: Kind
    /// The processes that read it. No other process receives it from `latchkey up`.
    package let readers: Set<SettingsProcess>
    /// The processes that do not start without it outside dev mode.
    package let requiredBy: Set<SettingsProcess>
    /// Never shown, and can be given as a file: see `fileName`.
    package let isSecret: Bool
    package let audience: Audience
    package let standard: Default
    /// The default in dev mode; nil when it is the same.
    package let devStandard: Default?
    /// A value for documents.
    package let example: String?
    /// Written into `deploy/env` without `#`.
    package let isSuggested: Bool
    /// What it is, without a full stop.
    package let sentence: String
    /// Further whole sentences for documents; empty when there are none.
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

    /// The variable that names a file with the value; nil for what is not secret.
    package var fileName: String? { isSecret ? name + "_FILE" : nil }

    /// Whether the file is read at the start in place of the variable. The master key has a setting for its file
    /// instead, because processes read that file again when it changes.
    package var isResolvedFromFile: Bool { isSecret && self != .masterKey }

    /// The variables that can give the value.
    package var names: [String] { [name] + (isResolvedFromFile ? [name + "_FILE"] : []) }
}
