import Contracts
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct ActionLinkTests {
    static let text = ActionCode.Text(bytes: [UInt8](repeating: 0xfb, count: 32))

    static func link(
        _ settings: ValidatedActionSettings = .none, tenant: TenantID? = nil,
        page: String = "https://auth.example.com/__/auth/action"
    ) throws -> ActionLink {
        ActionLink(
            page: try #require(WebURL(page)), purpose: .verifyEmail, apiKey: "the-key", language: "de-CH",
            tenant: tenant, settings: settings)
    }

    @Test func linkContainsModeCodeKeyAndLanguage() throws {
        #expect(
            try Self.link().text(with: Self.text)
                == "https://auth.example.com/__/auth/action?mode=verifyEmail&oobCode=\(Self.text.text)&apiKey=the-key&lang=de-CH"
        )
    }

    @Test func continueURLIsOneEscapedParameter() throws {
        let settings = ValidatedActionSettings(
            continueURL: WebURL("https://app.example.com/x?a=1&oobCode=forged#f"), linkDomain: nil,
            appItems: [("ibi", "org.example.app"), ("apn", "a&b=c")])
        let text = try Self.link(settings, tenant: TenantID("t1")).text(with: Self.text)
        #expect(
            text.hasSuffix(
                "&continueUrl=https%3A%2F%2Fapp.example.com%2Fx%3Fa%3D1%26oobCode%3Dforged%23f&tenantId=t1"
                    + "&ibi=org.example.app&apn=a%26b%3Dc"))
        #expect(ActionLink.code(in: text) == Self.text.text)
    }

    @Test func linkDomainWrapsLink() throws {
        let settings = ValidatedActionSettings(continueURL: nil, linkDomain: "app.example.com", appItems: [])
        let text = try Self.link(settings).text(with: Self.text)
        #expect(text.hasPrefix("https://app.example.com/__/auth/links?link=https%3A%2F%2Fauth.example.com%2F"))
        #expect(ActionLink.code(in: text) == Self.text.text)
    }

    @Test func pageQueryIsKept() throws {
        let text = try Self.link(page: "https://app.example.com/act?theme=dark").text(with: Self.text)
        #expect(text.hasPrefix("https://app.example.com/act?theme=dark&mode=verifyEmail&"))
    }

    // MARK: The project's rules

    static func configuration(_ change: (inout ProjectConfiguration) -> Void = { _ in }) -> ProjectConfiguration {
        var configuration = ProjectConfiguration()
        configuration.authorizedDomains = ["localhost", "App.example.com"]
        change(&configuration)
        return configuration
    }

    @Test(arguments: [
        (Identity.ActionSettings(continueURL: "no-scheme"), ServiceError(.invalidContinueURL)),
        (.init(continueURL: "http://app.example.com/"), ServiceError(.invalidContinueURL)),
        (.init(continueURL: "https://evil.example.net/"), ServiceError(.unauthorizedDomain)),
        (.init(continueURL: "https://app.example.com.evil.example/"), ServiceError(.unauthorizedDomain)),
        (.init(continueURL: "https://x.app.example.com/"), ServiceError(.unauthorizedDomain)),
        (.init(isHandledInApp: true), ServiceError(.missingContinueURL)),
        (
            .init(continueURL: "https://app.example.com/", linkDomain: "evil.example"),
            ServiceError(.invalidHostingLinkDomain)
        ),
        (
            .init(continueURL: "https://app.example.com/", linkDomain: "app.example.com/x"),
            ServiceError(.invalidHostingLinkDomain)
        ),
        (.init(dynamicLinkDomain: "evil.example"), ServiceError(.invalidDynamicLinkDomain)),
        (.init(dynamicLinkDomain: "app.example.com"), ServiceError(.dynamicLinkNotActivated)),
        (.init(iOSAppStoreID: "1"), ServiceError(.missingIOSBundleID)),
        (.init(androidInstallsApp: true), ServiceError(.missingAndroidPackageName)),
        (.init(androidMinimumVersion: "12"), ServiceError(.missingAndroidPackageName)),
    ])
    func invalidSettingsAreRefused(settings: Identity.ActionSettings, error: ServiceError) {
        #expect(throws: error) { try settings.checked(by: Self.configuration(), isDev: false) }
    }

    /// As for the pages and for providers: dev mode authorizes this machine by any name, and nothing else.
    @Test(arguments: [
        ("http://127.0.0.1:9099/__/auth/login", true), ("http://[::1]:9099/", true), ("http://localhost/", true),
        ("http://127.0.0.1.evil.example/", false), ("http://localhost@evil.example/", false),
        ("https://evil.example/?127.0.0.1", false),
    ])
    func devModeAuthorizesThisMachine(url: String, isThisMachine: Bool) throws {
        let settings = Identity.ActionSettings(continueURL: url)
        let dev = try? settings.checked(by: Self.configuration(), isDev: true)
        #expect((dev?.continueURL != nil) == isThisMachine)
        let production = try? settings.checked(by: Self.configuration(), isDev: false)
        #expect((production?.continueURL != nil) == url.hasPrefix("http://localhost/"))
    }

    @Test func validSettingsAreAccepted() throws {
        let settings = Identity.ActionSettings(
            continueURL: "https://APP.example.com/next", isHandledInApp: true, linkDomain: "app.example.com",
            iOSBundleID: "org.example", iOSAppStoreID: "17", androidPackageName: "org.example",
            androidMinimumVersion: "12", androidInstallsApp: true)
        let checked = try settings.checked(by: Self.configuration(), isDev: false)
        #expect(checked.linkDomain == "app.example.com" && checked.continueURL?.text == settings.continueURL)
        #expect(checked.appItems.map(\.name) == ["ibi", "isi", "apn", "amv", "afl"])
        #expect(try Identity.ActionSettings().checked(by: Self.configuration(), isDev: false) == .none)
    }

    @Test func linkDomainRequiresHandlingInApp() throws {
        let settings = Identity.ActionSettings(linkDomain: "app.example.com")
        #expect(try settings.checked(by: Self.configuration(), isDev: false).linkDomain == nil)
        let dynamic = Identity.ActionSettings(
            continueURL: "http://localhost/", isHandledInApp: true, dynamicLinkDomain: "app.example.com")
        let configuration = Self.configuration {
            $0.mobileLinksConfig = .init()
            $0.mobileLinksConfig?.domain = .firebaseDynamicLink
        }
        #expect(try dynamic.checked(by: configuration, isDev: false).linkDomain == "app.example.com")
    }

    @Test func devModeAllowsContinueURLWithoutTLS() throws {
        let settings = Identity.ActionSettings(continueURL: "http://app.example.com/")
        #expect(try settings.checked(by: Self.configuration(), isDev: true).continueURL != nil)
    }

    @Test func projectPageTakesPrecedenceOverInstallationPage() throws {
        let installed = try #require(WebURL("https://auth.example.com/__/auth/action"))
        var configuration = Self.configuration()
        #expect(configuration.actionPage(installed: installed) == installed)
        configuration.notification = .init()
        configuration.notification?.sendEmail = .init()
        configuration.notification?.sendEmail?.callbackUri = "https://shop.example/act"
        #expect(configuration.actionPage(installed: installed).text == "https://shop.example/act")
        configuration.notification?.sendEmail?.callbackUri = "nonsense"
        #expect(configuration.actionPage(installed: installed) == installed)
    }
}
