public import Foundation

/// A second factor of an account.
///
/// `@unchecked Sendable`: a class can only be checked if it is final. The stored properties are constants of Sendable
/// types, and no subclass outside of this module is possible.
public class MultiFactorInfo: @unchecked Sendable {
    /// The ID of the enrollment.
    public let uid: String
    /// The name that the user has chosen.
    public let displayName: String?
    /// ``PhoneMultiFactorID``, ``TOTPMultiFactorID``, or the kind of a newer server.
    public let factorID: String
    /// When the factor was enrolled.
    public let enrollmentDate: Date

    init(_ record: FactorRecord, factorID: String) {
        uid = record.mfaEnrollmentId
        displayName = record.displayName
        self.factorID = factorID
        enrollmentDate = record.enrolledAt.flatMap { Date(protocolText: $0) } ?? Date(timeIntervalSince1970: 0)
    }

    /// The factor of a record, by its kind.
    package static func info(_ record: FactorRecord) -> MultiFactorInfo {
        if let phoneNumber = record.phoneInfo { return PhoneMultiFactorInfo(record, phoneNumber: phoneNumber) }
        if record.totpInfo != nil { return TOTPMultiFactorInfo(record) }
        return MultiFactorInfo(record, factorID: "unknown")
    }
}

extension Date {
    /// - Parameter text: RFC 3339 with a fraction of any length.
    init?(protocolText text: String) {
        // `try?`: the other form is tried then.
        let date =
            (try? Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: .iso8601))
        guard let date else { return nil }
        self = date
    }
}

/// A phone that receives codes by SMS.
public final class PhoneMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
    /// The number; masked to its last four digits before the second factor is verified.
    public let phoneNumber: String

    init(_ record: FactorRecord, phoneNumber: String) {
        self.phoneNumber = phoneNumber
        super.init(record, factorID: PhoneMultiFactorID)
    }
}

/// An authenticator app.
public final class TOTPMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
    init(_ record: FactorRecord) { super.init(record, factorID: TOTPMultiFactorID) }
}

/// Proof of a session with its first factor: to enroll a second one, or to complete a sign-in with one.
public final class MultiFactorSession: Sendable {
    enum Content: Sendable {
        case enrollment(User)
        /// With the tenant in which the sign-in has begun.
        case signIn(pendingCredential: String, tenantID: String?)
    }

    private let secret: Secret<Content>
    let auth: Auth

    init(_ content: Content, auth: Auth) {
        secret = Secret(content)
        self.auth = auth
    }

    var content: Content { secret.reveal() }
}
