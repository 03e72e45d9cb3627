import Contracts
import JSON

/// A value that two documents of settings have differently. Lists, maps and choices count as a whole, as in a field mask.
struct SettingDifference: Equatable, Sendable {
    var path: [String]
    var before: JSONValue?
    var after: JSONValue?

    /// For a field mask.
    var mask: String { path.joined(separator: ".") }
}

extension DocumentSchema {
    /// What differs, in the order of the paths. What the server sets does not count.
    func differences(
        from before: JSONValue?, to after: JSONValue?, at path: [String] = []
    ) -> [SettingDifference] {
        switch self {
        case .output: return []
        case .message(let fields):
            return fields.sorted { $0.key < $1.key }.flatMap { name, field in
                field.differences(from: before?[name], to: after?[name], at: path + [name])
            }
        case .string, .boolean, .integer, .number, .integerText, .enumeration, .list, .map, .oneOf:
            let (before, after) = (before.nilIfEmpty, after.nilIfEmpty)
            return before == after ? [] : [.init(path: path, before: before, after: after)]
        }
    }
}

extension JSONValue? {
    /// A map or a choice without members says nothing.
    fileprivate var nilIfEmpty: JSONValue? { self == .object([:]) ? nil : self }
}

/// A setting that two documents have differently, as texts of its form.
struct SettingChange: Sendable {
    /// Nil for a setting that no form has.
    var field: SettingField?
    /// Of a field whose name does not say what it is about.
    var subject: SettingSubject?
    /// The path in the document.
    var path: String
    var before: String
    var after: String
}

extension SettingsOwner {
    /// What differs between two documents: the fields of forms, then the rest by its path.
    func changes(from before: JSONValue, to after: JSONValue) -> [SettingChange] {
        let changed = SettingSubject.all(of: self).flatMap { subject in
            subject.fields(of: self).compactMap { field -> SettingChange? in
                let (old, new) = (field.text(in: before, of: self), field.text(in: after, of: self))
                guard old != new, let path = field.path(of: self) else { return nil }
                return .init(
                    field: field, subject: subject.isArea ? nil : subject, path: path.text, before: old, after: new)
            }
        }
        let rest = schema.differences(from: before, to: after).filter { difference in
            !changed.contains { $0.field?.path(of: self)?.overlaps(difference.path) == true }
        }
        return changed
            + rest.map { .init(path: $0.mask, before: Self.text(of: $0.before), after: Self.text(of: $0.after)) }
    }

    private static func text(of value: JSONValue?) -> String {
        switch value {
        case nil, .null?: return ""
        case .string(let text)?: return text
        case .bool(let isOn)?: return String(isOn)
        case .integer(let number)?: return String(number)
        case .number(let number)?: return String(number)
        case .array(let elements)?: return elements.map { text(of: $0) }.joined(separator: "\n")
        case .object(let members)?:
            return members.sorted { $0.key < $1.key }.map { "\($0.key): \(text(of: $0.value))" }
                .joined(separator: "\n")
        }
    }
}
