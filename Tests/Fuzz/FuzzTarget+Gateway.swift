import ConfigurationDocuments
import Contracts
import FoundationEssentials
import JSON
import ServiceRuntime
import Vocabulary

@testable import GatewayService
@testable import HTTPServer

extension FuzzTarget {
    private static let router = Router(RouteTable.routes)
    private static let proxies = ["127.0.0.0/8", "::/0"].compactMap { AddressRange($0) }

    /// The first line is method and target, followed by fields. libmicrohttpd passes on only these bytes.
    static func readRequestHead(_ text: String) {
        let lines = text.pieces(at: "\n")
        let (method, target) = (lines.first ?? "").halves(at: " ")
        let fields = lines.dropFirst().map { line in
            let (name, value) = line.halves(at: ":")
            return (name: String(name), value: String(value ?? ""))
        }
        guard method.utf8.allSatisfy(ASCII.isToken), let target, target.utf8.allSatisfy(ASCII.isTarget),
            fields.allSatisfy({ $0.name.utf8.allSatisfy(ASCII.isToken) && $0.value.utf8.allSatisfy(ASCII.isFieldValue) }
            ),
            let head = try? RequestHead(
                method: String(method), target: String(target), version: .http11, headers: HTTPHeaders(fields))
        else { return }
        readRequest(
            HTTPRequest(
                head.method, head.path, query: head.rawQuery, version: head.version, headers: head.headers,
                body: Data("{}".utf8)))
    }

    /// What the gateway reads of each request before its route.
    static func readRequest(_ request: HTTPRequest) {
        _ = router.match(request.method, path: request.path, host: request.headers["host"])
        _ = request.queryItems
        _ = try? RequestBody.json([String: String].self, from: request)
        _ = try? FieldMask(of: request)
        _ = ClientAddress.find(for: request, trusting: proxies)
        _ = Language.find(request.queryItem("lang"), acceptLanguage: request.headers["accept-language"])
        _ = CallerAuthenticator.bearer(of: request)
        _ = request.headers["traceparent"].flatMap { TraceContext(traceparent: $0) }
    }

    /// The text as a query, and as a form.
    static func readQuery(_ text: String) throws {
        let request = HTTPRequest(.post, "/", query: text, body: Data(text.utf8))
        let items = request.queryItems
        try demand(items.count <= HTTPRequest.queryItemLimit, "no more items are read than the limit")
        if let first = items.first {
            try demand(request.queryItem(first.name) == first.value, "the first of a name is its value")
        }
        _ = try? RequestBody.form(from: request)
        _ = PercentEncoding.decoded(text[...])
    }

    static func readActionLink(_ text: String) {
        let (_, query) = text.halves(at: "?")
        let request = HTTPRequest(.get, "/__/auth/action", query: query.map { String($0) })
        let link = ActionLinkQuery { request.queryItem($0) }
        _ = link.items
        _ = Language.find(link.language, acceptLanguage: nil)
        _ = link.continueURL.flatMap { WebURL($0) }
        readCode(ofLink: text)
    }

    /// The query or form of a sign-in page, the cookies of its browser, and a parameter of the practice provider.
    static func readSignInPage(_ text: String) throws {
        let request = HTTPRequest(.get, "/__/auth/handler", query: text)
        let response = ProviderResponseForm(query: request)
        _ = (response.state, response.response)
        let headers = HTTPHeaders([("Cookie", text)])
        for cookies in [SignInCookies(isSecure: true), SignInCookies(isSecure: false)] {
            _ = cookies.signIn(ofState: String(text.prefix(43)), in: headers)
            for parsed in [SignInPageRequest(handler: request.queryItem), .init(credential: request.queryItem)] {
                guard let parsed else { continue }
                let signIn = StartedSignIn(
                    state: "0123456789abcdef", sessionID: "s", apiKey: parsed.apiKey, tenantID: parsed.tenantID,
                    language: "en", channel: parsed.channel)
                guard let field = cookies.fields(storing: signIn, beside: headers)?.first else { continue }
                let stored = HTTPHeaders([("Cookie", String(field.value.halves(at: ";").before))])
                try demand(
                    cookies.signIn(ofState: signIn.state, in: stored) == signIn, "a cookie returns its sign-in")
            }
        }
        readPracticeCode(text)
    }

    /// The first line is a mask, and the rest a document.
    static func readFieldMask(_ text: String) {
        let (mask, document) = text.halves(at: "\n")
        guard let mask = try? FieldMask(String(mask)),
            let body = try? WireJSON.decode(JSONValue.self, from: Data((document ?? "{}").utf8)),
            let read = try? ConfigurationDocument.schema.read(body, root: "config")
        else { return }
        _ = try? ConfigurationDocument.applying(mask, of: read, to: ProjectConfiguration())
    }

    /// The first line is `requestUri`, and the rest `postBody`.
    static func readPostBody(_ text: String) throws {
        let (address, form) = text.halves(at: "\n")
        let (beforeFragment, fragment) = address.halves(at: "#")
        let parts = [fragment, form, beforeFragment.halves(at: "?").behind].compactMap(\.self)
        for parts in [parts, parts.suffix(1)] {
            guard let body = try? PostBody(parts) else { continue }
            try demand(body.values.values.allSatisfy { !$0.isEmpty }, "an empty parameter counts as absent")
            try demand(
                body.values.values.allSatisfy { value in parts.contains { value.utf8.count <= $0.utf8.count } },
                "decoding makes no text longer")
            // What was read can be written as a form and read again.
            let again = body.values.map { "\($0.key.rawValue)=\(PercentEncoding.encoded($0.value))" }
            try demand(
                try PostBody([again.joined(separator: "&")[...]]) == body, "encoded parameters have the same values")
        }
    }

    /// The body of a sign-in with Game Center, as the client sends it.
    static func readGameCenter(_ text: String) throws {
        guard let body = try? RequestBody.decode(GameCenterBody.self, from: Data(text.utf8)),
            let proof = try? body.proof()
        else { return }
        try checkGameCenter(proof, of: body.player)
    }

    /// A token, and the same text as the cookie of a browser.
    static func readDeviceToken(_ text: String) throws {
        for isDev in [true, false] {
            for headers in [[(DeviceTokens.header, text)], [("Cookie", text)]] {
                let headers = HTTPHeaders(headers)
                let presented = DeviceTokens.presented(in: headers, isDev: isDev)
                try demand(presented.count <= 5, "the tokens of a request are bounded")
                for token in presented {
                    try demand(
                        !token.utf8.contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: ";") },
                        "a token has no separator")
                    try checkDeviceToken(token)
                    let fields = DeviceTokens.fields(giving: token, to: headers, isDev: isDev)
                    let cookie = fields.last.map { String($0.value.halves(at: ";").before) } ?? ""
                    try demand(
                        DeviceTokens.presented(in: HTTPHeaders([("Cookie", cookie)]), isDev: isDev).first == token,
                        "a cookie returns its newest token")
                }
            }
        }
        try checkDeviceToken(text)
    }

    static func readFilter(_ text: String) {
        guard let body = try? RequestBody.decode(QueryBody.self, from: Data(text.utf8)) else { return }
        _ = try? body.request(in: realm)
    }

    static func readPageToken(_ text: String) throws {
        if let id = try? PageToken.lastID(text) {
            try demand(try PageToken.lastID(PageToken.text(after: id)) == id, "a page token leads to its id")
        }
    }

    /// A time in the format of the admin API.
    static func readTime(_ text: String) { _ = Moment(rfc3339: text) }
}
