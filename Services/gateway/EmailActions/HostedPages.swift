internal import HTTPServer

extension IdentityToolkit {
    /// Pages and frames for browsers and apps (REST 7).
    static let widgets: [Route] = [
        notImplemented("/__/auth/iframe", "/emulator/auth/iframe"),
        notImplemented("/__/auth/callback"),
    ]

    private static func notImplemented(_ paths: String...) -> Route {
        .notImplemented("pages", .get, paths.map { RoutePath(nil, $0) }, .v1, .unauthenticated)
    }
}
