package import Contracts
internal import FoundationEssentials
package import JSON
internal import Vocabulary

/// The project configuration that administrators read and change (REST 5.1).
package enum ConfigurationDocument {
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

    // MARK: Schema

    package static let schema = DocumentSchema.message([
        "name": .output,
        "subtype": .output,
        "defaultHostingSite": .output,
        "signIn": signIn,
        "authorizedDomains": .list(.string),
        "mfa": multiFactor,
        "passkeyConfig": passkeys,
        "emailPrivacyConfig": emailPrivacy,
        "passwordPolicyConfig": passwordPolicy,
        "smsRegionConfig": smsRegions,
        "blockingFunctions": .message([
            "triggers": .map(.message(["functionUri": .string, "updateTime": .output])),
            "forwardInboundCredentials": .message([
                "idToken": .boolean, "accessToken": .boolean, "refreshToken": .boolean,
            ]),
        ]),
        "recaptchaConfig": recaptcha,
        "client": .message([
            "apiKey": .output,
            "firebaseSubdomain": .output,
            "permissions": permissions,
        ]),
        "notification": notification,
        "multiTenant": .message(["allowTenants": .boolean, "defaultTenantLocation": .string]),
        "quota": .message([
            "signUpQuotaConfig": .message([
                "quota": .integerText, "startTime": .string, "quotaDuration": .string,
            ])
        ]),
        "monitoring": monitoring,
        "autodeleteAnonymousUsers": .boolean,
        "mobileLinksConfig": mobileLinks,
        // A Latchkey extension: in Google Identity Platform a console registers the applications.
        "mobileApps": .list(
            .message([
                "platform": .enumeration(
                    unset: "PLATFORM_UNSPECIFIED", ProjectConfiguration.MobileApp.Platform.self),
                "bundleId": .string, "appId": .string, "clientId": .string,
            ])),
    ])

    // The parts that a tenant's document shares.

    package static let emailPrivacy = DocumentSchema.message(["enableImprovedEmailPrivacy": .boolean])
    package static let smsRegions = DocumentSchema.oneOf([
        "allowByDefault": .message(["disallowedRegions": .list(.string)]),
        "allowlistOnly": .message(["allowedRegions": .list(.string)]),
    ])
    package static let permissions = DocumentSchema.message([
        "disabledUserSignup": .boolean, "disabledUserDeletion": .boolean,
    ])
    package static let monitoring = DocumentSchema.message(["requestLogging": .message(["enabled": .boolean])])
    package static let mobileLinks = DocumentSchema.message([
        "domain": .enumeration(unset: "DOMAIN_UNSPECIFIED", ProjectConfiguration.MobileLinks.Domain.self)
    ])

    private static let signIn = DocumentSchema.message([
        "email": .message(["enabled": .boolean, "passwordRequired": .boolean]),
        "phoneNumber": .message(["enabled": .boolean, "testPhoneNumbers": .map(.string)]),
        "anonymous": .message(["enabled": .boolean]),
        "allowDuplicateEmails": .boolean,
        "hashConfig": .output,
    ])

    package static let multiFactor = DocumentSchema.message([
        "state": .enumeration(unset: "STATE_UNSPECIFIED", ProjectConfiguration.MultiFactor.State.self),
        "enabledProviders": .list(
            .enumeration(unset: "PROVIDER_UNSPECIFIED", ProjectConfiguration.MultiFactor.Provider.self)),
        "providerConfigs": .list(
            .message([
                "state": .enumeration(
                    unset: "MFA_STATE_UNSPECIFIED", ProjectConfiguration.MultiFactor.State.self),
                "totpProviderConfig": .message(["adjacentIntervals": .integer]),
            ])),
    ])

    /// A Latchkey extension: Google Identity Platform has no passkeys.
    package static let passkeys: DocumentSchema = {
        typealias Passkeys = ProjectConfiguration.Passkeys
        return .message([
            "state": .enumeration(unset: "STATE_UNSPECIFIED", Passkeys.State.self),
            "relyingPartyId": .string, "relyingPartyName": .string,
            "origins": .list(.string),
            "userVerification": .enumeration(
                unset: "USER_VERIFICATION_UNSPECIFIED", Passkeys.UserVerification.self),
            "counterRegression": .enumeration(
                unset: "COUNTER_REGRESSION_UNSPECIFIED", Passkeys.CounterRegression.self),
            "attestation": .message([
                "conveyance": .enumeration(unset: "CONVEYANCE_UNSPECIFIED", Passkeys.Conveyance.self),
                "requireTrusted": .boolean, "allowedAaguids": .list(.string), "deniedAaguids": .list(.string),
            ]),
            "appleApps": .list(.string),
            "androidApps": .list(.message(["packageName": .string, "sha256CertFingerprints": .list(.string)])),
            "enrollUrl": .string, "manageUrl": .string,
        ])
    }()

    package static let passwordPolicy = DocumentSchema.message([
        "passwordPolicyEnforcementState": .enumeration(
            unset: "PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED",
            ProjectConfiguration.PasswordPolicy.Enforcement.self),
        "forceUpgradeOnSignin": .boolean,
        "passwordPolicyVersions": .list(
            .message([
                "customStrengthOptions": .message([
                    "minPasswordLength": .integer, "maxPasswordLength": .integer,
                    "containsLowercaseCharacter": .boolean, "containsUppercaseCharacter": .boolean,
                    "containsNumericCharacter": .boolean, "containsNonAlphanumericCharacter": .boolean,
                ]),
                "schemaVersion": .output,
                "allowedNonAlphanumericCharacters": .output,
            ])),
        "lastUpdateTime": .output,
    ])

    package static let recaptcha: DocumentSchema = {
        let enforcement = DocumentSchema.enumeration(
            unset: "RECAPTCHA_PROVIDER_ENFORCEMENT_STATE_UNSPECIFIED", ProjectConfiguration.Recaptcha.Enforcement.self)
        let action = DocumentSchema.enumeration(
            unset: "RECAPTCHA_ACTION_UNSPECIFIED", ProjectConfiguration.Recaptcha.Action.self)
        let platform = DocumentSchema.enumeration(
            unset: "CLIENT_TYPE_UNSPECIFIED", ProjectConfiguration.Recaptcha.Platform.self)
        return .message([
            "emailPasswordEnforcementState": enforcement,
            "phoneEnforcementState": enforcement,
            "managedRules": .list(.message(["endScore": .number, "action": action])),
            "recaptchaKeys": .list(.message(["key": .string, "type": platform])),
            "useAccountDefender": .boolean,
            "useSmsBotScore": .boolean,
            "useSmsTollFraudProtection": .boolean,
            "tollFraudManagedRules": .list(.message(["startScore": .number, "action": action])),
        ])
    }()

    private static let notification: DocumentSchema = {
        typealias SendEmail = ProjectConfiguration.Notification.SendEmail
        let template = DocumentSchema.message([
            "senderLocalPart": .string, "senderDisplayName": .string, "subject": .string, "body": .string,
            "bodyFormat": .enumeration(
                unset: "BODY_FORMAT_UNSPECIFIED", ProjectConfiguration.Notification.Template.BodyFormat.self),
            "replyTo": .string, "customized": .boolean,
        ])
        return .message([
            "sendEmail": .message([
                "method": .enumeration(unset: "METHOD_UNSPECIFIED", SendEmail.Method.self),
                "smtp": .message([
                    "senderEmail": .string, "host": .string, "port": .integer, "username": .string,
                    "password": .string,
                    "securityMode": .enumeration(
                        unset: "SECURITY_MODE_UNSPECIFIED", ProjectConfiguration.Notification.SMTP.SecurityMode.self),
                ]),
                "resetPasswordTemplate": template,
                "verifyEmailTemplate": template,
                "changeEmailTemplate": template,
                "revertSecondFactorAdditionTemplate": template,
                "legacyResetPasswordTemplate": template,
                "callbackUri": .string,
                "dnsInfo": .message([
                    "useCustomDomain": .boolean, "customDomain": .string, "customDomainState": .output,
                    "pendingCustomDomain": .output, "domainVerificationRequestTime": .output,
                ]),
            ]),
            "sendSms": .message([
                "useDeviceLocale": .boolean, "smsTemplate": .message(["content": .string]),
            ]),
            "defaultLocale": .string,
        ])
    }()
}
