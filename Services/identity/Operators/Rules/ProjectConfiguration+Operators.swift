import Contracts

extension ProjectConfiguration {
    /// The configuration of the operators' realm. It is part of the program: no request changes it.
    static let operators: ProjectConfiguration = {
        var configuration = ProjectConfiguration()
        configuration.signIn = .init()
        configuration.signIn?.email = .init()
        configuration.signIn?.email?.enabled = true
        configuration.signIn?.email?.passwordRequired = true
        var codes = MultiFactor.ProviderConfig()
        // Not mandatory: a new operator may add a passkey instead. `OpenOperatorSession` demands two factors in any case.
        codes.state = .enabled
        codes.totpProviderConfig = .init()
        codes.totpProviderConfig?.adjacentIntervals = 1
        configuration.mfa = .init()
        configuration.mfa?.state = .disabled
        configuration.mfa?.providerConfigs = [codes]
        var version = PasswordPolicy.Version()
        version.customStrengthOptions = .init()
        version.customStrengthOptions?.minPasswordLength = 12
        configuration.passwordPolicyConfig = .init()
        configuration.passwordPolicyConfig?.passwordPolicyEnforcementState = .enforce
        configuration.passwordPolicyConfig?.passwordPolicyVersions = [version]
        configuration.passkeyConfig = .init()
        configuration.passkeyConfig?.state = .enabled
        configuration.passkeyConfig?.userVerification = .required
        configuration.emailPrivacyConfig = .init()
        configuration.emailPrivacyConfig?.enableImprovedEmailPrivacy = true
        configuration.client = .init()
        configuration.client?.permissions = .init()
        configuration.client?.permissions?.disabledUserSignup = true
        configuration.client?.permissions?.disabledUserDeletion = true
        configuration.branding = .init()
        configuration.branding?.applicationName = "Latchkey console"
        return configuration
    }()
}
