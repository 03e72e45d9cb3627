import Contracts
import JSON
import Pages
import Vocabulary

/// The settings of a project, or of a tenant, which has fewer and under other names.
enum SettingsOwner: Sendable, CaseIterable {
    case project, tenant

    var schema: DocumentSchema {
        switch self {
        case .project: Self.projectSchema
        case .tenant: Self.tenantSchema
        }
    }

    private static let projectSchema = ProjectConfiguration.schema
    private static let tenantSchema = TenantConfiguration.schema
}

/// One setting that the console shows and changes: where it is in the documents, how a form shows it, and what holds without
/// it. `SettingArea` lists every one.
struct SettingField: Sendable {
    /// The words for the values of a choice.
    enum Word: String, Sendable, CaseIterable { case on, off, optional, mandatory, light, dark, both, audit, enforce }

    enum Kind: Sendable {
        case choice([(word: Word, value: JSONValue)])
        case number
        case text
        case longText
        /// A list, one value in each line.
        case lines
        /// A map, one name and its value in each line.
        case pairs
        /// A map, one name and the text behind it in each line.
        case sentences
        /// A list of objects, one in each line with blanks between its members.
        case records([SettingRecord.Member])
        /// A text that is written and never shown. Empty, it stays as it is.
        case secret(isLong: Bool)
        /// A choice of `off`, `optional` and `mandatory`, of two members of an object: `state` and `enabledProviders`.
        case messageFactor
    }

    /// What holds without the setting.
    enum Standard: Equatable, Sendable {
        case word(Word)
        case number(Int)
        /// What the hint says, or nothing.
        case none
    }

    /// What a tenant without the setting has.
    enum Inheritance: Sendable {
        /// The standard.
        case none
        /// The setting of the project, if the tenant has none of the same object of the document.
        case ofArea
        /// The setting of the project.
        case ofMember
    }

    /// The name in forms.
    let id: String
    let kind: Kind
    var project: SettingPath?
    var tenant: SettingPath?
    var standard: Standard
    var inheritance: Inheritance
    let texts: @Sendable (PageTexts.Settings) -> PageTexts.Settings.Setting

    func path(of owner: SettingsOwner) -> SettingPath? {
        switch owner {
        case .project: project
        case .tenant: tenant
        }
    }
}

/// A text that stands for no setting: a line, or what a field had.
struct InvalidSettingText: Error, Equatable {
    var field: String
    var text: String
}

extension SettingField {
    /// What a form sends for a choice without a value.
    static let unset = ""

    // MARK: Reading

    /// The text of the field in a form.
    func text(in document: JSONValue, of owner: SettingsOwner) -> String {
        guard let path = path(of: owner), let value = path.value(in: document) else {
            if case .messageFactor = kind { return Word.off.rawValue }
            return Self.unset
        }
        switch kind {
        case .choice(let options): return options.first { $0.value == value }?.word.rawValue ?? Self.unset
        case .number, .text, .longText: return Self.text(of: value)
        case .secret: return Self.unset
        case .lines: return value.elements.map(Self.text).joined(separator: "\n")
        case .pairs, .sentences:
            return (value.members ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) \(Self.text(of: $0.value))" }
                .joined(separator: "\n")
        case .records(let members):
            return value.elements.map { SettingRecord(members).line(of: $0) }.joined(separator: "\n")
        case .messageFactor:
            guard value["enabledProviders"]?.elements.contains(Self.messages) == true else { return Word.off.rawValue }
            return Self.factorStates.first { $0.value == value["state"] }?.word.rawValue ?? Word.off.rawValue
        }
    }

    static func text(of value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): "\(number)"
        case .bool(let isOn): isOn ? Word.on.rawValue : Word.off.rawValue
        case .null, .array, .object: ""
        }
    }

    private static let messages = JSONValue.string(ProjectConfiguration.MultiFactor.Provider.phoneSMS.rawValue)

    static let factorStates: [(word: Word, value: JSONValue)] = {
        typealias State = ProjectConfiguration.MultiFactor.State
        return [(Word.off, State.disabled), (.optional, .enabled), (.mandatory, .mandatory)].map { word, state in
            (word, .string(state.rawValue))
        }
    }()

    /// Whether a document of a tenant without the setting has that of the project.
    func isInherited(in document: JSONValue) -> Bool {
        switch inheritance {
        case .none: false
        case .ofArea: tenant.flatMap { document[$0.root] } == nil
        case .ofMember: true
        }
    }

    // MARK: Changing

    /// The document with the setting that a form has.
    /// - Throws: `InvalidSettingText`.
    func applying(
        _ text: String, to document: JSONValue, of owner: SettingsOwner
    ) throws(InvalidSettingText) -> JSONValue {
        guard let path = path(of: owner) else { return document }
        guard case .messageFactor = kind else {
            return path.setting(try value(of: text, replacing: path.value(in: document)), in: document)
        }
        guard let state = Self.factorStates.first(where: { $0.word.rawValue == text }) else {
            throw InvalidSettingText(field: id, text: text)
        }
        var members = path.value(in: document)?.members ?? [:]
        members["state"] = state.value
        members["enabledProviders"] = .array(state.word == .off ? [] : [Self.messages])
        return path.setting(.object(members), in: document)
    }

    /// - Parameter current: what the document has.
    /// - Returns: nil for the default.
    private func value(of text: String, replacing current: JSONValue?) throws(InvalidSettingText) -> JSONValue? {
        guard text != Self.unset else { return nil }
        switch kind {
        case .choice(let options):
            guard let option = options.first(where: { $0.word.rawValue == text }) else {
                throw InvalidSettingText(field: id, text: text)
            }
            return option.value
        case .number:
            guard let number = Int64(text) else { throw InvalidSettingText(field: id, text: text) }
            return .integer(number)
        case .text, .longText, .secret: return .string(text)
        case .lines: return .array(Self.lines(of: text).map(JSONValue.string))
        case .pairs, .sentences:
            let isSentence = if case .sentences = kind { true } else { false }
            var pairs: [String: JSONValue] = [:]
            for line in Self.lines(of: text) {
                let (name, value) = line.halves(at: " ")
                guard let value, isSentence || !value.utf8.contains(UInt8(ascii: " ")) else {
                    throw InvalidSettingText(field: id, text: line)
                }
                pairs[String(name)] = .string(String(value))
            }
            return .object(pairs)
        case .records(let members):
            let (record, stored) = (SettingRecord(members), current?.elements ?? [])
            return .array(
                try Self.lines(of: text).map { line throws(InvalidSettingText) in
                    guard let value = record.value(of: line, among: stored) else {
                        throw InvalidSettingText(field: id, text: line)
                    }
                    return value
                })
        case .messageFactor: return nil
        }
    }

    /// The paths of a field mask for a change.
    func masks(of owner: SettingsOwner, changed document: JSONValue) -> [String] {
        guard let path = path(of: owner) else { return [] }
        let mask = path.mask(in: owner.schema, of: document)
        guard case .messageFactor = kind else { return [mask] }
        return ["\(mask).state", "\(mask).enabledProviders"]
    }

    // MARK: Lines

    /// The text of a form: browsers end lines with CR and LF.
    func normalized(_ text: String) -> String {
        switch kind {
        case .lines, .pairs, .sentences, .records: Self.lines(of: text).joined(separator: "\n")
        case .longText, .secret: text.pieces(at: "\r").joined()
        case .choice, .number, .text, .messageFactor: text
        }
    }

    /// Without blanks at the ends, and without empty ones.
    static func lines(of text: String) -> [String] {
        text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { line in
            line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
                .joined(separator: " ")
        }.filter { !$0.isEmpty }
    }
}
