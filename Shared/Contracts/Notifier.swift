/// What the notifier service offers (delivery of messages). It joins the mesh, reports itself and has no operation yet.
package enum Notifier {
    package enum Operation: ServiceOperation {
        package static let service = ServiceName.notifier

        package init?(rawValue: String) { nil }
        package var rawValue: String { switch self {} }
        package var delivery: Delivery { switch self {} }
    }
}
