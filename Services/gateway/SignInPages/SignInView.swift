import Pages
import Vocabulary

/// The HTML of the sign-in pages.
struct SignInView: Sendable {
    var language: Language
    var branding = PageBranding()

    var all: PageTexts { branding.texts(in: language).pages }
    private var texts: PageTexts.ProviderSignIn { all.providerSignIn }
    private var noScript: HTML { .noScript(all.appVerification.noScript) }

    /// The page that returns a result to the application.
    func resultPage(_ delivery: SignInDelivery, _ failure: SignInFailure?) -> Page {
        let message = failure?.text(in: all) ?? texts.returning
        return Page(
            language: language, title: message.title,
            content: """
                \(noScript)
                <div id="result" data-delivery="\(EmbeddedJSON.json(delivery))">
                <p role="status">\(message.body)</p>
                \(HTML.alarm("\(texts.noWindow)", isHidden: true))
                <p>\(HTML.buttonLink(
                    to: delivery.redirectURL, all.appVerification.goBack, id: "back", isHidden: true))</p>
                </div>
                """, branding: branding, status: failure?.status ?? 200, script: ScriptFile.handler.onPage(),
            usesOpener: true)
    }

    /// The page that sends the fragment of its address to the gateway.
    var fragmentPage: Page {
        var script = ScriptFile.fragment.onPage()
        script.submitsForm = true
        return Page(
            language: language, title: texts.returning.title,
            content: """
                \(noScript)
                <form id="response" method="post" action="\(SignInPages.handlerPath)"></form>
                \(HTML.alarm("\(texts.expired.body)", isHidden: true))
                """, branding: branding, script: script, usesOpener: true)
    }

    /// The page that sends the form of a provider again.
    func repetitionPage(_ form: ProviderResponseForm) -> Page {
        Page(
            language: language, title: texts.returning.title,
            content: """
                <p>\(texts.returning.body)</p>
                <form method="post" action="\(SignInPages.handlerPath)">
                \(HTML.hidden(form.items + [(ProviderResponseForm.repetitionField, "1")]))
                <p>\(HTML.button(all.continueLabel))</p>
                </form>
                """, branding: branding)
    }

    /// The browser has not started this sign-in, or more than ten minutes ago.
    var expiredPage: Page { .message(texts.expired, in: language, status: 400) }

    /// The application, its address or this host is unknown.
    var unknownApp: PageTexts.Message { texts.unknownApp }
}
