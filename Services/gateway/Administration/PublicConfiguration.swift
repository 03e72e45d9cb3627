import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// The settings of a project that applications may read (REST 2.16), and two legacy names that no library calls
    /// (1.2).
    static let publicConfiguration: [Route] = [
        Route(.get, .v1("projects", v3: "getProjectConfig"), .v1, .client) { call in
            try refuseUnregisteredApplications(call)
            let reply = try await configuration(call)
            return .json(
                ProjectReply(
                    projectId: reply.projectNumber, authorizedDomains: reply.configuration.authorizedDomains ?? []))
        },
        Route(.get, .v1("recaptchaParams", v3: "getRecaptchaParam"), .v1, .client) { call in
            let reply = try await configuration(call)
            return .json(
                RecaptchaParameters(
                    recaptchaSiteKey: call.settings.recaptchaSiteKey
                        ?? reply.configuration.recaptchaConfig?.key(for: .web) ?? RecaptchaParameters.noSiteKey,
                    producerProjectNumber: reply.projectNumber))
        },
        Route(.get, .v2("recaptchaConfig"), .v2, .client) { call in
            let platform = try recaptchaPlatform(call)
            return .json(RecaptchaReply(try await configuration(call), for: platform))
        },
        Route(.get, .v2("passwordPolicy"), .v2, .client) { call in
            .json(PasswordPolicyReply(try await configuration(call).configuration, isDev: call.settings.isDev))
        },
        .notImplemented("signing out by the legacy name", .post, .v3("signOutUser"), .v1, .client),
        .notImplemented("configuration by the legacy name", .post, .v3("setProjectConfig"), .v1, .administrator),
    ]

    /// The configuration in effect for the realm of the query.
    private static func configuration(_ call: Call) async throws -> Identity.ResolveConfiguration.Reply {
        try await call.send(Identity.ResolveConfiguration(realm: call.realm(RealmFields(call.request))))
    }

    /// The app ID is optional. A client that sends one must send it in this format.
    private static func refuseUnregisteredApplications(_ call: Call) throws(APIError) {
        if let clientID = call.request.queryItem("clientId").nilIfEmpty,
            clientID.utf8.count > 255 || clientID.utf8.contains(where: { !(0x21...0x7e).contains($0) })
        {
            throw APIError(.invalidOAuthClientID)
        }
        if let appID = call.request.queryItem("firebaseAppId").nilIfEmpty {
            // `1:<number>:<platform>:<hexadecimal>`
            var parts = appID.pieces(at: ":")[...]
            guard parts.count == 4, parts.popFirst().flatMap({ Int($0) }) != nil,
                parts.popFirst()?.isASCIIDigits == true,
                parts.popFirst().map({ ["ios", "android", "web"].contains($0) }) == true,
                parts.popFirst()?.isASCIIHexadecimal == true
            else { throw APIError(.invalidAppID) }
        }
        if let hash = call.request.queryItem("sha1Cert").nilIfEmpty {
            let digits = hash.filter { $0 != ":" }
            guard digits.utf8.count == 40, digits.isASCIIHexadecimal else { throw APIError(.invalidCertificateHash) }
        }
    }

    private static func recaptchaPlatform(_ call: Call) throws(APIError) -> ProjectConfiguration.Recaptcha.Platform {
        guard let clientType = call.request.queryItem("clientType").nilIfEmpty else {
            throw APIError(.missingClientType)
        }
        guard let version = call.request.queryItem("version").nilIfEmpty else {
            throw APIError(.missingRecaptchaVersion)
        }
        guard version == "RECAPTCHA_ENTERPRISE" else { throw APIError(.invalidRecaptchaVersion) }
        switch clientType {
        case "CLIENT_TYPE_WEB", "1": return .web
        case "CLIENT_TYPE_ANDROID", "2": return .android
        case "CLIENT_TYPE_IOS", "3": return .ios
        default: throw .invalidValue(at: "client_type", type: "TYPE_ENUM")
        }
    }
}

extension RealmFields {
    /// From the query, for calls without a body.
    fileprivate init(_ request: HTTPRequest) {
        self.init(tenantId: request.queryItem("tenantId") ?? request.queryItem("tenant_id"))
    }
}

private struct ProjectReply: Encodable {
    /// The project number.
    var projectId: String
    var authorizedDomains: [String]
}

private struct RecaptchaParameters: Encodable {
    /// Clients require a text here and do not use it where verification is off.
    static let noSiteKey = "no-recaptcha-key-is-configured"

    var kind = "identitytoolkit#GetRecaptchaParamResponse"
    var recaptchaSiteKey: String
    var recaptchaStoken = "not-used"
    var producerProjectNumber: String
}

private struct RecaptchaReply: Encodable {
    struct State: Encodable {
        var provider: String
        var enforcementState: ProjectConfiguration.Recaptcha.Enforcement
    }
    /// Four segments separated by slashes: the iOS library counts them.
    var recaptchaKey: String?
    var recaptchaEnforcementState: [State]

    /// Without a key for the platform, its clients cannot comply with enforcement, so it is reported as off.
    init(_ reply: Identity.ResolveConfiguration.Reply, for platform: ProjectConfiguration.Recaptcha.Platform) {
        let settings = reply.configuration.recaptchaConfig
        let key = settings?.key(for: platform)
        recaptchaKey = key.map { "projects/\(reply.projectNumber)/keys/\($0)" }
        recaptchaEnforcementState = [
            .init(
                provider: "EMAIL_PASSWORD_PROVIDER",
                enforcementState: key == nil ? .off : settings?.emailPasswordEnforcementState ?? .off),
            .init(
                provider: "PHONE_PROVIDER",
                enforcementState: settings?.phoneEnforcement(on: platform) ?? .off),
        ]
    }
}

private struct PasswordPolicyReply: Encodable {
    struct Options: Encodable {
        var minPasswordLength: Int
        var maxPasswordLength: Int
        // Only true requirements are encoded: clients treat an absent one as false.
        var containsLowercaseCharacter: Bool?
        var containsUppercaseCharacter: Bool?
        var containsNumericCharacter: Bool?
        var containsNonAlphanumericCharacter: Bool?
    }
    var customStrengthOptions: Options
    var allowedNonAlphanumericCharacters = "^$*.[]{}()?\"!@#%&/\\,><':;|_~".map(String.init)
    var enforcementState: ProjectConfiguration.PasswordPolicy.Enforcement
    var forceUpgradeOnSignin: Bool
    /// Clients reject any other version.
    var schemaVersion = 1

    init(_ configuration: ProjectConfiguration, isDev: Bool) {
        let policy = configuration.passwordPolicyConfig
        let options = policy?.passwordPolicyVersions?.first?.customStrengthOptions
        enforcementState = policy?.passwordPolicyEnforcementState ?? .off
        forceUpgradeOnSignin = policy?.forceUpgradeOnSignin ?? false
        customStrengthOptions = Options(
            minPasswordLength: options?.minPasswordLength
                ?? (enforcementState == .enforce
                    ? ProjectConfiguration.PasswordPolicy.lowestMinimumLength
                    : configuration.minimumPasswordLength(isDev: isDev)),
            maxPasswordLength: options?.maxPasswordLength ?? ProjectConfiguration.PasswordPolicy.highestMaximumLength,
            containsLowercaseCharacter: options?.containsLowercaseCharacter.flatMap { $0 ? true : nil },
            containsUppercaseCharacter: options?.containsUppercaseCharacter.flatMap { $0 ? true : nil },
            containsNumericCharacter: options?.containsNumericCharacter.flatMap { $0 ? true : nil },
            containsNonAlphanumericCharacter: options?.containsNonAlphanumericCharacter.flatMap { $0 ? true : nil })
    }
}
