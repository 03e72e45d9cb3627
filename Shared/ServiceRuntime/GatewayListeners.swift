import Settings

/// The listeners of a gateway (`LATCHKEY_LISTENER`).
package enum GatewayListeners: String, CaseIterable, Sendable {
    case both
    /// No administration, so that with keys of the bus the process needs no right to it.
    case `public`
    case admin

    /// Reads the setting. In dev mode the listeners have no roles of their own.
    package init(from reader: inout SettingsReader) {
        self = reader.value(
            .listener, default: .both, placeholder: .both,
            expects: Self.allCases.map(\.rawValue).joined(separator: ", "), example: Self.public.rawValue,
            parse: { Self(rawValue: $0) })
        if self != .both, reader.boolean(.dev) {
            reader.addIssue(
                .listener, "is \(rawValue), and in dev mode every listener serves everything",
                remedy: "Unset it, or leave --dev away")
        }
    }

    /// Reports an admin listener where the public one listens. Several gateways of a mesh share their addresses: the kernel
    /// would open both listeners, and clients of the public one would reach administration.
    package static func refuse(_ admin: HostPort, like listen: HostPort, from reader: inout SettingsReader) {
        guard admin.overlaps(listen) else { return }
        reader.addIssue(
            .adminListen,
            admin == listen
                ? "is \(admin), and so is LATCHKEY_LISTEN"
                : "is \(admin), where \(listen) of LATCHKEY_LISTEN listens, too",
            remedy: "Give each listener a port of its own")
    }
}
