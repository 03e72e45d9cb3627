/// The operations of the passkey service. It joins the bus and reports metrics; it has no operation yet.
package enum Passkey {
    package enum Operation: ServiceOperation {
        package static let service = ServiceName.passkey

        package init?(rawValue: String) { nil }
        package var rawValue: String { switch self {} }
    }
}
