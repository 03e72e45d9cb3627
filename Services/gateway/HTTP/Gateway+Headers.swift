import Contracts
import FoundationEssentials
import HTTPServer
import Vocabulary

/// Common response headers and cross-origin access (REST 1.4; security rule HT5, HT9).
extension Gateway {
    /// Longer `Access-Control-Request-Headers` lists are not reflected; requests with a longer `Origin` are refused.
    private static let maximumReflectedBytes = 2048

    /// - Throws: 431 for an origin that is too long to be reflected.
    static func checkOrigin(_ request: HTTPRequest) throws(APIError) {
        if reflectableOrigin(request.headers) == nil, request.headers["origin"] != nil { throw APIError(.headTooLarge) }
    }

    private static func reflectableOrigin(_ headers: HTTPHeaders) -> String? {
        headers["origin"].flatMap { $0.utf8.count <= maximumReflectedBytes ? $0 : nil }
    }

    /// Responds to `OPTIONS`. `addCommonHeaders` adds the origin, as for every response.
    func preflight(_ request: HTTPRequest, on listener: Listener, route found: inout Route?) -> HTTPResponse {
        guard case .otherMethods(let known) = router.match(.options, path: request.path, host: request.headers["host"])
        else { return .init(.pathNotFound, on: .v1) }
        let routes = known.filter { serves($0, on: listener) }
        guard let first = routes.first else { return .init(.pathNotFound, on: .v1) }
        let origin = request.headers["origin"]
        guard let route = routes.first(where: { $0.allowsCrossOrigin(from: origin) }) else {
            return .init(.methodNotAllowed(allowed: routes.map(\.method.name).sorted()), on: first.surface)
        }
        found = route
        do throws(APIError) { try Self.checkOrigin(request) } catch { return .init(error, on: route.surface) }
        var response = HTTPResponse(status: 204, headers: [], body: Data())
        let methods = Self.crossOriginMethods(of: routes, like: route)
        guard origin != nil else {
            response.headers.append(("Allow", methods))
            return response
        }
        response.headers.append(("Access-Control-Allow-Methods", methods))
        if let requestedHeaders = request.headers["access-control-request-headers"], Self.isNameList(requestedHeaders) {
            response.headers.append(("Access-Control-Allow-Headers", requestedHeaders))
        }
        if request.headers["access-control-request-private-network"] == "true" {
            response.headers.append(("Access-Control-Allow-Private-Network", "true"))
        }
        response.headers.append(("Access-Control-Max-Age", "3600"))
        return response
    }

    /// Clients get the same list for every path; the dev tools get the methods of theirs.
    private static func crossOriginMethods(of routes: [Route], like route: Route) -> String {
        switch route.crossOriginAccess {
        case .any, .none: "GET, POST, OPTIONS"
        case .loopback:
            (routes.filter { $0.crossOriginAccess == .loopback }.map(\.method.name).sorted() + ["OPTIONS"])
                .joined(separator: ", ")
        }
    }

    /// Adds the common headers. Credentials are never allowed across origins: the only cookie (see `DeviceTokens`) is
    /// for pages of the gateway's own origin.
    func addCommonHeaders(_ response: inout HTTPResponse, to headers: HTTPHeaders, route: Route?, trace: TraceContext) {
        if let route, route.crossOriginAccess != .none {
            response.headers.append(("Vary", "Origin"))
            if let origin = Self.reflectableOrigin(headers), route.allowsCrossOrigin(from: origin) {
                response.headers.append(("Access-Control-Allow-Origin", origin))
                response.headers.append(
                    (
                        "Access-Control-Expose-Headers",
                        "Retry-After, X-Request-Id, \(DeviceTokens.header), \(LimitName.header)"
                    ))
            }
        }
        if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
            response.headers.append(("Cache-Control", "no-store"))
        }
        response.headers.append(("X-Request-Id", trace.traceID))
        response.headers.append(("X-Content-Type-Options", "nosniff"))
        response.headers.append(("Referrer-Policy", "no-referrer"))
        // Pages set their own policy.
        if !response.headers.contains(where: { $0.name == "Content-Security-Policy" }) {
            response.headers.append(("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"))
        }
        if !dependencies.settings.isDev {
            response.headers.append(("Strict-Transport-Security", "max-age=31536000"))
        }
    }

    /// Field names (RFC 9110 §5.6.2) separated by commas and optional spaces.
    private static func isNameList(_ text: String) -> Bool {
        text.utf8.count <= maximumReflectedBytes
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~, ".utf8.contains($0) }
    }
}
