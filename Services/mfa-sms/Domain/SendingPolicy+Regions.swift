import Contracts
import PhoneNumbers

/// Whether a project sends to such a number at all (security rule SM7): before anything is counted or costs.
/// - Returns: `numberTypeNotAllowed` or `regionBlocked`; nil for one that gets messages.
func regionError(
    of number: ParsedPhoneNumber, _ configuration: ProjectConfiguration, _ policy: SendingPolicy
) -> SMSError? {
    // Satellites, international premium rate and international networks belong to no country.
    guard let region = number.region, policy.numberTypes.contains(number.kind) else { return .numberTypeNotAllowed }
    let regions = configuration.smsRegionConfig
    if let list = regions?.allowlistOnly {
        // A list without entries allows nothing: it is how the operator has begun.
        return list.allowedRegions?.contains(region) == true ? nil : .regionBlocked
    }
    return regions?.allowByDefault?.disallowedRegions?.contains(region) == true ? .regionBlocked : nil
}
