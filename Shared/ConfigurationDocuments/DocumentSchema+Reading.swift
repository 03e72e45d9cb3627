package import Contracts
package import JSON
import Vocabulary

/// Reads a body, with the tolerance of the wire, into one canonical form, and defines the valid paths of a field mask
/// (REST 1.4 and 5.1).
extension DocumentSchema {
    /// The canonical form: camel-case names, enums by name, numbers as numbers, without `null` and without output
    /// fields.
    /// - Throws: one error with every violation; field paths begin with `root`.
    package func read(_ value: JSONValue, root: String) throws(DocumentError) -> JSONValue {
        var violations: [DocumentError.FieldViolation] = []
        let result = canonical(value, at: root, &violations)
        guard let first = violations.first else { return result ?? .object([:]) }
        throw DocumentError(first.description, Array(violations.prefix(Self.maximumViolations)))
    }

    /// In one response.
    private static let maximumViolations = 20

    private func canonical(
        _ value: JSONValue, at path: String, _ violations: inout [DocumentError.FieldViolation]
    ) -> JSONValue? {
        func refuse(_ type: String) -> JSONValue? {
            violations.append(.init(field: path, description: "Invalid value at '\(path)' (\(type))"))
            return nil
        }
        switch (self, value) {
        case (_, .null), (.output, _): return nil
        case (.string, .string), (.boolean, .bool), (.number, .number), (.integer, .integer): return value
        case (.string, _): return refuse("TYPE_STRING")
        case (.boolean, _): return refuse("TYPE_BOOL")
        case (.number, .integer(let number)): return .number(Double(number))
        case (.number, _): return refuse("TYPE_DOUBLE")
        case (.integer, .string(let text)): return Int64(text).map(JSONValue.integer) ?? refuse("TYPE_INT32")
        case (.integer, _): return refuse("TYPE_INT32")
        case (.integerText, .integer(let number)): return .string(String(number))
        case (.integerText, .string(let text)): return Int64(text) == nil ? refuse("TYPE_INT64") : value
        case (.integerText, _): return refuse("TYPE_INT64")
        case (.enumeration(let unset, let names), _):
            guard let index = Self.index(of: value, unset: unset, names) else { return refuse("TYPE_ENUM") }
            return index == 0 ? nil : .string(names[index - 1])
        case (.list(let element), .array(let values)):
            return .array(
                values.enumerated().compactMap { element.canonical($1, at: "\(path)[\($0)]", &violations) })
        case (.list, _): return refuse("TYPE_LIST")
        case (.map(let element), .object(let members)):
            return .object(
                members.reduce(into: [:]) { result, member in
                    result[member.key] = element.canonical(member.value, at: "\(path)[\(member.key)]", &violations)
                })
        case (.message(let fields), .object(let members)), (.oneOf(let fields), .object(let members)):
            return .object(read(members, fields, at: path, &violations))
        case (.map, _), (.message, _), (.oneOf, _): return refuse("TYPE_MESSAGE")
        }
    }

    private func read(
        _ members: [String: JSONValue], _ fields: [String: DocumentSchema], at path: String,
        _ violations: inout [DocumentError.FieldViolation]
    ) -> [String: JSONValue] {
        var result: [String: JSONValue] = [:]
        var seen: Set<String> = []
        for (written, value) in members.sorted(by: { $0.key < $1.key }) {
            let name = Self.camelCase(written)
            guard let field = fields[name], seen.insert(name).inserted else {
                violations.append(
                    .init(
                        field: path,
                        description: "Invalid JSON payload received. Unknown name \"\(written.prefix(64))\" at"
                            + " '\(path)': Cannot find field."))
                continue
            }
            result[name] = field.canonical(value, at: "\(path).\(name)", &violations)
        }
        return result
    }

    /// The number of an enum value in any of its encodings.
    private static func index(of value: JSONValue, unset: String, _ names: [String]) -> Int? {
        let text: String
        switch value {
        case .integer(let number): text = String(number)
        case .string(let word): text = word
        case .null, .bool, .number, .array, .object: return nil
        }
        if text == unset { return 0 }
        if let index = names.firstIndex(of: text) { return index + 1 }
        return Int(text).flatMap { (0...names.count).contains($0) ? $0 : nil }
    }

    /// `enable_improved_email_privacy` → `enableImprovedEmailPrivacy`; camel case is unchanged.
    static func camelCase(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
        var camel: [UInt8] = []
        var follows = false
        for byte in name.utf8 {
            if byte == UInt8(ascii: "_") {
                follows = !camel.isEmpty
            } else {
                camel.append(follows && (0x61...0x7a).contains(byte) ? byte & ~0x20 : byte)
                follows = false
            }
        }
        return String(decoding: camel, as: UTF8.self)
    }
}

// MARK: - Paths

extension DocumentSchema {
    /// The schema of a field.
    /// - Parameter path: names in camel case; empty for the document itself. A name behind a map is one of its keys.
    /// - Returns: nil for a path that no document has. No path leads into a list.
    package func field(at path: some Collection<String>) -> DocumentSchema? {
        guard let name = path.first else { return self }
        switch self {
        case .message(let fields), .oneOf(let fields): return fields[name]?.field(at: path.dropFirst())
        case .map(let element): return element.field(at: path.dropFirst())
        case .string, .boolean, .integer, .number, .integerText, .enumeration, .list, .output: return nil
        }
    }
}

// MARK: - Changing

extension DocumentSchema {
    /// The document after a change. Every path of the mask gets its value from `incoming`, or is removed if absent
    /// there. All other values and the output fields are kept. Both documents are canonical.
    package func applying(_ mask: FieldMask, of incoming: JSONValue, to current: JSONValue) throws(DocumentError)
        -> JSONValue
    {
        var result = current
        let paths = mask.paths.isEmpty ? leaves(of: incoming) : mask.paths
        for path in paths {
            do throws(UnknownFieldError) {
                result = try change(result, incoming, path[...]) ?? .object([:])
            } catch {
                let description = "There is no field '\(path.joined(separator: ".").prefix(128))' to change."
                throw DocumentError(
                    "Invalid field mask.", [.init(field: "updateMask", description: description)])
            }
        }
        return result
    }

    private struct UnknownFieldError: Error {}

    /// The fields of a message.
    private var fields: [String: DocumentSchema]? {
        switch self {
        case .message(let fields), .oneOf(let fields): fields
        case .string, .boolean, .integer, .number, .integerText, .enumeration, .list, .map, .output: nil
        }
    }

    /// Lists and maps are replaced as a whole: no path leads into them.
    private func change(
        _ current: JSONValue?, _ incoming: JSONValue?, _ path: ArraySlice<String>
    ) throws(UnknownFieldError) -> JSONValue? {
        guard let name = path.first else { return replacing(current, with: incoming) }
        guard let field = fields?[name] else { throw UnknownFieldError() }
        var members = current?.members ?? [:]
        if case .oneOf = self {
            // The last path that has a value wins. A path without one clears its own field.
            guard incoming?[name] != nil else {
                members[name] = nil
                return .object(members)
            }
            members = members.filter { $0.key == name }
        }
        members[name] = try field.change(members[name], incoming?[name], path.dropFirst())
        return .object(members)
    }

    /// The complete new value, with the current output fields.
    private func replacing(_ current: JSONValue?, with incoming: JSONValue?) -> JSONValue? {
        switch self {
        case .output:
            return current
        case .string, .boolean, .integer, .number, .integerText, .enumeration, .list:
            return incoming
        case .map(let element):
            guard let entries = incoming?.members else { return nil }
            return .object(
                entries.reduce(into: [:]) { $0[$1.key] = element.replacing(current?[$1.key], with: $1.value) })
        case .message(let fields), .oneOf(let fields):
            let members = fields.reduce(into: [String: JSONValue]()) { members, field in
                members[field.key] = field.value.replacing(current?[field.key], with: incoming?[field.key])
            }
            return incoming == nil && members.isEmpty ? nil : .object(members)
        }
    }

    /// The paths of all values in a document, lists and maps as a whole. An empty mask selects these paths.
    private func leaves(of document: JSONValue) -> [[String]] {
        guard let fields, let members = document.members else { return [[]] }
        return members.keys.sorted().flatMap { name in
            (fields[name]?.leaves(of: members[name] ?? .null) ?? []).map { [name] + $0 }
        }
    }
}
