package import Contracts
package import JSON
import Vocabulary

/// The relying party under the names of Google's libraries: another view of `passkeyConfig` in the document of a project
/// or tenant, which has more fields.
package enum PasskeyDocument {
    /// - Parameter name: of the resource.
    package static func document(_ passkeys: ProjectConfiguration.Passkeys?, name: String) -> JSONValue {
        var members = members(of: passkeys)
        members["name"] = .string(name)
        return .object(members)
    }

    /// The settings after a change.
    /// - Throws: `DocumentError` for a mask with an unknown path.
    package static func applying(
        _ mask: FieldMask, of body: JSONValue, to passkeys: ProjectConfiguration.Passkeys?
    ) throws(DocumentError) -> ProjectConfiguration.Passkeys {
        let changed = try schema.applying(mask, of: body, to: .object(members(of: passkeys)))
        var result = passkeys ?? .init()
        result.relyingPartyId = nil
        if case .string(let id)? = changed["rpId"] { result.relyingPartyId = id }
        result.origins = nil
        if case .array(let origins)? = changed["expectedOrigins"] {
            result.origins = origins.compactMap { origin in
                if case .string(let text) = origin { text } else { nil }
            }
        }
        return result
    }

    package static let schema = DocumentSchema.message([
        "name": .output, "rpId": .string, "expectedOrigins": .list(.string),
    ])

    private static func members(of passkeys: ProjectConfiguration.Passkeys?) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members["rpId"] = (passkeys?.relyingPartyId).map(JSONValue.string)
        members["expectedOrigins"] = passkeys?.origins.map { .array($0.map(JSONValue.string)) }
        return members
    }
}
