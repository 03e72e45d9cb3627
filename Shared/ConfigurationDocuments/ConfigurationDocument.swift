package import Contracts
import FoundationEssentials
package import JSON
import Vocabulary

/// The project configuration that administrators read and change (REST 5.1).
package enum ConfigurationDocument {
    package static let schema = ProjectConfiguration.schema

    /// The response document: all set values and the server's output fields.
    package static func document(_ reply: Identity.ReadConfiguration.Reply) throws -> JSONValue {
        var configuration = reply.configuration
        configuration.mfa = responseForm(of: configuration.mfa ?? .init())
        configuration.emailPrivacyConfig = configuration.emailPrivacyConfig.map(responseForm)
        // Identity returns no password, and no document contains one.
        configuration.notification?.sendEmail?.smtp?.password = nil
        var members = try jsonValue(of: configuration).members ?? [:]
        members["name"] = .string("projects/\(reply.projectNumber)/config")
        members["subtype"] = .string("IDENTITY_PLATFORM")
        members["passwordPolicyConfig"] = members["passwordPolicyConfig"].map(withSchemaVersions)
        return .object(members)
    }

    /// Production returns a state for a project that never set one, and returns an interval of 0 as an empty object.
    package static func responseForm(of factors: ProjectConfiguration.MultiFactor) -> ProjectConfiguration.MultiFactor {
        var factors = factors
        factors.state = factors.state ?? .disabled
        factors.providerConfigs = factors.providerConfigs?.map { provider in
            var provider = provider
            if provider.totpProviderConfig?.adjacentIntervals == 0 {
                provider.totpProviderConfig?.adjacentIntervals = nil
            }
            return provider
        }
        return factors
    }

    /// Production omits the switch while it is off, and returns the object.
    package static func responseForm(
        of privacy: ProjectConfiguration.EmailPrivacy
    ) -> ProjectConfiguration.EmailPrivacy {
        var privacy = privacy
        privacy.enableImprovedEmailPrivacy = privacy.enableImprovedEmailPrivacy ?? true ? true : nil
        return privacy
    }

    /// An object without the switch is one that production returns while it is off. Stored without it by an earlier
    /// version, the switch is on.
    static func storedForm(
        of privacy: ProjectConfiguration.EmailPrivacy
    ) -> ProjectConfiguration.EmailPrivacy {
        var privacy = privacy
        privacy.enableImprovedEmailPrivacy = privacy.enableImprovedEmailPrivacy ?? false
        return privacy
    }

    /// The configuration after a change.
    /// - Throws: `DocumentError` for a mask with an unknown path.
    package static func applying(
        _ mask: FieldMask, of body: JSONValue, to configuration: ProjectConfiguration
    ) throws -> ProjectConfiguration {
        let changed = try schema.applying(mask, of: body, to: jsonValue(of: configuration))
        var result = try WireJSON.decode(ProjectConfiguration.self, from: WireJSON.encode(changed))
        // Production drops what does not say which provider it is about.
        result.mfa?.providerConfigs?.removeAll { !$0.configuresFactor }
        // Only what this change has set: other settings keep their meaning.
        if result.emailPrivacyConfig != configuration.emailPrivacyConfig {
            result.emailPrivacyConfig = result.emailPrivacyConfig.map(storedForm)
        }
        return result
    }

    package static func jsonValue(of configuration: some Encodable) throws -> JSONValue {
        try WireJSON.decode(JSONValue.self, from: WireJSON.encode(configuration))
    }

    /// Clients reject a policy whose version is not 1.
    package static func withSchemaVersions(_ policy: JSONValue) -> JSONValue {
        guard var members = policy.members, case .array(let versions)? = members["passwordPolicyVersions"] else {
            return policy
        }
        members["passwordPolicyVersions"] = .array(
            versions.map { .object(($0.members ?? [:]).merging(["schemaVersion": .integer(1)]) { $1 }) })
        return .object(members)
    }
}
