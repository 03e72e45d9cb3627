import Foundation
import LatchkeyAuth

/// Reads and changes the configuration of a project (REST 5.1): ``AdminAuth/projectConfigManager()``.
public struct ProjectConfigManager: Sendable {
    let server: AdminServer

    /// The configuration.
    /// - Throws: as every call of ``AdminAuth``.
    public func projectConfig() async throws -> ProjectConfig {
        try await server.send(.get, "v2", ["config"], repetition: .always, as: ProjectConfig.self)
    }

    /// Changes the configuration. Arguments that are nil leave it as it is; a policy and regions replace the former ones.
    /// - Returns: the whole configuration after the change.
    /// - Throws: `invalidArgument`, which names the value; `operationNotAllowed`.
    @discardableResult
    public func updateProjectConfig(
        multiFactorConfig: MultiFactorConfig? = nil, passwordPolicyConfig: PasswordPolicyConfig? = nil,
        smsRegionConfig: SMSRegionConfig? = nil, emailPrivacyConfig: EmailPrivacyConfig? = nil,
        authorizedDomains: [String]? = nil
    ) async throws -> ProjectConfig {
        struct Request: Encodable {
            var mfa: MultiFactorConfig?
            var passwordPolicyConfig: PasswordPolicyConfig?
            var smsRegionConfig: SMSRegionConfig?
            var emailPrivacyConfig: EmailPrivacyConfig?
            var authorizedDomains: [String]?
        }
        var mask = multiFactorConfig?.mask(below: "mfa") ?? []
        if passwordPolicyConfig != nil { mask.append("passwordPolicyConfig") }
        if smsRegionConfig != nil { mask.append("smsRegionConfig") }
        if emailPrivacyConfig != nil { mask.append("emailPrivacyConfig") }
        if authorizedDomains != nil { mask.append("authorizedDomains") }
        // An empty mask would mean all fields.
        guard !mask.isEmpty else { return try await projectConfig() }
        return try await server.send(
            .patch, "v2", ["config"], query: [("updateMask", mask.joined(separator: ","))],
            body: Request(
                mfa: multiFactorConfig, passwordPolicyConfig: passwordPolicyConfig, smsRegionConfig: smsRegionConfig,
                emailPrivacyConfig: emailPrivacyConfig, authorizedDomains: authorizedDomains),
            repetition: .always, as: ProjectConfig.self)
    }
}
