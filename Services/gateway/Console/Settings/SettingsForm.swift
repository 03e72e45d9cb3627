import Contracts
import JSON

/// What a form of settings asks for.
struct SettingsForm: Sendable {
    let subject: SettingSubject
    let stored: StoredSettings
    /// The texts by the ids of the fields.
    private(set) var texts: [String: String] = [:]

    var fields: [SettingField] { subject.fields(of: stored.owner) }

    /// The settings as they are.
    init(_ subject: SettingSubject, _ stored: StoredSettings) {
        self.subject = subject
        self.stored = stored
        for field in fields { texts[field.id] = field.text(in: stored.document, of: stored.owner) }
    }

    /// The fields of a form. Other fields have no effect, and one that is missing keeps its setting.
    init(_ subject: SettingSubject, _ stored: StoredSettings, _ form: [String: String]) {
        self.init(subject, stored)
        for field in fields { texts[field.id] = form[field.id].map(field.normalized) ?? texts[field.id] }
    }

    func text(of field: SettingField) -> String { texts[field.id] ?? SettingField.unset }

    /// The fields in which the form differs from what is stored.
    var changed: [SettingField] {
        fields.filter { text(of: $0) != $0.text(in: stored.document, of: stored.owner) }
    }

    /// The document after the change, and the paths that it changes.
    /// - Throws: `InvalidSettingText`.
    func change() throws(InvalidSettingText) -> (document: JSONValue, masks: [String]) {
        var document = stored.document
        for field in changed { document = try field.applying(text(of: field), to: document, of: stored.owner) }
        return (document, changed.flatMap { $0.masks(of: stored.owner, changed: document) })
    }
}
