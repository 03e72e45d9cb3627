/// The processes of the mesh, by the names of their executables and of their bus addresses. The executable `latchkey`
/// contains all of them, and selects one by the name under which it is started.
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
