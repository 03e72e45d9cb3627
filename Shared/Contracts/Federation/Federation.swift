/// The operations of the federation service (sign-in with identity providers). It joins the bus and reports metrics; it
/// has no operation yet.
package enum Federation {
    package enum Operation: ServiceOperation {
        package static let service = ServiceName.federation

        package init?(rawValue: String) { nil }
        package var rawValue: String { switch self {} }
    }
}
