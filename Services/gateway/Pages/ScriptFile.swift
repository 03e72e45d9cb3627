import CPageScripts
import FoundationEssentials
import HTTPServer
import Pages

/// A script of the pages for users: a file of `Scripts`, which `scripts.c` makes part of the program.
enum ScriptFile: String, CaseIterable, Sendable {
    case accountPasskey = "account-passkey.js"
    case accountSignals = "account-signals.js"
    case appVerification = "app-verification.js"
    case consoleKeys = "console-keys.js"
    case consoleSearch = "console-search.js"
    case fragment = "fragment.js"
    case handler = "handler.js"
    case hostedPasskey = "hosted-passkey.js"
    case iframe = "iframe.js"
    case latchkey = "latchkey.js"
    case latchkeyPasskeys = "latchkey-passkeys.js"
    case passkeyEncoding = "passkey-encoding.js"
    case passkeySession = "passkey-session.js"
    case passkeySignals = "passkey-signals.js"
    case passkeys = "passkeys.js"
    case showPassword = "show-password.js"

    var text: String {
        var count = 0
        guard let bytes = latchkey_page_script(rawValue, &count) else { preconditionFailure("no script \(rawValue)") }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Where the browser finds it.
    var path: String { "/__/auth/\(rawValue)" }

    /// A module of JavaScript, which imports others or stands beside another script. Other scripts are classic.
    var isModule: Bool {
        switch self {
        case .accountPasskey, .accountSignals, .passkeySignals, .hostedPasskey, .latchkey, .latchkeyPasskeys,
            .consoleSearch, .passkeyEncoding, .passkeySession, .passkeys:
            true
        case .appVerification, .consoleKeys, .fragment, .handler, .iframe, .showPassword: false
        }
    }

    /// Whether pages of applications load it, too: pages of every origin.
    var isForApplications: Bool {
        switch self {
        case .latchkey, .latchkeyPasskeys, .passkeyEncoding: true
        case .accountPasskey, .accountSignals, .appVerification, .consoleKeys, .consoleSearch, .fragment, .handler,
            .hostedPasskey, .iframe, .passkeySession, .passkeySignals, .passkeys, .showPassword:
            false
        }
    }

    /// The script on a page.
    func onPage(thirdParty: PageScript.ThirdPartyScripts = .none) -> PageScript {
        PageScript(path: path, isModule: isModule, thirdParty: thirdParty)
    }

    /// Serves the file.
    /// - Parameter check: refuses while the page of the script is not served.
    func route(_ check: @escaping @Sendable (Call) throws(APIError) -> Void = { _ throws(APIError) in }) -> Route {
        Route(.get, .local(path), .page, .unauthenticated, rate: .exempt) { call in
            try check(call)
            var response = HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "text/javascript; charset=utf-8"), ("Cache-Control", "public, max-age=3600"),
                    ("Cross-Origin-Resource-Policy", isForApplications ? "cross-origin" : "same-origin"),
                ], body: Data(text.utf8))
            if isForApplications { response.headers.append(("Access-Control-Allow-Origin", "*")) }
            return response
        }
    }
}
