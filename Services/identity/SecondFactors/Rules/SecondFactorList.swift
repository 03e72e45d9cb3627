import Contracts
import Vocabulary

extension StoredAccount {
    /// - Throws: `factorNotFound`, `invalidDisplayName`.
    mutating func rename(_ renamed: Identity.OwnAccountChanges.RenamedFactor) throws(ServiceError) {
        guard let position = account.secondFactors.firstIndex(where: { $0.id == renamed.id }) else {
            throw ServiceError(.factorNotFound)
        }
        account.secondFactors[position].displayName = try AccountPasskey.checkedName(renamed.name)
    }
}

/// The second factors of an account as an administrator replaces them (REST 2.12, `mfa.enrollments`).
enum SecondFactorList {
    /// Maximum of all kinds together.
    static let limit = 5

    /// The new list. A phone entry is a factor; any other entry keeps the TOTP factor with its ID.
    /// - Parameter entries: each with an ID, of the administrator or of the service.
    static func replacing(
        _ current: [SecondFactor], by entries: [Identity.FactorEntry], at now: Moment
    ) throws(ServiceError) -> [SecondFactor] {
        var replaced: [SecondFactor] = []
        for (position, entry) in entries.enumerated() {
            guard let id = entry.id, id.isAcceptable else { throw ServiceError(.invalidFactorID) }
            let kept = current.first { $0.id == id }
            let kind = try kind(of: entry, kept)
            let keptName: String?
            switch kind {
            case .phone:
                // A number counts once, under its first entry.
                if replaced.contains(where: { $0.kind == kind }) { continue }
                keptName = nil
            case .totp: keptName = kept?.displayName
            }
            guard !replaced.contains(where: { $0.id == id }) else { throw ServiceError(.factorIDExists) }
            let isKept = kept?.kind == kind
            replaced.append(
                SecondFactor(
                    id: id, kind: kind,
                    displayName: try checkedName(entry.displayName) ?? keptName,
                    // Factors are listed by the time of their enrollment. New ones keep their order.
                    enrolledAt: try entry.enrolledAt?.checked()
                        ?? (isKept ? kept?.enrolledAt : nil) ?? now + .milliseconds(position)))
        }
        guard replaced.count <= limit else { throw ServiceError(.tooManyFactors) }
        return replaced
    }

    /// The name of a factor that a client library or an administrator gives; nil for none. It need not be shown as it is
    /// (`isShownAsItIs`): clients of Firebase send what a device calls a number, with marks of its direction, and pages
    /// isolate it.
    /// - Throws: `profileTooLong`; `invalidDisplayName` for a null character, which not every database keeps.
    static func checkedName(_ text: String?) throws(ServiceError) -> String? {
        guard let name = text.nilIfEmpty else { return nil }
        guard name.unicodeScalars.count <= StoredAccount.maximumDisplayNameLength else { throw .profileTooLong }
        guard !name.utf8.contains(0) else { throw ServiceError(.invalidDisplayName) }
        return name
    }

    private static func kind(
        of entry: Identity.FactorEntry, _ kept: SecondFactor?
    ) throws(ServiceError) -> SecondFactor.Kind {
        switch entry.kind {
        case .phone(let text):
            guard let number = PhoneNumber(text) else { throw ServiceError(.invalidFactorPhoneNumber) }
            return .phone(number)
        case .totp:
            guard kept?.kind == .totp else { throw ServiceError(.unsupportedSecondFactor) }
            return .totp
        case .unspecified:
            switch kept?.kind {
            case .totp: return .totp
            case .phone, nil: throw ServiceError(.invalidFactorPhoneNumber)
            }
        }
    }
}

extension FactorID {
    /// 1 to 128 characters without controls.
    var isAcceptable: Bool {
        (1...128).contains(rawValue.unicodeScalars.count)
            && rawValue.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    }
}
