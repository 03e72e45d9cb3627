import Contracts
import PhoneNumbers

/// Whether a project sends to the region and type of a number (security rule SM7). It is checked before anything is
/// counted.
/// - Returns: `numberTypeNotAllowed` or `regionBlocked`; nil when the number may get messages.
func regionError(
    of number: ParsedPhoneNumber, _ configuration: ProjectConfiguration, _ policy: SendingPolicy
) -> SMSError? {
    // Satellite, international premium-rate and international network numbers belong to no country.
    guard let region = number.region, policy.numberTypes.contains(number.kind) else { return .numberTypeNotAllowed }
    let regions = configuration.smsRegionConfig
    if let list = regions?.allowlistOnly {
        // An empty list allows no region.
        return list.allowedRegions?.contains(region) == true ? nil : .regionBlocked
    }
    return regions?.allowByDefault?.disallowedRegions?.contains(region) == true ? .regionBlocked : nil
}
