import Foundation
import LatchkeyAuth

/// Claims of the application: of an account, which are sent as text, or of a custom token.
struct CustomClaims: Encodable, Sendable {
    private let members: [String: JSONObject.Value]

    /// - Parameter object: `String`, numbers, `Bool`, `NSNull`, arrays and dictionaries of these.
    /// - Throws: `AdminError.invalidClaims` for any other value.
    init(_ object: [String: any Sendable]) throws(AdminError) {
        // `try?`: the error below is for any other value.
        guard JSONSerialization.isValidJSONObject(object),
            let data = try? JSONSerialization.data(withJSONObject: object),
            let members = try? JSONDecoder().decode([String: JSONObject.Value].self, from: data)
        else { throw AdminError(.invalidClaims, "The claims are not JSON.") }
        self.members = members
    }

    /// With sorted names.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(members), as: UTF8.self)
    }

    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}
