import Contracts
import Foundation
import Testing

/// Expects that a value encodes as the given JSON, with members sorted by name, and decodes from it. Other processes,
/// possibly of another version or language, use this JSON: members may be added, but not changed.
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
