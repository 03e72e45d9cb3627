import Testing
import Vocabulary

@testable import Pages

@Suite struct PageTests {
    private func header(_ name: String, of page: Page) -> String? {
        page.allHeaders.first { $0.name == name }?.value
    }

    @Test func pageWithoutBrandingLoadsOnlyTheStylesheet() {
        let html = Page(language: .english, title: "<t>", content: "<p>c</p>").html.text
        #expect(html.contains("<h1>&lt;t&gt;</h1>") && html.contains("<title>&lt;t&gt;</title>"))
        for word in ["<script", "<header", "<footer", "<img", " style="] { #expect(!html.contains(word), "\(word)") }
        #expect(html.contains(#"<link rel="stylesheet" href="/__/auth/pages.css?v="#))
    }

    @Test func brandingIsEscapedAndShown() throws {
        let branding = PageBranding(
            name: "\"><script>", logoPath: "/__/auth/logo/1", supportAddress: EmailAddress("help@example.com"),
            termsURL: WebURL("https://example.com/terms?a=1&b=2"))
        let page = Page(language: .german, title: "t", content: "", branding: branding)
        #expect(page.html.text.contains("<bdi>&quot;&gt;&lt;script&gt;</bdi>"))
        #expect(page.html.text.contains(#"<img class="logo" src="/__/auth/logo/1" alt="""#))
        #expect(page.html.text.contains(#"href="mailto:help@example.com""#) && page.html.text.contains("Hilfe"))
        #expect(page.html.text.contains("terms?a=1&amp;b=2") && !page.html.text.contains("Datenschutz"))
        #expect(header("Content-Security-Policy", of: page)?.contains("img-src 'self';") == true)
    }

    @Test func nameWithoutLogoHasItsFirstLetter() {
        let page = Page(language: .english, title: "t", content: "", branding: PageBranding(name: "harbour"))
        #expect(page.html.text.contains(#"<span class="logo" aria-hidden="true">H</span>"#))
        #expect(page.html.text.contains("<title>t · harbour</title>"))
        #expect(header("Content-Security-Policy", of: page)?.contains("img-src") == false)
    }

    /// Security rule HT8.
    @Test func scriptsComeFromThisOriginAndBuildNoHTML() {
        var page = Page(
            language: .english, title: "t", content: "", script: PageScript(path: "/a.js", isModule: true))
        #expect(
            header("Content-Security-Policy", of: page)
                == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                + " require-trusted-types-for 'script'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")
        #expect(page.html.text.contains(#"<script src="/a.js" type="module"></script>"#))
        page.script = PageScript(path: "/a.js", isModule: false, thirdParty: .recaptcha)
        let policy = header("Content-Security-Policy", of: page)
        #expect(
            policy?.contains("style-src 'self' 'unsafe-inline'") == true && policy?.contains("img-src 'self'") == true)
        #expect(page.html.text.contains(#"<script src="/a.js" defer="defer"></script>"#))
    }

    @Test func railMarksTheOpenPage() {
        let entries = [
            PageRail.Entry(path: "/a", label: "A", icon: .person), .init(path: "/b", label: "B", icon: .key),
        ]
        let page = Page(
            language: .arabic, title: "t", content: "",
            layout: .rail(PageRail(label: "L", entries: entries, current: "/b")))
        #expect(
            page.html.text.contains(#"<a href="/b" aria-current="page">"#)
                && page.html.text.contains(#"<a href="/a"><svg"#))
    }

    @Test func fieldNamesItsErrorAndItsHint() {
        let field = PageField(id: "who", label: "<Who>", autocomplete: "username") { field in
            field.hint = "<b>h</b>"
            field.error = "<no>"
            field.value = "\"x"
        }
        let html = field.html.text
        #expect(html.contains(#"<label for="who">&lt;Who&gt;</label>"#) && html.contains(#"value="&quot;x""#))
        #expect(html.contains(#"aria-invalid="true" aria-describedby="who-error who-hint""#))
        #expect(html.contains(#"<p class="error" id="who-error">&lt;no&gt;</p>"#))
        let code = PageField.code(id: "code", label: "c").html.text
        #expect(code.contains(#"autocomplete="one-time-code""#) && code.contains(#"inputmode="numeric""#))
        #expect(!code.contains("aria-invalid") && !code.contains("aria-describedby"))
    }

    @Test func refusalTakesTheFocus() {
        let html = HTML.errorSummary("\("<a>")", field: "who").text
        #expect(html.contains(#"role="alert" tabindex="-1" autofocus="autofocus""#))
        #expect(html.contains(##"<a href="#who">&lt;a&gt;</a>"##))
    }

    @Test(arguments: PageIcon.allCases) func iconsStandBesideWords(icon: PageIcon) {
        #expect(icon.html.text.contains(#"aria-hidden="true""#) && icon.html.text.utf8.count < 1200)
    }
}
