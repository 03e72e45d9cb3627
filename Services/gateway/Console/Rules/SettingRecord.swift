import JSON
import Vocabulary

/// An object of a list of settings as a line of a form: its members with blanks between them. A hyphen stands for a member
/// that it does not have.
struct SettingRecord: Sendable {
    struct Member: Sendable {
        enum Kind: Sendable {
            case text, number
            /// Texts with commas between them.
            case list
        }

        let name: String
        let kind: Kind

        init(_ name: String, _ kind: Kind = .text) {
            self.name = name
            self.kind = kind
        }
    }

    /// The first one names the object.
    let members: [Member]

    private static let absent = "-"

    init(_ members: [Member]) {
        self.members = members
    }

    func line(of object: JSONValue) -> String {
        let words = members.map { member -> String in
            let value = object[member.name]
            let text =
                switch member.kind {
                case .text, .number: value.map { SettingField.text(of: $0) } ?? ""
                case .list: (value?.elements ?? []).map { SettingField.text(of: $0) }.joined(separator: ",")
                }
            return text.isEmpty ? Self.absent : text
        }
        let count = words.lastIndex { $0 != Self.absent }.map { $0 + 1 } ?? 1
        return words.prefix(count).joined(separator: " ")
    }

    /// - Parameter stored: the objects of now. What an object has besides these members stays.
    /// - Returns: nil for a line of another form.
    func value(of line: String, among stored: [JSONValue]) -> JSONValue? {
        let words = line.pieces(at: " ").map(String.init)
        guard let name = members.first?.name, words.count <= members.count, words.first != Self.absent else {
            return nil
        }
        var changes: [(name: String, value: JSONValue?)] = []
        for (position, member) in members.enumerated() {
            let word = words.dropFirst(position).first.flatMap { $0 == Self.absent ? nil : $0 }
            guard let word else {
                changes.append((member.name, nil))
                continue
            }
            switch member.kind {
            case .text: changes.append((member.name, .string(word)))
            case .number:
                guard let number = Double(word), number.isFinite else { return nil }
                changes.append((member.name, .number(number)))
            case .list:
                changes.append((member.name, .array(word.pieces(at: ",").map { .string(String($0)) })))
            }
        }
        let identity = changes.first?.value
        var object = stored.first { $0[name] == identity }?.members ?? [:]
        for (name, value) in changes { object[name] = value }
        return .object(object)
    }
}
