/// The settings of a tenant (REST 5.2). The members are the fields of the administrators' document. Absent switches are off. The members that `ProjectConfiguration.applying(_:)` lists are
/// inherited from the project.
package struct TenantConfiguration: DocumentMessage {
    package var displayName: String?
    package var allowPasswordSignup: Bool?
    package var enableEmailLinkSignin: Bool?
    /// Not in Google Identity Platform.
    package var enableEmailCodeSignin: Bool?
    package var enableAnonymousUser: Bool?
    /// No user can sign in or refresh; the admin API is not restricted.
    package var disableAuth: Bool?
    /// E.164 number to six-digit code.
    package var testPhoneNumbers: [String: String]?
    package var mfaConfig: ProjectConfiguration.MultiFactor?
    package var passkeyConfig: ProjectConfiguration.Passkeys?
    package var branding: ProjectConfiguration.Branding?
    package var inheritance: Inheritance?
    package var client: Client?
    package var monitoring: ProjectConfiguration.Monitoring?
    package var emailPrivacyConfig: ProjectConfiguration.EmailPrivacy?
    package var passwordPolicyConfig: ProjectConfiguration.PasswordPolicy?
    package var recaptchaConfig: ProjectConfiguration.Recaptcha?
    package var smsRegionConfig: ProjectConfiguration.SMSRegions?
    package var mobileLinksConfig: ProjectConfiguration.MobileLinks?
    package var autodeleteAnonymousUsers: Bool?
    /// Not in Google Identity Platform.
    package var accountDeletion: ProjectConfiguration.AccountDeletion?

    package static let specialFields: [String: DocumentSchema?] = [
        "name": .output, "tenantId": .output, "hashConfig": .output, "type": .output,
    ]

    package init() {}

    package struct Inheritance: DocumentMessage {
        /// Whether e-mails use the project's templates and sender.
        package var emailSendingConfig: Bool?

        package init() {}
    }

    package struct Client: DocumentMessage {
        package var permissions: ProjectConfiguration.Client.Permissions?

        package init() {}
    }
}

extension ProjectConfiguration {
    /// The effective configuration of a tenant. Sign-in methods, factors and numbers are the tenant's alone. E-mail
    /// privacy, password policy, passkeys, reCAPTCHA, regions, permissions and the grace of deletions are the project's
    /// unless the tenant sets them, and so is each member of the branding. Domains, blocking functions and the rule about
    /// duplicate e-mails are always the project's.
    package func applying(_ tenant: TenantConfiguration) -> ProjectConfiguration {
        var result = self
        var email = SignIn.Email()
        email.enabled = tenant.allowPasswordSignup ?? false
        email.passwordRequired = !(tenant.enableEmailLinkSignin ?? false)
        email.linkEnabled = tenant.enableEmailLinkSignin ?? false
        var emailCode = SignIn.EmailCode()
        emailCode.enabled = tenant.enableEmailCodeSignin ?? false
        var anonymous = SignIn.Anonymous()
        anonymous.enabled = tenant.enableAnonymousUser ?? false
        var phoneNumber = SignIn.Phone()
        phoneNumber.enabled = false
        phoneNumber.testPhoneNumbers = tenant.testPhoneNumbers
        var signIn = SignIn()
        signIn.email = email
        signIn.emailCode = emailCode
        signIn.anonymous = anonymous
        signIn.phoneNumber = phoneNumber
        signIn.allowDuplicateEmails = self.signIn?.allowDuplicateEmails
        result.signIn = signIn
        result.mfa = tenant.mfaConfig
        result.passkeyConfig = tenant.passkeyConfig ?? passkeyConfig
        result.branding = tenant.branding?.inheriting(from: branding) ?? branding
        result.emailPrivacyConfig = tenant.emailPrivacyConfig ?? emailPrivacyConfig
        result.passwordPolicyConfig = tenant.passwordPolicyConfig ?? passwordPolicyConfig
        result.recaptchaConfig = tenant.recaptchaConfig ?? recaptchaConfig
        result.smsRegionConfig = tenant.smsRegionConfig ?? smsRegionConfig
        result.client?.permissions = tenant.client?.permissions ?? client?.permissions
        result.accountDeletion = tenant.accountDeletion ?? accountDeletion
        result.monitoring = tenant.monitoring
        result.mobileLinksConfig = tenant.mobileLinksConfig ?? mobileLinksConfig
        result.autodeleteAnonymousUsers = tenant.autodeleteAnonymousUsers
        if !(tenant.inheritance?.emailSendingConfig ?? false) {
            result.notification?.sendEmail = nil
        }
        result.multiTenant = nil
        return result
    }
}
