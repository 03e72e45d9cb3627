import JSON
import Pages

/// The areas of settings of the console. Each is a list of fields: a page of its own is not written for it.
enum SettingArea: String, CaseIterable, Sendable {
    case signIn, factors, passkeys, passwords, mails, branding, messages, hosts, apps, protection

    /// Its name and what it is for.
    func texts(_ texts: PageTexts.Settings) -> PageTexts.Settings.Setting {
        switch self {
        case .signIn: texts.signIn
        case .factors: texts.factors
        case .passkeys: texts.passkeys
        case .passwords: texts.passwords
        case .mails: texts.mails
        case .branding: texts.branding
        case .messages: texts.messages
        case .hosts: texts.hosts
        case .apps: texts.apps.area
        case .protection: texts.protection
        }
    }

    /// Those that an owner has.
    func fields(of owner: SettingsOwner) -> [SettingField] { fields.filter { $0.path(of: owner) != nil } }

    private var fields: [SettingField] {
        switch self {
        case .signIn: Self.signInFields
        case .factors: Self.factorFields
        case .passkeys: Self.passkeyFields
        case .passwords: Self.passwordFields
        case .mails: Self.mailFields
        case .branding: Self.brandingFields
        case .messages: Self.messageFields
        case .hosts:
            [.init("domains", .lines, project: "authorizedDomains", \.domains)]
        case .apps: Self.appFields
        case .protection: Self.protectionFields
        }
    }

    // MARK: Fields

    private static let signInFields: [SettingField] = [
        .toggle("passwordSignIn", project: "signIn.email.enabled", tenant: "allowPasswordSignup", \.passwordSignIn),
        // The document says the opposite in a project, and not in a tenant.
        .toggle("linkSignIn", project: "signIn.email.passwordRequired", isInverted: true, \.linkSignIn),
        .toggle("linkSignIn", tenant: "enableEmailLinkSignin", \.linkSignIn),
        .toggle("codeSignIn", project: "signIn.emailCode.enabled", tenant: "enableEmailCodeSignin", \.codeSignIn),
        .toggle("phoneSignIn", project: "signIn.phoneNumber.enabled", \.phoneSignIn),
        .toggle(
            "anonymousSignIn", project: "signIn.anonymous.enabled", tenant: "enableAnonymousUser", \.anonymousSignIn),
        .toggle(
            "selfSignUp", both: "client.permissions.disabledUserSignup", isInverted: true, standard: .on, \.selfSignUp),
        .toggle(
            "selfDeletion", both: "client.permissions.disabledUserDeletion", isInverted: true, standard: .on,
            \.selfDeletion),
        .ofBoth("deletionGrace", .number, "accountDeletion.graceDays", standard: .number(0), \.deletionGrace),
        .toggle("duplicateEmails", project: "signIn.allowDuplicateEmails", \.duplicateEmails),
        .toggle("tenants", project: "multiTenant.allowTenants", \.tenants),
        .init("tenantName", .text, tenant: "displayName", \.tenantName),
        .toggle("isClosed", tenant: "disableAuth", \.isClosed),
    ]

    private static let factorFields: [SettingField] = [
        .init(
            "appFactor", .choice(SettingField.factorStates), project: "mfa.providerConfigs[totpProviderConfig].state",
            tenant: "mfaConfig.providerConfigs[totpProviderConfig].state", standard: .word(.off), \.appFactor),
        .init(
            "appSteps", .number,
            project: "mfa.providerConfigs[totpProviderConfig].totpProviderConfig.adjacentIntervals",
            tenant: "mfaConfig.providerConfigs[totpProviderConfig].totpProviderConfig.adjacentIntervals",
            standard: .number(5), \.appSteps),
        .init("smsFactor", .messageFactor, project: "mfa", tenant: "mfaConfig", \.smsFactor),
        .init(
            "rememberedDays", .number, project: "mfa.rememberedDeviceDays", tenant: "mfaConfig.rememberedDeviceDays",
            standard: .number(0), \.rememberedDays),
    ]

    private static let passkeyFields: [SettingField] = [
        .words("passkeyState", both: "passkeyConfig.state", on: "ENABLED", off: "DISABLED", .on, \.passkeyState),
        .ofBoth("relyingParty", .text, "passkeyConfig.relyingPartyId", \.relyingParty),
        .ofBoth("relyingPartyName", .text, "passkeyConfig.relyingPartyName", \.relyingPartyName),
        .ofBoth("passkeyOrigins", .lines, "passkeyConfig.origins", \.passkeyOrigins),
        .words(
            "userVerification", both: "passkeyConfig.userVerification", on: "REQUIRED", off: "PREFERRED", .on,
            \.userVerification),
        .words(
            "counterRegression", both: "passkeyConfig.counterRegression", on: "REFUSE", off: "RECORD", .on,
            \.counterRegression),
        .words(
            "attestation", both: "passkeyConfig.attestation.conveyance", on: "DIRECT", off: "NONE", .off,
            \.attestation),
        .toggle("requireTrusted", both: "passkeyConfig.attestation.requireTrusted", \.requireTrusted),
        .ofBoth("allowedModels", .lines, "passkeyConfig.attestation.allowedAaguids", \.allowedModels),
        .ofBoth("deniedModels", .lines, "passkeyConfig.attestation.deniedAaguids", \.deniedModels),
        .init("appleApps", .lines, project: "passkeyConfig.appleApps", \.appleApps),
        .init(
            "androidApps", .records([.init("packageName"), .init("sha256CertFingerprints", .list)]),
            project: "passkeyConfig.androidApps", \.apps.androidApps),
        .init("enrollPage", .text, project: "passkeyConfig.enrollUrl", \.enrollPage),
        .init("managePage", .text, project: "passkeyConfig.manageUrl", \.managePage),
        .ofBoth("offerInterval", .number, "passkeyConfig.offerIntervalDays", standard: .number(30), \.offerInterval),
    ]

    private static let passwordFields: [SettingField] = {
        let strength = "passwordPolicyConfig.passwordPolicyVersions[0].customStrengthOptions"
        return [
            .words(
                "policyState", both: "passwordPolicyConfig.passwordPolicyEnforcementState", on: "ENFORCE", off: "OFF",
                .off, \.policyState),
            .toggle("forceUpgrade", both: "passwordPolicyConfig.forceUpgradeOnSignin", \.forceUpgrade),
            .ofBoth("minimumLength", .number, .init("\(strength).minPasswordLength"), \.minimumLength),
            .ofBoth(
                "maximumLength", .number, .init("\(strength).maxPasswordLength"), standard: .number(4096),
                \.maximumLength),
            .toggle("needsLowercase", both: .init("\(strength).containsLowercaseCharacter"), \.needsLowercase),
            .toggle("needsUppercase", both: .init("\(strength).containsUppercaseCharacter"), \.needsUppercase),
            .toggle("needsDigit", both: .init("\(strength).containsNumericCharacter"), \.needsDigit),
            .toggle("needsSymbol", both: .init("\(strength).containsNonAlphanumericCharacter"), \.needsSymbol),
        ]
    }()

    private static let mailFields: [SettingField] = [
        .init("defaultLocale", .text, project: "notification.defaultLocale", \.defaultLocale),
        .toggle("signInNotices", project: "notification.signInNotices", standard: .on, \.signInNotices),
        .init("callbackPage", .text, project: "notification.sendEmail.callbackUri", \.callbackPage),
        .toggle("inheritsMails", tenant: "inheritance.emailSendingConfig", \.inheritsMails),
    ]

    private static let brandingFields: [SettingField] = [
        .ofBoth("applicationName", .text, "branding.applicationName", inheritance: .ofMember, \.applicationName),
        .ofBoth("senderName", .text, "branding.senderName", inheritance: .ofMember, \.senderName),
        .ofBoth("supportContact", .text, "branding.supportContact", inheritance: .ofMember, \.supportContact),
        .ofBoth("termsPage", .text, "branding.termsUrl", inheritance: .ofMember, \.termsPage),
        .ofBoth("privacyPage", .text, "branding.privacyUrl", inheritance: .ofMember, \.privacyPage),
        .ofBoth(
            "colorScheme",
            .choice([(.both, .string("BOTH")), (.light, .string("LIGHT")), (.dark, .string("DARK"))]),
            "branding.colorScheme", standard: .word(.both), inheritance: .ofMember, \.colorScheme),
        .ofBoth("lightBrand", .text, "branding.lightColors.brand", inheritance: .ofMember, \.lightBrand),
        .ofBoth("lightCanvas", .text, "branding.lightColors.canvas", inheritance: .ofMember, \.lightCanvas),
        .ofBoth("darkBrand", .text, "branding.darkColors.brand", inheritance: .ofMember, \.darkBrand),
        .ofBoth("darkCanvas", .text, "branding.darkColors.canvas", inheritance: .ofMember, \.darkCanvas),
        .ofBoth(
            "cornerRadius", .number, "branding.cornerRadius", standard: .number(12), inheritance: .ofMember,
            \.cornerRadius),
    ]

    private static let messageFields: [SettingField] = [
        .ofBoth("allowedRegions", .lines, "smsRegionConfig.allowlistOnly.allowedRegions", \.allowedRegions),
        .ofBoth("deniedRegions", .lines, "smsRegionConfig.allowByDefault.disallowedRegions", \.deniedRegions),
        .init(
            "testNumbers", .pairs, project: "signIn.phoneNumber.testPhoneNumbers", tenant: "testPhoneNumbers",
            \.testNumbers),
        .toggle("deviceLocale", project: "notification.sendSms.useDeviceLocale", \.deviceLocale),
        .init("messageText", .longText, project: "notification.sendSms.smsTemplate.content", \.messageText),
    ]

    private static let appFields: [SettingField] = {
        let enforcement = SettingField.Kind.choice([
            (.off, .string("OFF")), (.audit, .string("AUDIT")), (.enforce, .string("ENFORCE")),
        ])
        return [
            .init(
                "iosApps", .records([.init("bundleId"), .init("appId"), .init("clientId")]), project: "mobileApps",
                \.apps.iosApps),
            .ofBoth(
                "recaptchaKeys", .records([.init("type"), .init("key")]), "recaptchaConfig.recaptchaKeys",
                \.apps.recaptchaKeys),
            .ofBoth(
                "emailEnforcement", enforcement, "recaptchaConfig.emailPasswordEnforcementState",
                standard: .word(.off), \.apps.emailEnforcement),
            .ofBoth(
                "phoneEnforcement", enforcement, "recaptchaConfig.phoneEnforcementState", standard: .word(.off),
                \.apps.phoneEnforcement),
            .ofBoth(
                "recaptchaRules", .records([.init("endScore", .number), .init("action")]),
                "recaptchaConfig.managedRules", \.apps.recaptchaRules),
        ]
    }()

    private static let protectionFields: [SettingField] = [
        .toggle(
            "emailPrivacy", both: "emailPrivacyConfig.enableImprovedEmailPrivacy", standard: .on, \.emailPrivacy),
        .init("signUpQuota", .text, project: "quota.signUpQuotaConfig.quota", \.signUpQuota),
        .init("quotaStart", .text, project: "quota.signUpQuotaConfig.startTime", \.quotaStart),
        .init("quotaDuration", .text, project: "quota.signUpQuotaConfig.quotaDuration", \.quotaDuration),
    ]
}

// MARK: - Kinds of fields

extension SettingField {
    typealias Texts = @Sendable (PageTexts.Settings) -> PageTexts.Settings.Setting

    init(
        _ id: String, _ kind: Kind, project: SettingPath? = nil, tenant: SettingPath? = nil, standard: Standard = .none,
        inheritance: Inheritance = .none, _ texts: @escaping Texts
    ) {
        self.init(
            id: id, kind: kind, project: project, tenant: tenant, standard: standard, inheritance: inheritance,
            texts: texts)
    }

    /// A setting with one path in both documents, which a tenant inherits.
    fileprivate static func ofBoth(
        _ id: String, _ kind: Kind, _ path: SettingPath, standard: Standard = .none,
        inheritance: Inheritance = .ofArea, _ texts: @escaping Texts
    ) -> SettingField {
        .init(id, kind, project: path, tenant: path, standard: standard, inheritance: inheritance, texts)
    }

    /// - Parameter isInverted: `false` in the document is on.
    fileprivate static func toggle(
        _ id: String, project: SettingPath? = nil, tenant: SettingPath? = nil, isInverted: Bool = false,
        standard: Word = .off, _ texts: @escaping Texts
    ) -> SettingField {
        .init(
            id, switching(isInverted), project: project, tenant: tenant, standard: .word(standard), texts)
    }

    /// - Parameter path: in both documents. A tenant inherits it.
    fileprivate static func toggle(
        _ id: String, both path: SettingPath, isInverted: Bool = false, standard: Word = .off,
        _ texts: @escaping Texts
    ) -> SettingField {
        .ofBoth(id, switching(isInverted), path, standard: .word(standard), texts)
    }

    private static func switching(_ isInverted: Bool) -> Kind {
        .choice([(.on, .bool(!isInverted)), (.off, .bool(isInverted))])
    }

    /// A switch whose values are words of the document.
    fileprivate static func words(
        _ id: String, both path: SettingPath, on: String, off: String, _ standard: Word, _ texts: @escaping Texts
    ) -> SettingField {
        .ofBoth(id, .choice([(.on, .string(on)), (.off, .string(off))]), path, standard: .word(standard), texts)
    }
}
