import Contracts
import JSON
import Vocabulary

/// The place of a value in a document of settings: `signIn.email.enabled`, or
/// `mfa.providerConfigs[totpProviderConfig].state` with an element of a list.
struct SettingPath: Equatable, Sendable, ExpressibleByStringLiteral {
    private enum Step: Equatable {
        case member(String)
        /// The first element that has this member. Without one, an element with an empty object there is added.
        case element(having: String)
        case firstElement
    }

    /// As it was written.
    let text: String
    private let steps: [Step]

    /// - Parameter value: members separated by dots. `[0]` behind one is the first element of its list, `[name]` the first
    ///   element that has a member of this name.
    init(stringLiteral value: String) { self.init(value) }

    init(_ text: String) {
        self.text = text
        steps = text.pieces(at: ".").flatMap { piece -> [Step] in
            let (name, selector) = piece.halves(at: "[")
            guard let selector else { return [.member(String(name))] }
            let element = selector.halves(at: "]").before
            return [.member(String(name)), element == "0" ? .firstElement : .element(having: String(element))]
        }
    }

    /// The member of the document.
    var root: String { String(text.halves(at: ".").before) }

    /// Without elements of lists.
    var members: [String] {
        steps.compactMap { step in
            switch step {
            case .member(let name): name
            case .element, .firstElement: nil
            }
        }
    }

    // MARK: Reading

    func value(in document: JSONValue) -> JSONValue? {
        steps.reduce(document as JSONValue?) { found, step in
            switch step {
            case .member(let name): found?[name]
            case .element(let name): found?.elements.first { $0[name] != nil }
            case .firstElement: found?.elements.first
            }
        }
    }

    // MARK: Changing

    /// The document with another value. Objects that become empty are removed with it.
    /// - Parameter value: nil: the setting has its default.
    func setting(_ value: JSONValue?, in document: JSONValue) -> JSONValue {
        Self.setting(value, at: steps[...], in: document) ?? .object([:])
    }

    private static func setting(
        _ value: JSONValue?, at steps: ArraySlice<Step>, in current: JSONValue?
    ) -> JSONValue? {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        switch step {
        case .member(let name):
            var members = current?.members ?? [:]
            members[name] = setting(value, at: rest, in: members[name])
            return members.isEmpty ? nil : .object(members)
        case .element(let name):
            let elements = current?.elements ?? []
            func changed(_ element: JSONValue) -> JSONValue {
                let members = setting(value, at: rest, in: element)?.members ?? [:]
                return .object([name: .object([:])].merging(members) { $1 })
            }
            guard elements.contains(where: { $0[name] != nil }) else {
                return value == nil ? current : .array(elements + [changed(.object([:]))])
            }
            var isFirst = true
            return .array(
                elements.map { element in
                    guard isFirst, element[name] != nil else { return element }
                    isFirst = false
                    return changed(element)
                })
        case .firstElement:
            let elements = current?.elements ?? []
            let all = [setting(value, at: rest, in: elements.first)].compactMap(\.self) + elements.dropFirst()
            return all.isEmpty ? nil : .array(all)
        }
    }

    // MARK: Field masks

    /// The path for a field mask that has the value: it ends at a list, a map or a choice, which a mask takes as a whole, and at
    /// what the document does not have.
    func mask(in schema: DocumentSchema, of document: JSONValue) -> String {
        var names: [String] = []
        var schema = schema
        var value: JSONValue? = document
        for step in steps {
            guard case .member(let name) = step, case .message(let fields) = schema, let field = fields[name],
                value != nil
            else { break }
            names.append(name)
            schema = field
            value = value?[name]
        }
        return names.joined(separator: ".")
    }

    /// Whether a value at the path of a document is the setting, a part of it, or contains it.
    func overlaps(_ path: [String]) -> Bool {
        zip(members, path).allSatisfy { $0 == $1 }
    }
}

extension JSONValue {
    /// Of a list; empty for other values.
    var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }
}
