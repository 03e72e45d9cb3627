import Contracts
import ServiceRuntime
import Vocabulary

/// A second factor in administrators' requests: `mfa.enrollments[]` of an update, `mfaInfo[]` of a new account.
struct FactorBody: Decodable {
    struct TOTPInfo: Decodable {}
    var mfaEnrollmentId: String?
    var displayName: String?
    // The one that is present determines the kind of the factor.
    var phoneInfo: String?
    var totpInfo: TOTPInfo?
    /// RFC 3339.
    var enrolledAt: String?
    // What a listing returns.
    var unobfuscatedPhoneInfo: Ignored?
    var emailInfo: Ignored?

    /// - Throws: `APIError` that names the entry under `field` whose time is malformed.
    static func entries(_ bodies: [FactorBody], at field: String) throws(APIError) -> [Identity.FactorEntry] {
        var entries: [Identity.FactorEntry] = []
        for (index, body) in bodies.enumerated() {
            var enrolledAt: Moment?
            if let text = body.enrolledAt.nilIfEmpty {
                guard let moment = Moment(rfc3339: text) else {
                    throw .invalidValue(at: "\(field)[\(index)].enrolledAt", type: "google.protobuf.Timestamp")
                }
                enrolledAt = moment
            }
            entries.append(
                .init(
                    id: body.mfaEnrollmentId.nilIfEmpty.map(FactorID.init), kind: body.kind,
                    displayName: body.displayName.nilIfEmpty, enrolledAt: enrolledAt))
        }
        return entries
    }

    /// If members of several methods are present, the first in the order of `SecondFactor.Method` counts.
    private var kind: Identity.FactorEntry.Kind {
        SecondFactor.Method.allCases.lazy.compactMap(kind(of:)).first ?? .unspecified
    }

    private func kind(of method: SecondFactor.Method) -> Identity.FactorEntry.Kind? {
        switch method {
        case .phone: phoneInfo.nilIfEmpty.map { .phone(number: $0) }
        case .totp: totpInfo.map { _ in .totp }
        }
    }
}

extension UserRecord.FactorInfo {
    /// The factor as a caller may see it who has verified only the first factor (REST 2, EN6).
    static func masked(_ factor: SecondFactor) -> Self {
        var info = Self(factor)
        info.unobfuscatedPhoneInfo = nil
        switch factor.kind {
        case .phone(let number): info.phoneInfo = number.masked
        case .totp: break
        }
        return info
    }
}
