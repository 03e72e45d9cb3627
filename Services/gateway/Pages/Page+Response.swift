import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

extension Page {
    var response: HTTPResponse {
        HTTPResponse(status: status, headers: allHeaders, body: Data(html.text.utf8))
    }

    /// An error without its own page, in English.
    init(_ refusal: APIError) {
        let texts = Language.english.pageTexts
        let message =
            switch refusal.status {
            case 429: texts.tooManyAttempts
            case 400..<500: texts.invalidLink
            default: texts.unavailable
            }
        self = .message(message, in: .english, status: refusal.status)
        state(retryAfterSeconds: refusal.retryAfterSeconds, limit: refusal.limit)
    }

    /// When to try again, and the limit that was reached.
    mutating func state(retryAfterSeconds: Int?, limit: LimitName?) {
        if let retryAfterSeconds { headers.append(("Retry-After", String(max(1, retryAfterSeconds)))) }
        if let limit { headers.append((LimitName.header, limit.rawValue)) }
    }
}

extension HTTPRequest {
    /// Whether a browser shows the answer. Libraries and test tools accept anything, and name no HTML.
    var wantsPage: Bool {
        headers.values("accept").flatMap { $0.pieces(at: ",") }.contains { range in
            range.halves(at: ";").before.utf8.filter { $0 != UInt8(ascii: " ") }.elementsEqual("text/html".utf8)
        }
    }
}

extension PageStylesheet {
    /// The address of the sheet changes with its text, so that a browser keeps it.
    static let route = Route(.get, .local(path), .v1, .unauthenticated, rate: .exempt) { call in
        let isCurrent = call.request.queryItem("v") == version
        let lifetime = isCurrent ? "max-age=31536000, immutable" : "max-age=3600"
        return HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", "text/css; charset=utf-8"), ("Cache-Control", "public, \(lifetime)"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ], body: Data(PageStylesheet(call.request.queryItem).text.utf8))
    }
}
