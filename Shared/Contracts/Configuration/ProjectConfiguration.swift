/// The settings of a project (REST 5.1). The JSON form is the document of the administration interface, without its
/// output-only members. Absent members have the defaults of the properties below.
package struct ProjectConfiguration: Codable, Equatable, Sendable {
    package var signIn: SignIn?
    /// Host names that are allowed in `continueUrl` and for hosted pages.
    package var authorizedDomains: [String]?
    package var mfa: MultiFactor?
    package var emailPrivacyConfig: EmailPrivacy?
    package var passwordPolicyConfig: PasswordPolicy?
    package var smsRegionConfig: SMSRegions?
    package var blockingFunctions: BlockingFunctions?
    package var passkeyConfig: Passkeys?
    package var recaptchaConfig: Recaptcha?
    package var client: Client?
    package var notification: Notification?
    package var multiTenant: MultiTenant?
    package var quota: Quota?
    package var monitoring: Monitoring?
    package var autodeleteAnonymousUsers: Bool?
    package var mobileLinksConfig: MobileLinks?
    /// The applications with pushes, pages and custom schemes. At most 50.
    package var mobileApps: [MobileApp]?

    package init() {}

    // MARK: Sign-in

    package struct SignIn: Codable, Equatable, Sendable {
        package var email: Email?
        package var phoneNumber: Phone?
        package var anonymous: Anonymous?
        package var allowDuplicateEmails: Bool?

        package init() {}

        package struct Email: Codable, Equatable, Sendable {
            package var enabled: Bool?
            /// `false` also allows sign-in by e-mail link.
            package var passwordRequired: Bool?
            /// Set only in the effective configuration of a tenant, whose two switches are independent. Never in a
            /// document.
            package var linkEnabled: Bool?

            package init() {}
        }

        package struct Phone: Codable, Equatable, Sendable {
            package var enabled: Bool?
            /// E.164 number to six-digit code.
            package var testPhoneNumbers: [String: String]?

            package init() {}
        }

        package struct Anonymous: Codable, Equatable, Sendable {
            package var enabled: Bool?

            package init() {}
        }
    }

    // MARK: Factors and privacy

    /// `state` and `enabledProviders` apply only to SMS; TOTP is enabled by its own entry.
    package struct MultiFactor: Codable, Equatable, Sendable {
        package enum State: String, CaseIterable, Codable, Sendable {
            case disabled = "DISABLED", enabled = "ENABLED", mandatory = "MANDATORY"
        }
        package enum Provider: String, CaseIterable, Codable, Sendable { case phoneSMS = "PHONE_SMS" }
        package var state: State?
        package var enabledProviders: [Provider]?
        package var providerConfigs: [ProviderConfig]?

        package init() {}

        package struct ProviderConfig: Codable, Equatable, Sendable {
            package var state: State?
            package var totpProviderConfig: TOTP?

            package init() {}
        }

        package struct TOTP: Codable, Equatable, Sendable {
            /// Steps of 30 s accepted on either side, 0 to 10; absent: 5 if never set, 0 if set to 0.
            package var adjacentIntervals: Int?

            package init() {}
        }
    }

    package struct EmailPrivacy: Codable, Equatable, Sendable {
        package var enableImprovedEmailPrivacy: Bool?

        package init() {}
    }

    package struct PasswordPolicy: Codable, Equatable, Sendable {
        package enum Enforcement: String, CaseIterable, Codable, Sendable { case off = "OFF", enforce = "ENFORCE" }
        /// The lowest minimum length that a policy may set, and the default of a policy without one.
        package static let lowestMinimumLength = 6
        /// The highest maximum length that a policy may set, and the default.
        package static let highestMaximumLength = 4096

        package var passwordPolicyEnforcementState: Enforcement?
        package var forceUpgradeOnSignin: Bool?
        package var passwordPolicyVersions: [Version]?
        /// RFC 3339, set by the server.
        package var lastUpdateTime: String?

        package init() {}

        package struct Version: Codable, Equatable, Sendable {
            package var customStrengthOptions: StrengthOptions?

            package init() {}
        }

        package struct StrengthOptions: Codable, Equatable, Sendable {
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
    package struct SMSRegions: Codable, Equatable, Sendable {
        package var allowByDefault: AllowByDefault?
        package var allowlistOnly: AllowlistOnly?

        package init() {}

        package struct AllowByDefault: Codable, Equatable, Sendable {
            package var disallowedRegions: [String]?

            package init() {}
        }

        package struct AllowlistOnly: Codable, Equatable, Sendable {
            package var allowedRegions: [String]?

            package init() {}
        }
    }

    // MARK: Hooks and challenges

    package struct BlockingFunctions: Codable, Equatable, Sendable {
        package var triggers: [String: Trigger]?
        package var forwardInboundCredentials: InboundCredentials?

        package init() {}

        package struct Trigger: Codable, Equatable, Sendable {
            package var functionUri: String?
            /// RFC 3339, set by the server.
            package var updateTime: String?

            package init() {}
        }

        package struct InboundCredentials: Codable, Equatable, Sendable {
            package var idToken: Bool?
            package var accessToken: Bool?
            package var refreshToken: Bool?

            package init() {}
        }
    }

    package struct Recaptcha: Codable, Equatable, Sendable {
        package enum Enforcement: String, CaseIterable, Codable, Sendable {
            case off = "OFF", audit = "AUDIT", enforce = "ENFORCE"
        }
        package enum Platform: String, CaseIterable, Codable, Sendable {
            case web = "WEB", ios = "IOS", android = "ANDROID"
        }
        package enum Action: String, CaseIterable, Codable, Sendable { case block = "BLOCK" }
        package var emailPasswordEnforcementState: Enforcement?
        package var phoneEnforcementState: Enforcement?
        package var managedRules: [ManagedRule]?
        package var recaptchaKeys: [Key]?
        package var useAccountDefender: Bool?
        package var useSmsBotScore: Bool?
        package var useSmsTollFraudProtection: Bool?
        package var tollFraudManagedRules: [TollFraudRule]?

        package init() {}

        package struct ManagedRule: Codable, Equatable, Sendable {
            package var endScore: Double?
            package var action: Action?

            package init() {}
        }

        package struct TollFraudRule: Codable, Equatable, Sendable {
            package var startScore: Double?
            package var action: Action?

            package init() {}
        }

        package struct Key: Codable, Equatable, Sendable {
            package var key: String?
            package var type: Platform?

            package init() {}
        }
    }

    // MARK: Client, messages and the rest

    package struct Client: Codable, Equatable, Sendable {
        package var apiKey: String?
        package var firebaseSubdomain: String?
        package var permissions: Permissions?

        package init() {}

        package struct Permissions: Codable, Equatable, Sendable {
            package var disabledUserSignup: Bool?
            package var disabledUserDeletion: Bool?

            package init() {}
        }
    }

    package struct Notification: Codable, Equatable, Sendable {
        package var sendEmail: SendEmail?
        package var sendSms: SendSMS?
        package var defaultLocale: String?

        package init() {}

        package struct SendEmail: Codable, Equatable, Sendable {
            package enum Method: String, CaseIterable, Codable, Sendable {
                case standard = "DEFAULT", customSMTP = "CUSTOM_SMTP"
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

        package struct SMTP: Codable, Equatable, Sendable {
            package enum SecurityMode: String, CaseIterable, Codable, Sendable {
                case unspecified = "SECURITY_MODE_UNSPECIFIED", ssl = "SSL", startTLS = "START_TLS"
            }
            package var senderEmail: String?
            package var host: String?
            package var port: Int?
            package var username: String?
            package var password: String?
            package var securityMode: SecurityMode?

            package init() {}
        }

        package struct Template: Codable, Equatable, Sendable {
            package enum BodyFormat: String, CaseIterable, Codable, Sendable {
                case unspecified = "BODY_FORMAT_UNSPECIFIED", plainText = "PLAIN_TEXT", html = "HTML"
            }
            package var senderLocalPart: String?
            package var senderDisplayName: String?
            package var subject: String?
            package var body: String?
            package var bodyFormat: BodyFormat?
            package var replyTo: String?
            package var customized: Bool?

            package init() {}
        }

        package struct DNSInfo: Codable, Equatable, Sendable {
            package var useCustomDomain: Bool?
            package var customDomain: String?

            package init() {}
        }

        package struct SendSMS: Codable, Equatable, Sendable {
            package var useDeviceLocale: Bool?
            package var smsTemplate: Template?

            package init() {}

            package struct Template: Codable, Equatable, Sendable {
                package var content: String?

                package init() {}
            }
        }
    }

    package struct MultiTenant: Codable, Equatable, Sendable {
        package var allowTenants: Bool?
        package var defaultTenantLocation: String?

        package init() {}
    }

    package struct Quota: Codable, Equatable, Sendable {
        package var signUpQuotaConfig: SignUpQuota?

        package init() {}

        package struct SignUpQuota: Codable, Equatable, Sendable {
            /// An int64: a JSON string in the document.
            package var quota: String?
            package var startTime: String?
            package var quotaDuration: String?

            package init() {}
        }
    }

    package struct Monitoring: Codable, Equatable, Sendable {
        package var requestLogging: RequestLogging?

        package init() {}

        package struct RequestLogging: Codable, Equatable, Sendable {
            package var enabled: Bool?

            package init() {}
        }
    }

    package struct MobileLinks: Codable, Equatable, Sendable {
        package enum Domain: String, CaseIterable, Codable, Sendable {
            case unspecified = "DOMAIN_UNSPECIFIED", firebaseDynamicLink = "FIREBASE_DYNAMIC_LINK_DOMAIN"
            case hosting = "HOSTING_DOMAIN"
        }
        package var domain: Domain?

        package init() {}
    }
}

// MARK: - Reading with defaults

extension ProjectConfiguration {
    package var allowsPasswordSignIn: Bool { signIn?.email?.enabled ?? false }
    /// Sign-in by e-mail link: allowed with e-mail sign-in unless a password is required.
    package var allowsEmailLinkSignIn: Bool {
        signIn?.email?.linkEnabled ?? (allowsPasswordSignIn && signIn?.email?.passwordRequired == false)
    }
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
