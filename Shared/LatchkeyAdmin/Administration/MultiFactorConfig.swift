/// The second factors that a project or tenant offers.
///
/// Properties that are nil stay as they are:
///
/// ```swift
/// try await admin.projectConfigManager().updateProjectConfig(
///     multiFactorConfig: MultiFactorConfig(
///         providerConfigs: [.init(state: .enabled, totpProviderConfig: .init(adjacentIntervals: 5))]))
/// ```
public struct MultiFactorConfig: Hashable, Sendable {
    /// Whether a factor is offered.
    public enum State: String, Codable, Sendable {
        case disabled = "DISABLED"
        case enabled = "ENABLED"
        /// Users must have a second factor.
        case mandatory = "MANDATORY"
    }

    /// Factors whose IDs the property ``MultiFactorConfig/factorIDs`` contains.
    public enum FactorID: String, Codable, Sendable {
        case phone = "PHONE_SMS"
    }

    /// The configuration of one kind of factor.
    public struct ProviderConfig: Codable, Hashable, Sendable {
        /// Whether the factor is offered.
        public var state: State?
        /// Present for authenticator apps, the only kind that has a configuration.
        public var totpProviderConfig: TOTPProviderConfig?

        /// The configuration of one kind of factor.
        public init(state: State, totpProviderConfig: TOTPProviderConfig) {
            self.state = state
            self.totpProviderConfig = totpProviderConfig
        }
    }

    /// The configuration of authenticator apps.
    public struct TOTPProviderConfig: Codable, Hashable, Sendable {
        /// How many intervals of 30 seconds before and after the present one are accepted: 0 to 10.
        public var adjacentIntervals: Int?

        /// - Parameter adjacentIntervals: nil for the 5 of the server.
        public init(adjacentIntervals: Int? = nil) { self.adjacentIntervals = adjacentIntervals }
    }

    /// Whether phones are offered as second factors.
    public var state: State?
    /// The factors that ``state`` is about.
    public var factorIDs: [FactorID]?
    /// The configurations of the other factors. They replace all former ones.
    public var providerConfigs: [ProviderConfig]?

    /// A change, or a whole configuration.
    public init(
        state: State? = nil, providerConfigs: [ProviderConfig]? = nil, factorIDs: [FactorID]? = nil
    ) {
        self.state = state
        self.providerConfigs = providerConfigs
        self.factorIDs = factorIDs
    }

    /// The paths of a field mask for the properties that are not nil. A mask of the whole would clear the others.
    func mask(below parent: String) -> [String] {
        [
            state.map { _ in "\(parent).state" }, factorIDs.map { _ in "\(parent).enabledProviders" },
            providerConfigs.map { _ in "\(parent).providerConfigs" },
        ].compactMap { $0 }
    }
}

extension MultiFactorConfig: Codable {
    private enum CodingKeys: String, CodingKey {
        case state, providerConfigs
        case factorIDs = "enabledProviders"
    }
}
