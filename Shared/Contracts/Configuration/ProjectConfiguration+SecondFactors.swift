extension ProjectConfiguration {
    /// Whether every account needs a second factor. One that has none gets a session that can enroll one and nothing
    /// else.
    package var requiresSecondFactor: Bool {
        mfa?.state == .mandatory || SecondFactor.Method.allCases.contains { providerState(of: $0) == .mandatory }
    }

    /// Whether an enrolled factor of this kind is asked for (REST 5.1). A project that turns second factors on
    /// without naming a provider asks for every enrolled one.
    package func requiresSecondFactor(_ kind: SecondFactor.Kind) -> Bool { requiresSecondFactor(method: kind.method) }

    /// As `requiresSecondFactor(_:)`.
    package func requiresSecondFactor(method: SecondFactor.Method) -> Bool {
        isEnabled(method) || ((mfa?.state).isOn && !namesSMS)
    }

    /// Whether a factor of this kind can be enrolled. A project that requires a second factor without naming any allows
    /// every kind: otherwise no user could enroll one.
    package func isEnabled(_ method: SecondFactor.Method) -> Bool {
        providerState(of: method).isOn
            || requiresSecondFactor && !SecondFactor.Method.allCases.contains { providerState(of: $0).isOn }
    }

    /// 0: devices are not remembered, and remembered ones are asked for a second factor again.
    package var rememberedDeviceDays: Int { mfa?.rememberedDeviceDays ?? 0 }

    private var namesSMS: Bool { mfa?.enabledProviders?.contains(.phoneSMS) == true }

    /// The state of one kind of factor; nil: the configuration does not name it. The outer state governs SMS alone.
    private func providerState(of method: SecondFactor.Method) -> MultiFactor.State? {
        switch method {
        case .phone: return namesSMS ? mfa?.state : nil
        case .totp:
            let entries = mfa?.providerConfigs?.filter { $0.configures(method) } ?? []
            return entries.first { $0.state == .mandatory }?.state ?? entries.first { $0.state.isOn }?.state
        }
    }
}

extension ProjectConfiguration {
    /// How codes of this method are verified (REST 5.1).
    package func verificationSettings(of method: SecondFactor.Method) -> SecondFactor.VerificationSettings {
        switch method {
        case .phone: .phone
        case .totp:
            .totp(
                windowSteps: mfa?.providerConfigs?.lazy.compactMap(\.totpProviderConfig).first?.adjacentIntervals ?? 5)
        }
    }
}

extension ProjectConfiguration.MultiFactor.ProviderConfig {
    /// Whether the entry configures any kind of factor.
    package var configuresFactor: Bool { SecondFactor.Method.allCases.contains(where: configures) }

    fileprivate func configures(_ method: SecondFactor.Method) -> Bool {
        switch method {
        case .phone: false  // `enabledProviders` names SMS.
        case .totp: totpProviderConfig != nil
        }
    }
}

extension ProjectConfiguration.MultiFactor.State? {
    fileprivate var isOn: Bool {
        switch self {
        case .enabled, .mandatory: true
        case .disabled, nil: false
        }
    }
}
