import Foundation
import JSON
import Testing

/// Expects a value to encode as the given JSON, with members sorted by name, and to decode from it. Other processes,
/// perhaps of another version or language, send and expect this JSON: members may be added, not changed.
func expect<Value: Codable>(
    _ value: Value, is json: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try sorted(value) == json, sourceLocation: sourceLocation)
    let read = try WireJSON.decode(Value.self, from: Data(json.utf8))
    #expect(try sorted(read) == json, "read and written again", sourceLocation: sourceLocation)
}

private func sorted(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
