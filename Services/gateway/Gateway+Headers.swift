internal import Contracts
internal import FoundationEssentials
internal import HTTPServer

/// What every answer carries, and cross-origin access (wire-protocol 1.4; security reference HT5, HT9).
extension Gateway {
    /// Longer lists of wished headers are not reflected.
    private static let maximumReflectedBytes = 2048

    /// Answers `OPTIONS`. The origin itself is added by `finish`, as to every answer.
    func preflight(_ request: HTTPRequest, on listener: Listener, route found: inout Route?) -> HTTPResponse {
        guard case .otherMethods(let known) = router.match(.options, path: request.path, host: request.headers["host"])
        else { return .init(.unknownPath, on: .v1) }
        let routes = known.filter { offers($0, on: listener) }
        guard let first = routes.first else { return .init(.unknownPath, on: .v1) }
        guard let route = routes.first(where: \.allowsCrossOrigin) else {
            return .init(.methodNotAllowed(allowed: routes.map(\.method.name).sorted()), on: first.surface)
        }
        found = route
        var response = HTTPResponse(status: 204, headers: [], body: Data())
        guard request.headers["origin"] != nil else {
            response.headers.append(("Allow", Self.crossOriginMethods))
            return response
        }
        response.headers.append(("Access-Control-Allow-Methods", Self.crossOriginMethods))
        if let wished = request.headers["access-control-request-headers"], Self.isNameList(wished) {
            response.headers.append(("Access-Control-Allow-Headers", wished))
        }
        if request.headers["access-control-request-private-network"] == "true" {
            response.headers.append(("Access-Control-Allow-Private-Network", "true"))
        }
        response.headers.append(("Access-Control-Max-Age", "3600"))
        return response
    }

    private static let crossOriginMethods = "GET, POST, OPTIONS"

    /// Adds what every answer carries. Credentials are never allowed across origins: nothing here reads cookies.
    func finish(_ response: inout HTTPResponse, to headers: HTTPHeaders, route: Route?, trace: TraceContext) {
        if let route, route.allowsCrossOrigin {
            response.headers.append(("Vary", "Origin"))
            if let origin = headers["origin"] {
                response.headers.append(("Access-Control-Allow-Origin", origin))
                response.headers.append(("Access-Control-Expose-Headers", "Retry-After, X-Request-Id"))
            }
        }
        if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
            response.headers.append(("Cache-Control", "no-store"))
        }
        response.headers.append(("X-Request-Id", trace.traceID))
        response.headers.append(("X-Content-Type-Options", "nosniff"))
        response.headers.append(("Referrer-Policy", "no-referrer"))
        // Pages bring their own.
        if !response.headers.contains(where: { $0.name == "Content-Security-Policy" }) {
            response.headers.append(("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"))
        }
        if !dependencies.settings.isDev {
            response.headers.append(("Strict-Transport-Security", "max-age=31536000"))
        }
    }

    /// Field names (RFC 9110 §5.6.2) with commas and blanks between them.
    private static func isNameList(_ text: String) -> Bool {
        text.utf8.count <= maximumReflectedBytes
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~, ".utf8.contains(byte)
                }
            }
    }
}
