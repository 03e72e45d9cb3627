import Contracts
import PhoneNumbers

/// Why a number gets no messages. Its owner sees the same error for both.
enum RegionRefusal: Equatable, Sendable {
    /// The project sends no SMS to this region.
    case region
    /// Premium, satellite, shared-cost and unknown numbers.
    case numberType
}

extension ServiceError {
    static let regionNotAllowed = ServiceError(
        .operationNotAllowed, "SMS unable to be sent until this region enabled by the app developer.")

    /// The project has no SMS second factors.
    static let secondFactorDisabled = ServiceError(.operationNotAllowed, "SMS based MFA not enabled.")
}

/// Whether a project sends to the region and type of a number (security rule SM7). It is checked before anything is
/// counted.
/// - Returns: nil when the number may get messages.
func regionRefusal(
    of number: ParsedPhoneNumber, _ configuration: ProjectConfiguration, _ policy: SendingPolicy
) -> RegionRefusal? {
    // Satellite, international premium-rate and international network numbers belong to no country.
    guard let region = number.region, policy.numberTypes.contains(number.kind) else { return .numberType }
    let regions = configuration.smsRegionConfig
    if let list = regions?.allowlistOnly {
        // An empty list allows no region.
        return list.allowedRegions?.contains(region) == true ? nil : .region
    }
    return regions?.allowByDefault?.disallowedRegions?.contains(region) == true ? .region : nil
}
