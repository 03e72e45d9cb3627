import Vocabulary

/// The HTML of the sign-in pages.
struct SignInView: Sendable {
    var language: Language

    private var texts: PageTexts.ProviderSignIn { language.pageTexts.providerSignIn }
    private var noScript: HTML {
        """
        <noscript><p class="alarm" role="alert">\(language.pageTexts.appVerification.noScript)</p></noscript>
        """
    }

    /// The page that returns a result to the application.
    func resultPage(_ delivery: SignInDelivery, _ failure: SignInFailure?) -> Page {
        let message = failure?.text(in: language) ?? texts.returning
        return Page(
            language: language, title: message.title,
            content: """
                \(noScript)
                <div id="result" data-delivery="\(EmbeddedJSON.json(delivery))">
                <p role="status">\(message.body)</p>
                <p id="alarm" class="alarm" role="alert" hidden="hidden">\(texts.noWindow)</p>
                <p><a id="back" class="button" href="\(delivery.redirectURL)" hidden="hidden">\
                \(language.pageTexts.appVerification.goBack)</a></p>
                </div>
                """, status: failure?.status ?? 200, script: PageScript(.handler), usesOpener: true)
    }

    /// The page that sends the fragment of its address to the gateway.
    var fragmentPage: Page {
        var script = PageScript(.fragment)
        script.submitsForm = true
        return Page(
            language: language, title: texts.returning.title,
            content: """
                \(noScript)
                <form id="response" method="post" action="\(SignInPages.handlerPath)"></form>
                <p id="alarm" class="alarm" role="alert" hidden="hidden">\(texts.expired.body)</p>
                """, script: script, usesOpener: true)
    }

    /// The browser has not started this sign-in, or more than ten minutes ago.
    var expiredPage: Page { .message(texts.expired, in: language, status: 400) }

    /// The application, its address or this host is unknown.
    var unknownAppPage: Page { .message(texts.unknownApp, in: language, status: 400) }
}
