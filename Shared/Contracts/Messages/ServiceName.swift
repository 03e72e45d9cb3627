/// The processes of the mesh, by the names of their executables and of their bus addresses.
package enum ServiceName: String, CaseIterable, Codable, Sendable {
    case broker
    case gateway
    case identity
    case mfaSMS = "mfa-sms"
    case mfaTOTP = "mfa-totp"
    case passkey
    case federation
    case notifier
}
