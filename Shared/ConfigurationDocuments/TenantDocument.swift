package import Contracts
package import JSON
package import Vocabulary

/// A tenant that administrators read and change (REST 5.2).
package enum TenantDocument {
    package static let schema = TenantConfiguration.schema

    /// The response document: all set values and the name.
    /// - Parameter includesID: the Firebase emulator repeats the ID of the name in a field.
    package static func document(
        _ tenant: Identity.Tenant, of project: ProjectID, includesID: Bool = false
    ) throws -> JSONValue {
        var configuration = tenant.configuration
        configuration.mfaConfig = configuration.mfaConfig.map(ConfigurationDocument.responseForm)
        configuration.emailPrivacyConfig = configuration.emailPrivacyConfig.map(ConfigurationDocument.responseForm)
        var members = try ConfigurationDocument.jsonValue(of: configuration).members ?? [:]
        members["name"] = .string("projects/\(project)/tenants/\(tenant.id)")
        if includesID { members["tenantId"] = .string(tenant.id.rawValue) }
        members["passwordPolicyConfig"] = members["passwordPolicyConfig"].map(
            ConfigurationDocument.withSchemaVersions)
        return .object(members)
    }

    /// The configuration after a change.
    /// - Throws: `DocumentError` for a mask with an unknown path.
    package static func applying(
        _ mask: FieldMask, of body: JSONValue, to configuration: TenantConfiguration
    ) throws -> TenantConfiguration {
        let changed = try schema.applying(mask, of: body, to: ConfigurationDocument.jsonValue(of: configuration))
        var result = try WireJSON.decode(TenantConfiguration.self, from: WireJSON.encode(changed))
        if result.emailPrivacyConfig != configuration.emailPrivacyConfig {
            result.emailPrivacyConfig = result.emailPrivacyConfig.map(ConfigurationDocument.storedForm)
        }
        return result
    }
}
