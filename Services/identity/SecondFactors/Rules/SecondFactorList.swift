import Contracts
import Vocabulary

/// The second factors of an account as an administrator replaces them (REST 2.12, `mfa.enrollments`).
enum SecondFactorList {
    /// Maximum of all kinds together.
    static let limit = 5

    /// The new list. An entry with a number is a phone factor; one without keeps the TOTP factor of its id. A repeated
    /// number counts once, under its first entry.
    /// - Parameter entries: each with an ID, from the administrator or the service.
    static func replacing(
        _ current: [SecondFactor], by entries: [Identity.FactorEntry], at now: Moment
    ) throws(IdentityError) -> [SecondFactor] {
        var replaced: [SecondFactor] = []
        for (position, entry) in entries.enumerated() {
            guard let id = entry.id, id.isAcceptable else { throw .invalidFactorID }
            let kept = current.first { $0.id == id }
            let kind = try kind(of: entry, kept)
            if case .phone = kind, replaced.contains(where: { $0.kind == kind }) { continue }
            guard !replaced.contains(where: { $0.id == id }) else { throw .factorIDExists }
            let isKept = kept?.kind == kind
            replaced.append(
                SecondFactor(
                    id: id, kind: kind,
                    displayName: entry.displayName?.nilIfEmpty ?? (kind == .totp ? kept?.displayName : nil),
                    // Factors are listed by the time of their enrollment. New ones keep their order.
                    enrolledAt: try entry.enrolledAt?.checked()
                        ?? (isKept ? kept?.enrolledAt : nil) ?? now + .milliseconds(position)))
        }
        guard replaced.count <= limit else { throw .tooManyFactors }
        return replaced
    }

    private static func kind(
        of entry: Identity.FactorEntry, _ kept: SecondFactor?
    ) throws(IdentityError) -> SecondFactor.Kind {
        if let text = entry.phoneNumber {
            guard let number = PhoneNumber(text) else { throw .invalidFactorPhoneNumber }
            return .phone(number)
        }
        if kept?.kind == .totp { return .totp }
        throw entry.isTOTP ? .unsupportedSecondFactor : .invalidFactorPhoneNumber
    }
}

extension FactorID {
    /// 1 to 128 characters without controls.
    var isAcceptable: Bool {
        (1...128).contains(rawValue.unicodeScalars.count)
            && rawValue.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    }
}
