import Contracts
import Vocabulary

// Settings of the REST reference that have no effect yet. An operator relies on a stored setting, for example on the
// protection of accounts by reCAPTCHA. So a change that sets such a setting is refused by name. Defaults,
// empty values and values that were stored before are accepted, so that a document can be read and sent back.

extension ProjectConfiguration {
    /// - Parameter previous: the stored configuration.
    /// - Throws: `ineffectiveSetting` with the path of the first such setting.
    func refuseIneffectiveSettings(after previous: Self) throws(ServiceError) {
        let before = previous.ineffectiveSettings
        if let setting = ineffectiveSettings.first(where: { !before.contains($0) }) {
            throw .ineffectiveSetting(setting.path)
        }
    }

    /// A setting without an effect.
    private struct IneffectiveSetting: Equatable {
        var path: String
        /// Distinguishes several values of one setting.
        var value = ""
    }

    private var ineffectiveSettings: [IneffectiveSetting] {
        var found: [IneffectiveSetting] = []
        func refuse(_ path: String, when isSet: Bool?, _ value: String = "") {
            if isSet == true { found.append(IneffectiveSetting(path: path, value: value)) }
        }
        refuse("recaptchaConfig.useAccountDefender", when: recaptchaConfig?.useAccountDefender)
        refuse("recaptchaConfig.useSmsBotScore", when: recaptchaConfig?.useSmsBotScore)
        refuse("recaptchaConfig.useSmsTollFraudProtection", when: recaptchaConfig?.useSmsTollFraudProtection)
        for rule in recaptchaConfig?.tollFraudManagedRules ?? [] {
            refuse("recaptchaConfig.tollFraudManagedRules", when: true, "\(rule)")
        }
        let sendEmail = notification?.sendEmail
        if let template = sendEmail?.legacyResetPasswordTemplate {
            refuse("notification.sendEmail.legacyResetPasswordTemplate", when: template != .init(), "\(template)")
        }
        refuse("notification.sendEmail.dnsInfo.useCustomDomain", when: sendEmail?.dnsInfo?.useCustomDomain)
        if let domain = (sendEmail?.dnsInfo?.customDomain).nilIfEmpty {
            refuse("notification.sendEmail.dnsInfo.customDomain", when: true, domain)
        }
        if let location = (multiTenant?.defaultTenantLocation).nilIfEmpty {
            refuse("multiTenant.defaultTenantLocation", when: true, location)
        }
        refuse("notification.sendEmail.method", when: sendEmail?.method == .customSMTP)
        for (name, value) in sendEmail?.smtp?.settings ?? [] {
            refuse("notification.sendEmail.smtp.\(name)", when: !value.isEmpty, value)
        }
        refuse("monitoring.requestLogging.enabled", when: monitoring?.requestLogging?.enabled)
        refuse("autodeleteAnonymousUsers", when: autodeleteAnonymousUsers)
        return found
    }
}

extension ProjectConfiguration.Notification.SMTP {
    /// Every member by name; empty for unset ones.
    fileprivate var settings: [(name: String, value: String)] {
        let port = port.flatMap { $0 == 0 ? nil : String($0) }
        let mode = securityMode.flatMap { $0 == .unspecified ? nil : $0.rawValue }
        return [
            ("host", host ?? ""), ("port", port ?? ""), ("username", username ?? ""), ("password", password ?? ""),
            ("senderEmail", senderEmail ?? ""), ("securityMode", mode ?? ""),
        ]
    }
}

extension TenantConfiguration {
    /// The same for what a tenant has of it.
    func refuseIneffectiveSettings(after previous: TenantConfiguration?) throws(ServiceError) {
        try shared.refuseIneffectiveSettings(after: previous?.shared ?? .init())
    }

    private var shared: ProjectConfiguration {
        var shared = ProjectConfiguration()
        shared.recaptchaConfig = recaptchaConfig
        shared.monitoring = monitoring
        shared.autodeleteAnonymousUsers = autodeleteAnonymousUsers
        return shared
    }
}
