/// The settings of a project (REST 5.1). The members are the fields of the administrators' document: a new one is in the
/// document, in its field masks and in `latchkey projects config`. Absent members have the defaults of the properties
/// below. `SettingFieldTests` fails for a member that no rule checks or no service reads.
package struct ProjectConfiguration: DocumentMessage {
    package var signIn: SignIn?
    /// Host names that are allowed in `continueUrl` and for hosted pages.
    package var authorizedDomains: [String]?
    package var mfa: MultiFactor?
    package var emailPrivacyConfig: EmailPrivacy?
    package var passwordPolicyConfig: PasswordPolicy?
    package var smsRegionConfig: SMSRegions?
    package var blockingFunctions: BlockingFunctions?
    package var passkeyConfig: Passkeys?
    package var branding: Branding?
    package var recaptchaConfig: Recaptcha?
    package var client: Client?
    package var notification: Notification?
    package var multiTenant: MultiTenant?
    package var quota: Quota?
    package var accountDeletion: AccountDeletion?
    package var monitoring: Monitoring?
    package var autodeleteAnonymousUsers: Bool?
    package var mobileLinksConfig: MobileLinks?
    /// The applications with pushes, pages and custom schemes. At most 50. A Latchkey extension: in Google Identity Platform
    /// a console registers the applications.
    package var mobileApps: [MobileApp]?

    package static let specialFields: [String: DocumentSchema?] = [
        "name": .output, "subtype": .output, "defaultHostingSite": .output,
    ]

    package init() {}

    // MARK: Sign-in

    package struct SignIn: DocumentMessage {
        package var email: Email?
        package var emailCode: EmailCode?
        package var phoneNumber: Phone?
        package var anonymous: Anonymous?
        package var allowDuplicateEmails: Bool?

        package static let specialFields: [String: DocumentSchema?] = ["hashConfig": .output]

        package init() {}

        package struct Email: DocumentMessage {
            package var enabled: Bool?
            /// `false` also allows sign-in by e-mail link.
            package var passwordRequired: Bool?
            /// Set only in the effective configuration of a tenant, whose two switches are independent.
            package var linkEnabled: Bool?

            package static let specialFields: [String: DocumentSchema?] = ["linkEnabled": nil]

            package init() {}
        }

        /// Codes of six digits by e-mail, for sign-in and for the verification of an address. A Latchkey extension.
        package struct EmailCode: DocumentMessage {
            package var enabled: Bool?

            package init() {}
        }

        package struct Phone: DocumentMessage {
            package var enabled: Bool?
            /// E.164 number to six-digit code.
            package var testPhoneNumbers: [String: String]?

            package init() {}
        }

        package struct Anonymous: DocumentMessage {
            package var enabled: Bool?

            package init() {}
        }
    }

    // MARK: Factors and privacy

    /// `state` and `enabledProviders` apply only to SMS; TOTP is enabled by its own entry.
    package struct MultiFactor: DocumentMessage {
        package enum State: String, DocumentEnumeration {
            case disabled = "DISABLED", enabled = "ENABLED", mandatory = "MANDATORY"
            package static let unset = "STATE_UNSPECIFIED"
        }
        package enum Provider: String, DocumentEnumeration {
            case phoneSMS = "PHONE_SMS"
            package static let unset = "PROVIDER_UNSPECIFIED"
        }
        package var state: State?
        package var enabledProviders: [Provider]?
        package var providerConfigs: [ProviderConfig]?
        /// For how many days the hosted sign-in offers to remember a device, which is not asked for a second factor then: 0 to
        /// 90. Absent or 0: it offers it not. A Latchkey extension.
        package var rememberedDeviceDays: Int?

        package init() {}

        package struct ProviderConfig: DocumentMessage {
            package var state: State?
            package var totpProviderConfig: TOTP?

            package static let specialFields: [String: DocumentSchema?] = [
                "state": .enumeration(unset: "MFA_STATE_UNSPECIFIED", State.self)
            ]

            package init() {}
        }

        package struct TOTP: DocumentMessage {
            /// Steps of 30 s accepted on either side, 0 to 10; absent: 5 if never set, 0 if set to 0.
            package var adjacentIntervals: Int?

            package init() {}
        }
    }

    package struct EmailPrivacy: DocumentMessage {
        package var enableImprovedEmailPrivacy: Bool?

        package init() {}
    }

    package struct PasswordPolicy: DocumentMessage {
        package enum Enforcement: String, DocumentEnumeration {
            case off = "OFF", enforce = "ENFORCE"
            package static let unset = "PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED"
        }
        /// The lowest minimum length that a policy may set, and the default of a policy without one.
        package static let lowestMinimumLength = 6
        /// The highest maximum length that a policy may set, and the default.
        package static let highestMaximumLength = 4096

        package var passwordPolicyEnforcementState: Enforcement?
        package var forceUpgradeOnSignin: Bool?
        package var passwordPolicyVersions: [Version]?
        /// RFC 3339, set by the server.
        package var lastUpdateTime: String?

        package static let specialFields: [String: DocumentSchema?] = ["lastUpdateTime": .output]

        package init() {}

        package struct Version: DocumentMessage {
            package var customStrengthOptions: StrengthOptions?

            package static let specialFields: [String: DocumentSchema?] = [
                "schemaVersion": .output, "allowedNonAlphanumericCharacters": .output,
            ]

            package init() {}
        }

        package struct StrengthOptions: DocumentMessage {
            package var minPasswordLength: Int?
            package var maxPasswordLength: Int?
            package var containsLowercaseCharacter: Bool?
            package var containsUppercaseCharacter: Bool?
            package var containsNumericCharacter: Bool?
            package var containsNonAlphanumericCharacter: Bool?

            package init() {}
        }
    }

    /// At most one of the two is set.
    package struct SMSRegions: DocumentMessage {
        package var allowByDefault: AllowByDefault?
        package var allowlistOnly: AllowlistOnly?

        package static var schema: DocumentSchema { .oneOf(fields) }

        package init() {}

        package struct AllowByDefault: DocumentMessage {
            package var disallowedRegions: [String]?

            package init() {}
        }

        package struct AllowlistOnly: DocumentMessage {
            package var allowedRegions: [String]?

            package init() {}
        }
    }

    // MARK: Hooks and challenges

    package struct BlockingFunctions: DocumentMessage {
        package var triggers: [String: Trigger]?
        package var forwardInboundCredentials: InboundCredentials?

        package init() {}

        package struct Trigger: DocumentMessage {
            package var functionUri: String?
            /// RFC 3339, set by the server.
            package var updateTime: String?

            package static let specialFields: [String: DocumentSchema?] = ["updateTime": .output]

            package init() {}
        }

        package struct InboundCredentials: DocumentMessage {
            package var idToken: Bool?
            package var accessToken: Bool?
            package var refreshToken: Bool?

            package init() {}
        }
    }

    package struct Recaptcha: DocumentMessage {
        package enum Enforcement: String, DocumentEnumeration {
            case off = "OFF", audit = "AUDIT", enforce = "ENFORCE"
            package static let unset = "RECAPTCHA_PROVIDER_ENFORCEMENT_STATE_UNSPECIFIED"
        }
        package enum Platform: String, DocumentEnumeration {
            case web = "WEB", ios = "IOS", android = "ANDROID"
            package static let unset = "CLIENT_TYPE_UNSPECIFIED"
        }
        package enum Action: String, DocumentEnumeration {
            case block = "BLOCK"
            package static let unset = "RECAPTCHA_ACTION_UNSPECIFIED"
        }
        package var emailPasswordEnforcementState: Enforcement?
        package var phoneEnforcementState: Enforcement?
        package var managedRules: [ManagedRule]?
        package var recaptchaKeys: [Key]?
        package var useAccountDefender: Bool?
        package var useSmsBotScore: Bool?
        package var useSmsTollFraudProtection: Bool?
        package var tollFraudManagedRules: [TollFraudRule]?

        package init() {}

        package struct ManagedRule: DocumentMessage {
            package var endScore: Double?
            package var action: Action?

            package init() {}
        }

        package struct TollFraudRule: DocumentMessage {
            package var startScore: Double?
            package var action: Action?

            package init() {}
        }

        package struct Key: DocumentMessage {
            package var key: String?
            package var type: Platform?

            package init() {}
        }
    }

    // MARK: Client, messages and the rest

    package struct Client: DocumentMessage {
        package var apiKey: String?
        package var permissions: Permissions?

        package static let specialFields: [String: DocumentSchema?] = ["apiKey": .output, "firebaseSubdomain": .output]

        package init() {}

        package struct Permissions: DocumentMessage {
            package var disabledUserSignup: Bool?
            package var disabledUserDeletion: Bool?

            package init() {}
        }
    }

    package struct Notification: DocumentMessage {
        package var sendEmail: SendEmail?
        package var sendSms: SendSMS?
        package var defaultLocale: String?
        /// `false`: no e-mail to the owner of an account about a sign-in with a new device from a new network. A Latchkey
        /// extension, which is on by default: users expect to hear of a sign-in that is not theirs.
        package var signInNotices: Bool?

        package init() {}

        package struct SendEmail: DocumentMessage {
            package enum Method: String, DocumentEnumeration {
                case standard = "DEFAULT", customSMTP = "CUSTOM_SMTP"
                package static let unset = "METHOD_UNSPECIFIED"
            }
            package var method: Method?
            package var smtp: SMTP?
            package var resetPasswordTemplate: Template?
            package var verifyEmailTemplate: Template?
            package var changeEmailTemplate: Template?
            package var revertSecondFactorAdditionTemplate: Template?
            package var legacyResetPasswordTemplate: Template?
            package var callbackUri: String?
            package var dnsInfo: DNSInfo?

            package init() {}
        }

        package struct SMTP: DocumentMessage {
            package enum SecurityMode: String, DocumentEnumeration {
                case unspecified = "SECURITY_MODE_UNSPECIFIED", ssl = "SSL", startTLS = "START_TLS"
                package static let unset = unspecified.rawValue
            }
            package var senderEmail: String?
            package var host: String?
            package var port: Int?
            package var username: String?
            package var password: String?
            package var securityMode: SecurityMode?

            package init() {}
        }

        package struct Template: DocumentMessage {
            package enum BodyFormat: String, DocumentEnumeration {
                case unspecified = "BODY_FORMAT_UNSPECIFIED", plainText = "PLAIN_TEXT", html = "HTML"
                package static let unset = unspecified.rawValue
            }
            package var senderLocalPart: String?
            package var senderDisplayName: String?
            package var subject: String?
            package var body: String?
            package var bodyFormat: BodyFormat?
            package var replyTo: String?
            /// Own texts by language (`de`), before those above. A Latchkey extension.
            package var translations: [String: Translation]?

            package static let specialFields: [String: DocumentSchema?] = ["customized": .output]

            package init() {}
        }

        package struct DNSInfo: DocumentMessage {
            package var useCustomDomain: Bool?
            package var customDomain: String?

            package static let specialFields: [String: DocumentSchema?] = [
                "customDomainState": .output, "pendingCustomDomain": .output, "domainVerificationRequestTime": .output,
            ]

            package init() {}
        }

        package struct SendSMS: DocumentMessage {
            package var useDeviceLocale: Bool?
            package var smsTemplate: Template?

            package init() {}

            package struct Template: DocumentMessage {
                package var content: String?

                package init() {}
            }
        }
    }

    package struct MultiTenant: DocumentMessage {
        package var allowTenants: Bool?
        package var defaultTenantLocation: String?

        package init() {}
    }

    package struct Quota: DocumentMessage {
        package var signUpQuotaConfig: SignUpQuota?

        package init() {}

        package struct SignUpQuota: DocumentMessage {
            /// An int64.
            package var quota: String?
            package var startTime: String?
            package var quotaDuration: String?

            package static let specialFields: [String: DocumentSchema?] = ["quota": .integerText]

            package init() {}
        }
    }

    package struct Monitoring: DocumentMessage {
        package var requestLogging: RequestLogging?

        package init() {}

        package struct RequestLogging: DocumentMessage {
            package var enabled: Bool?

            package init() {}
        }
    }

    package struct MobileLinks: DocumentMessage {
        package enum Domain: String, DocumentEnumeration {
            case unspecified = "DOMAIN_UNSPECIFIED", firebaseDynamicLink = "FIREBASE_DYNAMIC_LINK_DOMAIN"
            case hosting = "HOSTING_DOMAIN"
            package static let unset = unspecified.rawValue
        }
        package var domain: Domain?

        package init() {}
    }
}

// MARK: - Reading with defaults

extension ProjectConfiguration {
    package var allowsPasswordSignIn: Bool { signIn?.email?.enabled ?? false }
    package var sendsSignInNotices: Bool { notification?.signInNotices ?? true }
    /// Sign-in by e-mail link: allowed with e-mail sign-in unless a password is required.
    package var allowsEmailLinkSignIn: Bool {
        signIn?.email?.linkEnabled ?? (allowsPasswordSignIn && signIn?.email?.passwordRequired == false)
    }
    /// Off by default, and independent of the other two ways to sign in with an address.
    package var allowsEmailCodes: Bool { signIn?.emailCode?.enabled ?? false }
    package var allowsPhoneSignIn: Bool { signIn?.phoneNumber?.enabled ?? false }
    package var allowsAnonymousSignIn: Bool { signIn?.anonymous?.enabled ?? false }
    /// On by default, as for new projects of Google Identity Platform.
    package var preventsEmailEnumeration: Bool { emailPrivacyConfig?.enableImprovedEmailPrivacy ?? true }
    /// The minimum password length without a policy of the project: 6 code points in dev mode, which client libraries
    /// expect; 8 where a second factor is mandatory; 15 where the password is the only factor (NIST SP 800-63B-4
    /// §3.1.1.2).
    package func minimumPasswordLength(isDev: Bool) -> Int { isDev ? 6 : requiresSecondFactor ? 8 : 15 }
    package var allowsDuplicateEmails: Bool { signIn?.allowDuplicateEmails ?? false }
    package var allowsSelfSignUp: Bool { !(client?.permissions?.disabledUserSignup ?? false) }
    package var allowsSelfDeletion: Bool { !(client?.permissions?.disabledUserDeletion ?? false) }
}
