public import Foundation

#if canImport(UIKit) && !os(watchOS)
    internal import UIKit
#elseif canImport(AppKit)
    internal import AppKit
#endif

/// The secret of an authenticator app that is being enrolled (RFC 6238).
public final class TOTPSecret: Sendable {
    private let secret: Secret<StartTOTPEnrollmentRequest.Session>
    var session: StartTOTPEnrollmentRequest.Session { secret.reveal() }

    init(_ session: StartTOTPEnrollmentRequest.Session) { secret = Secret(session) }

    /// The secret in base32, for the user to type.
    public func sharedSecretKey() -> String { session.sharedSecretKey }

    /// When the enrollment must be complete.
    public var enrollmentCompletionDeadline: Date? {
        // `try?`: a malformed time is no time.
        try? Date(
            session.finalizeEnrollmentTime,
            strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    }

    /// A URL for a QR code, in the format of Google Authenticator.
    public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
        var allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\u{0}"..."\u{7F}"))
        allowed.insert(charactersIn: "-._~")
        let encoded = { (text: String) in text.addingPercentEncoding(withAllowedCharacters: allowed) ?? "" }
        return "otpauth://totp/\(encoded(issuer)):\(encoded(accountName))?secret=\(session.sharedSecretKey)"
            + "&issuer=\(encoded(issuer))&algorithm=\(session.hashingAlgorithm)"
            + "&digits=\(session.verificationCodeLength)&period=\(session.periodSec)"
    }

    /// Opens the URL of ``generateQRCodeURL(withAccountName:issuer:)`` in an authenticator app of the device. Systems
    /// without such apps ignore the call.
    @MainActor
    public func openInOTPApp(withQRCodeURL qrCodeURL: String) {
        guard let url = URL(string: qrCodeURL), url.scheme == "otpauth" else { return }
        #if canImport(UIKit) && !os(watchOS)
            UIApplication.shared.open(url)
        #elseif canImport(AppKit)
            NSWorkspace.shared.open(url)
        #endif
    }
}
