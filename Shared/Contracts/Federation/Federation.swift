/// What the federation service offers (sign-in with other providers). It joins the mesh, reports itself and has no operation yet.
package enum Federation {
    package enum Operation: ServiceOperation {
        package static let service = ServiceName.federation

        package init?(rawValue: String) { nil }
        package var rawValue: String { switch self {} }
    }
}
