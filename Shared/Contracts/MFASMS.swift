/// What the mfa-sms service offers (phone codes). It joins the mesh, reports itself and has no operation yet.
package enum MFASMS {
    package enum Operation: ServiceOperation {
        package static let service = ServiceName.mfaSMS

        package init?(rawValue: String) { nil }
        package var rawValue: String { switch self {} }
        package var delivery: Delivery { switch self {} }
    }
}
