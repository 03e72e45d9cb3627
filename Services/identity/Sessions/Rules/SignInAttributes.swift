import FoundationEssentials
import JSON

/// The claims of a provider that tokens contain as `firebase.sign_in_attributes` (tokens 2).
struct SignInAttributes: Equatable, Sendable {
    var members: [String: JSONValue]

    /// - Returns: nil for anything but an object.
    init?(_ value: JSONValue) {
        guard case .object(let members) = value else { return nil }
        self.members = members
    }

    /// - Returns: nil for text that is not a JSON object.
    init?(_ text: String) {
        // `try?`: the text comes from a provider.
        guard let value = try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)) else { return nil }
        self.init(value)
    }

    /// The text of the JSON object, with sorted names; nil if it cannot be encoded.
    var text: String? {
        // `try?`: values that were decoded can be encoded.
        (try? WireJSON.encodeSorted(JSONValue.object(members))).map { String(decoding: $0, as: UTF8.self) }
    }
}
