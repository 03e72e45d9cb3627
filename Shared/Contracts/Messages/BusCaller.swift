/// Who sends requests over the bus. Each operation declares its callers (security rule BU3).
package enum BusCaller: String, CaseIterable, Codable, Sendable {
    /// A gateway with the admin listener. It serves what the public listener serves, too.
    case gateway
    /// A gateway that serves the public listener only.
    case publicGateway = "gateway-public"
    case identity
    case mfaSMS = "mfa-sms"
    case mfaTOTP = "mfa-totp"
    case passkey
    case federation
    case notifier
    /// The commands of `latchkey` that send requests.
    case operatorCommand = "operator"

    /// As which callers a process of this service can act. A broker sends no requests of its own.
    package static func all(of service: ServiceName) -> Set<BusCaller> {
        switch service {
        case .broker: []
        case .gateway: .everyGateway
        case .identity: [.identity]
        case .mfaSMS: [.mfaSMS]
        case .mfaTOTP: [.mfaTOTP]
        case .passkey: [.passkey]
        case .federation: [.federation]
        case .notifier: [.notifier]
        }
    }
}

extension Set<BusCaller> {
    /// For what users and applications do, and everybody may ask.
    package static let everyGateway: Self = [.gateway, .publicGateway]
    /// For administration: the admin listener alone serves it.
    package static let administration: Self = [.gateway]
    /// For administration, by command too.
    package static let administrationAndCommand: Self = [.gateway, .operatorCommand]
}
