import Contracts
import Vocabulary

/// The settings of a project that the console changes, as the texts of its form.
struct ConsoleSettings: Equatable, Sendable {
    enum Field: String, CaseIterable, Sendable {
        case passwordSignIn, linkSignIn, codeSignIn, phoneSignIn, anonymousSignIn, selfSignUp
        case appFactor, smsFactor
        case minimumLength, domains, testNumbers

        enum Kind: Sendable { case toggle, factor, number, lines }

        var kind: Kind {
            switch self {
            case .passwordSignIn, .linkSignIn, .codeSignIn, .phoneSignIn, .anonymousSignIn, .selfSignUp: .toggle
            case .appFactor, .smsFactor: .factor
            case .minimumLength: .number
            case .domains, .testNumbers: .lines
            }
        }
    }

    static let on = "on"
    static let off = "off"
    static let optional = "optional"
    static let mandatory = "mandatory"

    /// A text that stands for no setting: a line, or what a field had.
    struct InvalidText: Error, Equatable {
        var field: Field
        var text: String
    }

    private var texts: [Field: String] = [:]

    subscript(field: Field) -> String { texts[field] ?? "" }

    /// The settings of a configuration.
    init(_ configuration: ProjectConfiguration) {
        for field in Field.allCases { texts[field] = Self.text(of: field, in: configuration) }
    }

    /// The fields of a form. Other fields have no effect, and one that is missing keeps its setting.
    init(_ form: [String: String], otherwise current: ConsoleSettings) {
        for field in Field.allCases {
            let text = form[field.rawValue].map { field.kind == .lines ? Self.normalized($0) : $0 }
            texts[field] = text ?? current[field]
        }
    }

    /// The fields in which the settings differ from others.
    func differences(from other: ConsoleSettings) -> [Field] { Field.allCases.filter { self[$0] != other[$0] } }

    /// Browsers end lines with CR and LF.
    private static func lines(of text: String) -> [String] {
        text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { line in
            line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
                .joined(separator: " ")
        }.filter { !$0.isEmpty }
    }

    private static func normalized(_ text: String) -> String { lines(of: text).joined(separator: "\n") }

    // MARK: Reading

    private static func text(of field: Field, in configuration: ProjectConfiguration) -> String {
        func toggle(_ isOn: Bool) -> String { isOn ? on : off }
        return switch field {
        case .passwordSignIn: toggle(configuration.allowsPasswordSignIn)
        case .linkSignIn: toggle(configuration.allowsEmailLinkSignIn)
        case .codeSignIn: toggle(configuration.allowsEmailCodes)
        case .phoneSignIn: toggle(configuration.allowsPhoneSignIn)
        case .anonymousSignIn: toggle(configuration.signIn?.anonymous?.enabled ?? false)
        case .selfSignUp: toggle(configuration.allowsSelfSignUp)
        case .appFactor: text(of: configuration.mfa?.providerConfigs?.first { $0.totpProviderConfig != nil }?.state)
        case .smsFactor:
            configuration.mfa?.enabledProviders?.contains(.phoneSMS) == true ? text(of: configuration.mfa?.state) : off
        case .minimumLength:
            configuration.passwordPolicyConfig?.passwordPolicyVersions?.first?.customStrengthOptions?
                .minPasswordLength.map { String($0) } ?? ""
        case .domains: (configuration.authorizedDomains ?? []).joined(separator: "\n")
        case .testNumbers:
            (configuration.signIn?.phoneNumber?.testPhoneNumbers ?? [:]).sorted { $0.key < $1.key }
                .map { "\($0.key) \($0.value)" }.joined(separator: "\n")
        }
    }

    private static func text(of state: ProjectConfiguration.MultiFactor.State?) -> String {
        switch state {
        case .enabled: optional
        case .mandatory: mandatory
        case .disabled, nil: off
        }
    }

    // MARK: Changing

    /// Sets what differs. The rest of the configuration stays as it is.
    /// - Throws: `InvalidText`.
    func apply(to configuration: inout ProjectConfiguration) throws(InvalidText) {
        for field in differences(from: ConsoleSettings(configuration)) { try apply(field, to: &configuration) }
    }

    private func apply(_ field: Field, to configuration: inout ProjectConfiguration) throws(InvalidText) {
        var signIn = configuration.signIn ?? .init()
        switch field {
        case .passwordSignIn:
            var email = signIn.email ?? .init()
            email.enabled = try toggle(field)
            signIn.email = email
        case .linkSignIn:
            var email = signIn.email ?? .init()
            email.passwordRequired = try !toggle(field)
            signIn.email = email
        case .codeSignIn:
            var codes = ProjectConfiguration.SignIn.EmailCode()
            codes.enabled = try toggle(field)
            signIn.emailCode = codes
        case .phoneSignIn:
            var phone = signIn.phoneNumber ?? .init()
            phone.enabled = try toggle(field)
            signIn.phoneNumber = phone
        case .anonymousSignIn:
            var anonymous = ProjectConfiguration.SignIn.Anonymous()
            anonymous.enabled = try toggle(field)
            signIn.anonymous = anonymous
        case .testNumbers:
            var phone = signIn.phoneNumber ?? .init()
            phone.testPhoneNumbers = try testNumbers
            signIn.phoneNumber = phone
        case .selfSignUp:
            var client = configuration.client ?? .init()
            var permissions = client.permissions ?? .init()
            permissions.disabledUserSignup = try !toggle(field)
            client.permissions = permissions
            configuration.client = client
            return
        case .appFactor: return try applyAppFactor(to: &configuration)
        case .smsFactor: return try applySMSFactor(to: &configuration)
        case .minimumLength: return try applyMinimumLength(to: &configuration)
        case .domains:
            configuration.authorizedDomains = Self.lines(of: self[.domains])
            return
        }
        configuration.signIn = signIn
    }

    private func toggle(_ field: Field) throws(InvalidText) -> Bool {
        switch self[field] {
        case Self.on: true
        case Self.off: false
        default: throw InvalidText(field: field, text: self[field])
        }
    }

    private func state(_ field: Field) throws(InvalidText) -> ProjectConfiguration.MultiFactor.State {
        switch self[field] {
        case Self.off: .disabled
        case Self.optional: .enabled
        case Self.mandatory: .mandatory
        default: throw InvalidText(field: field, text: self[field])
        }
    }

    private func applyAppFactor(to configuration: inout ProjectConfiguration) throws(InvalidText) {
        let state = try state(.appFactor)
        var factors = configuration.mfa ?? .init()
        var entries = factors.providerConfigs ?? []
        var entry = ProjectConfiguration.MultiFactor.ProviderConfig()
        entry.totpProviderConfig = entries.first { $0.totpProviderConfig != nil }?.totpProviderConfig ?? .init()
        entry.state = state
        entries.removeAll { $0.totpProviderConfig != nil }
        factors.providerConfigs = entries + [entry]
        configuration.mfa = factors
    }

    /// The outer state is that of text messages.
    private func applySMSFactor(to configuration: inout ProjectConfiguration) throws(InvalidText) {
        let state = try state(.smsFactor)
        var factors = configuration.mfa ?? .init()
        factors.state = state
        factors.enabledProviders = state == .disabled ? [] : [.phoneSMS]
        configuration.mfa = factors
    }

    private func applyMinimumLength(to configuration: inout ProjectConfiguration) throws(InvalidText) {
        let text = self[.minimumLength]
        let length = Int(text)
        guard text.isEmpty || length != nil else { throw InvalidText(field: .minimumLength, text: text) }
        var policy = configuration.passwordPolicyConfig ?? .init()
        var version = policy.passwordPolicyVersions?.first ?? .init()
        var strength = version.customStrengthOptions ?? .init()
        strength.minPasswordLength = length
        version.customStrengthOptions = strength
        policy.passwordPolicyVersions = [version]
        if length != nil { policy.passwordPolicyEnforcementState = .enforce }
        configuration.passwordPolicyConfig = policy
    }

    private var testNumbers: [String: String] {
        get throws(InvalidText) {
            var numbers: [String: String] = [:]
            for line in Self.lines(of: self[.testNumbers]) {
                let (number, code) = line.halves(at: " ")
                guard let code, !code.utf8.contains(UInt8(ascii: " ")) else {
                    throw InvalidText(field: .testNumbers, text: line)
                }
                numbers[String(number)] = String(code)
            }
            return numbers
        }
    }
}
