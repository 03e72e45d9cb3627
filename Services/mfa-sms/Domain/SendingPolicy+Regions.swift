import Contracts
import PhoneNumbers

/// Whether a project sends to such a number (security rule SM7): evaluated before counts and cost.
/// - Returns: `numberTypeNotAllowed` or `regionBlocked`; nil for an allowed number.
func regionError(
    of number: ParsedPhoneNumber, _ configuration: ProjectConfiguration, _ policy: SendingPolicy
) -> SMSError? {
    // Satellite, international premium-rate and international network numbers belong to no country.
    guard let region = number.region, policy.numberTypes.contains(number.kind) else { return .numberTypeNotAllowed }
    let regions = configuration.smsRegionConfig
    if let list = regions?.allowlistOnly {
        // An empty allowlist allows nothing.
        return list.allowedRegions?.contains(region) == true ? nil : .regionBlocked
    }
    return regions?.allowByDefault?.disallowedRegions?.contains(region) == true ? .regionBlocked : nil
}
