/// The configuration of a project, as far as this library knows it.
public struct ProjectConfig: Sendable {
    /// The second factors.
    public let multiFactorConfig: MultiFactorConfig
    /// The requirements for passwords; nil if none are set.
    public let passwordPolicyConfig: PasswordPolicyConfig?
    /// The regions to which SMS are sent; nil for all.
    public let smsRegionConfig: SMSRegionConfig?
    /// Whether responses hide which e-mail addresses have accounts.
    public let emailPrivacyConfig: EmailPrivacyConfig?
    /// The domains of continue URLs and of sign-in pages.
    public let authorizedDomains: [String]
}

extension ProjectConfig: Decodable {
    private enum CodingKeys: String, CodingKey {
        case passwordPolicyConfig, smsRegionConfig, emailPrivacyConfig, authorizedDomains
        case multiFactorConfig = "mfa"
    }

    /// Reads the document of the server (REST 5.1).
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        multiFactorConfig =
            try members.decodeIfPresent(MultiFactorConfig.self, forKey: .multiFactorConfig)
            ?? MultiFactorConfig(state: .disabled)
        passwordPolicyConfig = try members.decodeIfPresent(PasswordPolicyConfig.self, forKey: .passwordPolicyConfig)
        smsRegionConfig = try members.decodeIfPresent(SMSRegionConfig.self, forKey: .smsRegionConfig)
        emailPrivacyConfig = try members.decodeIfPresent(EmailPrivacyConfig.self, forKey: .emailPrivacyConfig)
        authorizedDomains = try members.decodeIfPresent([String].self, forKey: .authorizedDomains) ?? []
    }
}

/// Whether responses hide which e-mail addresses have accounts.
public struct EmailPrivacyConfig: Codable, Hashable, Sendable {
    /// Whether they do.
    public var enableImprovedEmailPrivacy: Bool?

    /// On or off.
    public init(enableImprovedEmailPrivacy: Bool) { self.enableImprovedEmailPrivacy = enableImprovedEmailPrivacy }
}

/// The regions to which SMS are sent, as ISO 3166 codes of two letters.
public struct SMSRegionConfig: Codable, Hashable, Sendable {
    private struct AllowByDefault: Codable, Hashable, Sendable { var disallowedRegions: [String]? }
    private struct AllowlistOnly: Codable, Hashable, Sendable { var allowedRegions: [String]? }

    private var allowByDefault: AllowByDefault?
    private var allowlistOnly: AllowlistOnly?

    /// All regions but these.
    public static func allowByDefault(disallowedRegions: [String]) -> SMSRegionConfig {
        SMSRegionConfig(allowByDefault: AllowByDefault(disallowedRegions: disallowedRegions))
    }

    /// No regions but these.
    public static func allowlistOnly(allowedRegions: [String]) -> SMSRegionConfig {
        SMSRegionConfig(allowlistOnly: AllowlistOnly(allowedRegions: allowedRegions))
    }

    /// The only regions to which SMS are sent; nil if ``disallowedRegions`` decides.
    public var allowedRegions: [String]? { allowlistOnly.map { $0.allowedRegions ?? [] } }
    /// The regions to which no SMS is sent; nil if ``allowedRegions`` decides.
    public var disallowedRegions: [String]? { allowByDefault.map { $0.disallowedRegions ?? [] } }
}

/// The requirements for passwords.
public struct PasswordPolicyConfig: Hashable, Sendable {
    /// Whether new passwords must meet the requirements.
    public enum EnforcementState: String, Codable, Sendable {
        case off = "OFF"
        case enforce = "ENFORCE"
    }

    /// What a password must have.
    public struct Constraints: Codable, Hashable, Sendable {
        /// Characters, 6 to 30; nil for 6.
        public var minPasswordLength: Int?
        /// Characters, at most 4,096; nil for 4,096.
        public var maxPasswordLength: Int?
        /// Whether a lower-case letter is required.
        public var containsLowercaseCharacter: Bool?
        /// Whether an upper-case letter is required.
        public var containsUppercaseCharacter: Bool?
        /// Whether a digit is required.
        public var containsNumericCharacter: Bool?
        /// Whether another character is required.
        public var containsNonAlphanumericCharacter: Bool?

        /// No requirements beside those of the server.
        public init() {}
    }

    /// Whether new passwords must meet the requirements.
    public var enforcementState: EnforcementState?
    /// Whether a sign-in with a password that does not meet the requirements is refused.
    public var forceUpgradeOnSignIn: Bool?
    /// The requirements.
    public var constraints: Constraints?

    /// A policy.
    public init(
        enforcementState: EnforcementState, forceUpgradeOnSignIn: Bool = false, constraints: Constraints? = nil
    ) {
        self.enforcementState = enforcementState
        self.forceUpgradeOnSignIn = forceUpgradeOnSignIn
        self.constraints = constraints
    }
}

extension PasswordPolicyConfig: Codable {
    private enum CodingKeys: String, CodingKey {
        case enforcementState = "passwordPolicyEnforcementState"
        case forceUpgradeOnSignIn = "forceUpgradeOnSignin"
        case versions = "passwordPolicyVersions"
    }

    private struct Version: Codable { var customStrengthOptions: Constraints? }

    /// Reads the document of the server (REST 5.1).
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        enforcementState = try members.decodeIfPresent(EnforcementState.self, forKey: .enforcementState)
        forceUpgradeOnSignIn = try members.decodeIfPresent(Bool.self, forKey: .forceUpgradeOnSignIn)
        constraints = try members.decodeIfPresent([Version].self, forKey: .versions)?.first?.customStrengthOptions
    }

    /// Writes the document of the server.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(enforcementState, forKey: .enforcementState)
        try members.encodeIfPresent(forceUpgradeOnSignIn, forKey: .forceUpgradeOnSignIn)
        try members.encodeIfPresent(constraints.map { [Version(customStrengthOptions: $0)] }, forKey: .versions)
    }
}
