import Contracts
import Vocabulary

/// The rules for a project's configuration beyond its types (REST 5.1), and its default values.
extension ProjectConfiguration {
    static let maximumTestPhoneNumbers = 10

    /// The configuration of a new project: password sign-in, and in dev mode also anonymous users, phones and tenants.
    /// - Parameter publicHost: of `LATCHKEY_PUBLIC_URL`: its pages, and links to them, need an authorized domain.
    static func initial(isDev: Bool, apiKey: String, publicHost: String? = nil) -> Self {
        var configuration = ProjectConfiguration()
        var signIn = SignIn()
        signIn.email = .init()
        signIn.email?.enabled = true
        signIn.email?.passwordRequired = !isDev
        signIn.anonymous = .init()
        signIn.anonymous?.enabled = isDev
        signIn.phoneNumber = .init()
        signIn.phoneNumber?.enabled = isDev
        signIn.allowDuplicateEmails = false
        configuration.signIn = signIn
        configuration.authorizedDomains = ["localhost"]
        // An address is no domain, and in dev mode the public URL has one. Its last label is a number.
        if let publicHost, publicHost != "localhost", Self.isHostName(publicHost),
            publicHost.pieces(at: ".").last?.isASCIIDigits == false
        {
            configuration.authorizedDomains?.append(publicHost)
        }
        configuration.mfa = .init()
        configuration.mfa?.state = .disabled
        configuration.emailPrivacyConfig = .init()
        configuration.emailPrivacyConfig?.enableImprovedEmailPrivacy = true
        configuration.client = .init()
        configuration.client?.apiKey = apiKey
        configuration.multiTenant = .init()
        configuration.multiTenant?.allowTenants = isDev
        return configuration
    }

    /// The document to store: checked, without incomplete entries, with implied values and times of change.
    /// - Parameters:
    ///   - previous: the stored document.
    ///   - now: RFC 3339.
    ///   - isDev: allows origins and pages of passkeys without TLS on this machine, and blocking functions without TLS.
    func checked(
        after previous: ProjectConfiguration, at now: String, isDev: Bool
    ) throws(ServiceError) -> Self {
        var checked = self
        checked.mfa = try mfa?.checked()
        checked.passkeyConfig = try passkeyConfig?.checked(after: previous.passkeyConfig, isDev: isDev)
        checked.branding = try branding?.checked(after: previous.branding)
        checked.passwordPolicyConfig = try passwordPolicyConfig?.checked(after: previous.passwordPolicyConfig, at: now)
        checked.blockingFunctions = try blockingFunctions?.checked(
            after: previous.blockingFunctions, at: now, isDev: isDev)
        for (number, code) in signIn?.phoneNumber?.testPhoneNumbers ?? [:] {
            let isCode = code.utf8.count == 6 && code.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard PhoneNumber(number) != nil, isCode else { throw ServiceError(.invalidTestPhoneNumber) }
        }
        guard (signIn?.phoneNumber?.testPhoneNumbers ?? [:]).count <= Self.maximumTestPhoneNumbers else {
            throw ServiceError(.invalidTestPhoneNumber)
        }
        if smsRegionConfig?.allowByDefault != nil, smsRegionConfig?.allowlistOnly != nil {
            throw .invalidConfiguration("smsRegionConfig takes one of allowByDefault and allowlistOnly")
        }
        let regions =
            (smsRegionConfig?.allowByDefault?.disallowedRegions ?? [])
            + (smsRegionConfig?.allowlistOnly?.allowedRegions ?? [])
        guard regions.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x41...0x5a).contains($0) } }) else {
            throw .invalidConfiguration("regions are two capital letters (ISO 3166-1)")
        }
        guard (authorizedDomains ?? []).allSatisfy(Self.isHostName) else {
            throw .invalidConfiguration("authorizedDomains holds host names")
        }
        try recaptchaConfig?.check()
        try checkMobileApps()
        try notification?.check()
        try quota?.signUpQuotaConfig?.check()
        try accountDeletion?.check()
        return checked
    }

    /// Labels of letters, digits and hyphens with dots between them; no port, no scheme, no wildcard.
    private static func isHostName(_ text: String) -> Bool {
        let labels = text.pieces(at: ".")
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.utf8.first != UInt8(ascii: "-")
                    && label.utf8.last != UInt8(ascii: "-")
                    && label.unicodeScalars.allSatisfy {
                        $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-"
                    }
            }
    }
}

extension ProjectConfiguration.BlockingFunctions {
    /// Each trigger with the time of its last change.
    fileprivate func checked(after previous: Self?, at now: String, isDev: Bool) throws(ServiceError) -> Self {
        var checked = self
        for (name, trigger) in triggers ?? [:] {
            guard BlockingFunctionEvent(rawValue: name) != nil else {
                throw .invalidBlockingFunction("\(name) is not an event")
            }
            guard let uri = trigger.functionUri, let url = WebURL(uri), url.fragment == nil else {
                throw .invalidBlockingFunction("functionUri of \(name) must be an absolute URL")
            }
            guard url.isSecure || isDev else {
                throw .invalidBlockingFunction("functionUri of \(name) must be an https URL")
            }
            let before = previous?.triggers?[name]
            checked.triggers?[name]?.updateTime = before?.functionUri == uri ? before?.updateTime ?? now : now
        }
        return checked
    }
}

extension ProjectConfiguration.MultiFactor {
    static let adjacentIntervals = 0...10
    static let daysOfRememberedDevices = 0...90

    /// An entry without `totpProviderConfig` is dropped; a subtree without `state` says disabled.
    fileprivate func checked() throws(ServiceError) -> Self {
        var checked = self
        checked.state = state ?? .disabled
        checked.providerConfigs = providerConfigs?.filter(\.configuresFactor)
        for entry in checked.providerConfigs ?? [] {
            if let intervals = entry.totpProviderConfig?.adjacentIntervals, !Self.adjacentIntervals.contains(intervals)
            {
                throw ServiceError(.invalidAdjacentIntervalRange)
            }
        }
        guard (checked.providerConfigs ?? []).count <= 1 else {
            throw .invalidConfiguration("mfa.providerConfigs takes one TOTP entry")
        }
        if let days = rememberedDeviceDays, !Self.daysOfRememberedDevices.contains(days) {
            throw .invalidConfiguration(
                "mfa.rememberedDeviceDays must be 0 to \(Self.daysOfRememberedDevices.upperBound)")
        }
        return checked
    }
}

extension ProjectConfiguration.AccountDeletion {
    static let daysOfGrace = 0...90

    fileprivate func check() throws(ServiceError) {
        if let graceDays, !Self.daysOfGrace.contains(graceDays) {
            throw .invalidConfiguration("accountDeletion.graceDays must be 0 to \(Self.daysOfGrace.upperBound)")
        }
    }
}

extension ProjectConfiguration.PasswordPolicy {
    static let minimumLengths = lowestMinimumLength...30
    static let maximumLength = highestMaximumLength

    /// The policy with the time of its last change.
    fileprivate func checked(after previous: Self?, at now: String) throws(ServiceError) -> Self {
        try check()
        var before = previous ?? .init()
        before.lastUpdateTime = lastUpdateTime
        var checked = self
        checked.lastUpdateTime = before == self ? previous?.lastUpdateTime ?? now : now
        return checked
    }

    private func check() throws(ServiceError) {
        let versions = passwordPolicyVersions ?? []
        guard versions.count <= 1 else { throw .invalidConfiguration("one password policy version can be set") }
        guard let options = versions.first?.customStrengthOptions else { return }
        let minimum = options.minPasswordLength ?? Self.minimumLengths.lowerBound
        let maximum = options.maxPasswordLength ?? Self.maximumLength
        guard Self.minimumLengths.contains(minimum), maximum <= Self.maximumLength, minimum <= maximum else {
            throw .invalidConfiguration("password lengths: minimum 6 to 30, maximum up to 4096")
        }
    }
}

// MARK: - Password rules

extension ProjectConfiguration {
    /// The rules for new passwords in this project.
    func passwordRules(isDev: Bool) -> PasswordRules {
        .init(
            minimumLength: minimumPasswordLength(isDev: isDev), refusesGuessable: !isDev,
            policy: enforcedPasswordPolicy)
    }

    private var enforcedPasswordPolicy: PasswordRules.Policy? {
        guard passwordPolicyConfig?.passwordPolicyEnforcementState == .enforce else { return nil }
        let options = passwordPolicyConfig?.passwordPolicyVersions?.first?.customStrengthOptions
        let minimum = options?.minPasswordLength ?? PasswordPolicy.minimumLengths.lowerBound
        return .init(
            lengths: minimum...max(minimum, options?.maxPasswordLength ?? PasswordPolicy.maximumLength),
            demandsLowercase: options?.containsLowercaseCharacter ?? false,
            demandsUppercase: options?.containsUppercaseCharacter ?? false,
            demandsNumeric: options?.containsNumericCharacter ?? false,
            demandsNonAlphanumeric: options?.containsNonAlphanumericCharacter ?? false)
    }

    /// Whether a password from before the policy must meet it at sign-in.
    var enforcesPolicyAtSignIn: Bool { passwordPolicyConfig?.forceUpgradeOnSignin ?? false }
}
