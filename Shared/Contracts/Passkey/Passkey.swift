/// What the passkey service offers (passkeys). It joins the mesh, reports itself and has no operation yet.
package enum Passkey {
    package enum Operation: ServiceOperation {
        package static let service = ServiceName.passkey

        package init?(rawValue: String) { nil }
        package var rawValue: String { switch self {} }
    }
}
