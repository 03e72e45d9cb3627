import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import Vocabulary

/// The page that verifies an application without push notifications before an SMS is sent.
struct AppVerificationView: Sendable {
    /// The verification method.
    enum Method: Sendable {
        case challenge(MFASMS.StartWebChallenge.Reply)
        case recaptcha(siteKey: String)
    }

    var language: Language
    /// Sent back with the proof. Nil where a form of the page sends it.
    var request: AppVerificationRequest?
    var branding: PageBranding

    private var texts: PageTexts.AppVerification { branding.texts(in: language).pages.appVerification }

    /// - Parameter form: its script fills in the proof and sends it.
    func page(_ work: Method, form: HTML? = nil) -> Page {
        var script: PageScript
        let content: HTML
        switch work {
        case .challenge(let challenge):
            script = ScriptFile.appVerification.onPage()
            content = """
                <div id="check" data-request="\(request?.json ?? "")" data-challenge="\(challenge.challenge.reveal())" \
                data-bits="\(String(challenge.difficultyBits))" data-state="working">
                <p role="status">\(texts.body)</p>
                <progress id="progress" max="1" value="0" aria-label="\(texts.title)"></progress>
                </div>
                """
        case .recaptcha(let siteKey):
            script = ScriptFile.appVerification.onPage(thirdParty: .recaptcha)
            content = """
                <div id="check" data-request="\(request?.json ?? "")" data-state="working">
                <p>\(texts.prompt)</p>
                <div class="g-recaptcha" data-sitekey="\(siteKey)" data-callback="appChecked"></div>
                <script src="https://www.google.com/recaptcha/api.js?hl=\(language.rawValue)" defer="defer"></script>
                </div>
                """
        }
        script.submitsForm = form != nil
        return Page(
            language: language, title: texts.title,
            content: """
                \(form)
                \(HTML.noScript(texts.noScript))
                \(content)
                <div data-state="done" hidden="hidden">
                <p role="status">\(texts.done)</p>
                <p>\(HTML.buttonLink(to: "#", texts.goBack, id: "back"))</p>
                </div>
                <div data-state="failed" hidden="hidden">
                <p class="error" role="alert">\(texts.failed)</p>
                <p>\(HTML.buttonLink(to: "", texts.tryAgain))</p>
                </div>
                """, branding: branding, script: script)
    }
}

/// The parameters of the page, set by the application and sent back on completion. The page shows none of them.
struct AppVerificationRequest: Codable, Equatable, Sendable {
    var apiKey: String?
    var eventId: String?
    var ibi: String?
    var clientId: String?
    var appId: String?

    init(_ request: HTTPRequest) {
        apiKey = request.queryItem("apiKey").nilIfEmpty
        eventId = request.queryItem("eventId").nilIfEmpty
        ibi = request.queryItem("ibi").nilIfEmpty
        clientId = request.queryItem("clientId").nilIfEmpty
        appId = request.queryItem("appId").nilIfEmpty
    }

    var opener: AppRedirect.RequestingApp {
        .init(bundleID: ibi.nilIfEmpty, clientID: clientId.nilIfEmpty, appID: appId.nilIfEmpty)
    }

    var json: String { EmbeddedJSON.json(self) }
}

/// JSON as text for embedding in HTML or scripts.
enum EmbeddedJSON {
    static func json(_ value: some Encodable) -> String {
        // `try?`: these values hold nothing that JSON cannot encode.
        guard let bytes = try? WireJSON.encodeSorted(value) else { preconditionFailure("not JSON: \(type(of: value))") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
