/// What the mfa-totp service offers (time-based codes). It joins the mesh, reports itself and has no operation yet.
package enum MFATOTP {
    package enum Operation: ServiceOperation {
        package static let service = ServiceName.mfaTOTP

        package init?(rawValue: String) { nil }
        package var rawValue: String { switch self {} }
        package var delivery: Delivery { switch self {} }
    }
}
