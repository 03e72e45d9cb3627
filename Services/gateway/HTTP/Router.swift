import HTTPServer
import Vocabulary

/// Finds the route of a request. Built once; a lookup costs one dictionary access per path segment.
///
/// An API is reachable under its name as the first part of the path, under its name in `Host`, and without a name. A
/// name in either position restricts the request to that API's routes.
struct Router: Sendable {
    enum Match: Sendable {
        case route(Route, PathValues)
        /// The path exists, the method does not.
        case otherMethods([Route])
        case unknown
    }

    /// Paths longer than this are not split: no pattern is as long.
    private static let maximumPathBytes = 2048

    /// The routes of each API; under `nil` the routes of all APIs, for a path without an API name.
    private let roots: [APIHost?: Node]

    /// - Precondition: no two routes share method and path.
    init(_ routes: [Route]) {
        var roots: [APIHost?: Node] = [nil: Node()]
        for route in routes {
            for path in route.paths {
                roots[nil, default: Node()].insert(route, at: path.pattern)
                if let host = path.host { roots[host, default: Node()].insert(route, at: path.pattern) }
            }
        }
        self.roots = roots
    }

    /// - Parameters:
    ///   - path: as received, percent-encoded.
    ///   - host: the `Host` header.
    func match(_ method: HTTPMethod, path: String, host: String?) -> Match {
        guard path.utf8.count <= Self.maximumPathBytes, path.utf8.first == UInt8(ascii: "/") else { return .unknown }
        let (api, rest) = Self.api(ofPath: path, host: host)
        guard let root = roots[api], let (node, values) = root.descend(rest) else { return .unknown }
        // HEAD is GET without the response body (RFC 9110 §9.3.2).
        guard let entry = node.entries[method == .head ? .get : method] else {
            return node.entries.isEmpty ? .unknown : .otherMethods(node.entries.values.map(\.route))
        }
        return .route(entry.route, PathValues(Array(zip(entry.parameters, values)).map { ($0, $1) }))
    }

    private static func api(ofPath path: String, host: String?) -> (APIHost?, Substring) {
        let withoutSlash = path.dropFirst()
        if let host, let api = APIHost(rawValue: nameOnly(host)) { return (api, withoutSlash) }
        // Only a first segment with a dot can be an API name.
        let (first, rest) = withoutSlash.halves(at: "/")
        guard let rest, let api = APIHost(rawValue: String(first)) else { return (nil, withoutSlash) }
        return (api, rest)
    }

    /// `Host` without its port, in lower case.
    private static func nameOnly(_ host: String) -> String {
        host.halves(at: ":").before.asciiLowercased
    }

    /// One step of the tree of path segments.
    private struct Node: Sendable {
        struct Entry: Sendable {
            let route: Route
            let parameters: [PathParameter]
        }
        var children: [PathPattern.Segment: Node] = [:]
        var entries: [HTTPMethod: Entry] = [:]
        var hasParameterChildren = false

        mutating func insert(_ route: Route, at pattern: PathPattern) {
            insert(.init(route: route, parameters: pattern.parameters), pattern.segments[...], pattern)
        }

        private mutating func insert(
            _ entry: Entry, _ segments: ArraySlice<PathPattern.Segment>, _ pattern: PathPattern
        ) {
            guard let segment = segments.first else {
                precondition(entries[entry.route.method] == nil, "two routes at \(pattern.text)")
                entries[entry.route.method] = entry
                return
            }
            if case .parameter = segment { hasParameterChildren = true }
            children[segment, default: Node()].insert(entry, segments.dropFirst(), pattern)
        }

        /// Finds the node: a literal has precedence over a parameter with a verb, and that over a bare parameter.
        func descend(_ path: Substring) -> (Node, [String])? {
            var node = self
            var values: [String] = []
            for part in path.pieces(at: "/") {
                guard let text = PercentEncoding.decoded(part) else { return nil }
                if let next = node.children[.literal(text)] {
                    node = next
                    continue
                }
                guard node.hasParameterChildren, !text.isEmpty else { return nil }
                if let (value, verb) = text.lastHalves(at: ":"), !value.isEmpty,
                    let next = node.children[.parameter(verb: String(verb))]
                {
                    values.append(String(value))
                    node = next
                } else if let next = node.children[.parameter(verb: nil)] {
                    values.append(text)
                    node = next
                } else {
                    return nil
                }
            }
            return (node, values)
        }
    }
}
