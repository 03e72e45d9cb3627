import FoundationEssentials
import JSON

/// JSON over several lines, for documents that people read and change. Members are sorted.
enum IndentedJSON {
    static func text(_ value: JSONValue) -> String {
        lines(value, indent: "").joined(separator: "\n")
    }

    private static func lines(_ value: JSONValue, indent: String) -> [String] {
        let inner = indent + "  "
        switch value {
        case .object(let members) where !members.isEmpty:
            let entries = members.sorted { $0.key < $1.key }.map { name, value in
                prefixed(inner + text(.string(name)) + ": ", lines(value, indent: inner))
            }
            return ["{"] + separated(entries) + [indent + "}"]
        case .array(let values) where !values.isEmpty:
            return ["["] + separated(values.map { prefixed(inner, lines($0, indent: inner)) }) + [indent + "]"]
        case .null, .bool, .integer, .number, .string, .array, .object:
            // `try?`: a number that JSON cannot hold is not in a decoded document.
            return [(try? WireJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"]
        }
    }

    private static func prefixed(_ prefix: String, _ lines: [String]) -> [String] {
        [prefix + (lines.first ?? "")] + lines.dropFirst()
    }

    /// With a comma after the last line of every entry but the last.
    private static func separated(_ entries: [[String]]) -> [String] {
        entries.enumerated().flatMap { position, lines in
            position == entries.count - 1 ? lines : Array(lines.dropLast()) + [(lines.last ?? "") + ","]
        }
    }
}
