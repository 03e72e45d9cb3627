import Contracts
import FoundationEssentials
import JSON
import Testing

@testable import IdentityService

@Suite struct ConfigurationRulesTests {
    static let now = "2026-01-31T12:00:00.000Z"

    static func configuration(_ json: String) throws -> ProjectConfiguration {
        try WireJSON.decode(ProjectConfiguration.self, from: Data(json.utf8))
    }

    @Test(arguments: [
        #"{}"#, #"{"bundleId":""}"#, #"{"bundleId":"org.example/app"}"#,
        #"{"bundleId":"a.b","appId":"1:204801:web:77aa"}"#, #"{"bundleId":"a.b","appId":"1:204801:ios:"}"#,
        #"{"bundleId":"a.b","clientId":"javascript"}"#, #"{"bundleId":"a.b","clientId":"x.1"}"#,
        #"{"bundleId":"a.b","clientId":"a.b:c"}"#, #"{"bundleId":"a.b"},{"bundleId":"a.b"}"#,
        (0..<51).map { #"{"bundleId":"a.b\#($0)"}"# }.joined(separator: ","),
    ])
    func invalidApplicationIsRefused(json: String) throws {
        let configuration = try Self.configuration(#"{"mobileApps":[\#(json)]}"#)
        #expect(throws: ServiceError.self) { try configuration.checked(after: .init(), at: Self.now, isDev: false) }
    }

    @Test func validApplicationsAreAccepted() throws {
        let apps =
            (0..<49).map { #"{"bundleId":"a.b\#($0)"}"# } + [
                #"{"platform":"IOS","bundleId":"a.b","appId":"1:204801:ios:77aA","clientId":"55-x.apps.example"}"#
            ]
        let configuration = try Self.configuration(#"{"mobileApps":[\#(apps.joined(separator: ","))]}"#)
        #expect(
            try configuration.checked(after: .init(), at: Self.now, isDev: false).mobileApps == configuration.mobileApps
        )
    }

    @Test(
        arguments: [
            (
                #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":11}}]}}"#,
                ServiceError(.invalidAdjacentIntervalRange)
            ),
            (
                #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":-1}}]}}"#,
                ServiceError(.invalidAdjacentIntervalRange)
            ),
            (
                #"{"signIn":{"phoneNumber":{"testPhoneNumbers":{"123":"123456"}}}}"#,
                ServiceError(.invalidTestPhoneNumber)
            ),
            (
                #"{"signIn":{"phoneNumber":{"testPhoneNumbers":{"+12025550199":"12345"}}}}"#,
                ServiceError(.invalidTestPhoneNumber)
            ),
            (
                #"{"signIn":{"phoneNumber":{"testPhoneNumbers":{"+12025550199":"１２３４５６"}}}}"#,
                ServiceError(.invalidTestPhoneNumber)
            ),
        ] as [(String, ServiceError)])
    func invalidConfigurationIsRefusedWithItsError(json: String, error: ServiceError) throws {
        let configuration = try Self.configuration(json)
        #expect(throws: error) { try configuration.checked(after: .init(), at: Self.now, isDev: false) }
    }

    @Test(arguments: [
        #"{"blockingFunctions":{"triggers":{"afterLunch":{"functionUri":"http://a.test"}}}}"#,
        #"{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"not a uri"}}}}"#,
        #"{"blockingFunctions":{"triggers":{"beforeCreate":{}}}}"#,
        #"{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"https:///path"}}}}"#,
        #"{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"http://a.test/"}}}}"#,
        #"{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"https://a.test/#f"}}}}"#,
        #"{"smsRegionConfig":{"allowByDefault":{},"allowlistOnly":{}}}"#,
        #"{"accountDeletion":{"graceDays":-1}}"#, #"{"accountDeletion":{"graceDays":91}}"#,
        #"{"mfa":{"rememberedDeviceDays":-1}}"#, #"{"mfa":{"rememberedDeviceDays":91}}"#,
        #"{"smsRegionConfig":{"allowlistOnly":{"allowedRegions":["de"]}}}"#,
        #"{"authorizedDomains":["https://app.example"]}"#,
        #"{"authorizedDomains":["app.example:8080"]}"#, #"{"authorizedDomains":[""]}"#,
        #"{"authorizedDomains":["*.example"]}"#, #"{"authorizedDomains":["a..example"]}"#,
        #"{"authorizedDomains":["-a.example"]}"#,
        #"{"passwordPolicyConfig":{"passwordPolicyVersions":[{"customStrengthOptions":{"minPasswordLength":31}}]}}"#,
        #"{"passwordPolicyConfig":{"passwordPolicyVersions":[{"customStrengthOptions":{"maxPasswordLength":4097}}]}}"#,
        #"{"passwordPolicyConfig":{"passwordPolicyVersions":[{},{}]}}"#,
        #"{"recaptchaConfig":{"managedRules":[{"endScore":1.1,"action":"BLOCK"}]}}"#,
        #"{"recaptchaConfig":{"recaptchaKeys":[{"type":"WEB"}]}}"#,
        #"{"notification":{"sendEmail":{"verifyEmailTemplate":{"subject":"%PASSWORD%"}}}}"#,
        #"{"notification":{"sendEmail":{"resetPasswordTemplate":{"body":"Hello"}}}}"#,
        #"{"notification":{"sendEmail":{"resetPasswordTemplate":{"subject":"a\nBcc: b@example.com"}}}}"#,
        #"{"notification":{"sendEmail":{"resetPasswordTemplate":{"translations":{"de":{"body":"Hallo"}}}}}}"#,
        #"{"notification":{"sendEmail":{"resetPasswordTemplate":{"translations":{"xx":{"subject":"Hi"}}}}}}"#,
        #"{"notification":{"sendEmail":{"changeEmailTemplate":{"replyTo":"nobody"}}}}"#,
        #"{"notification":{"sendEmail":{"callbackUri":"javascript:alert(1)"}}}"#,
        #"{"notification":{"sendEmail":{"smtp":{"port":0}}}}"#,
        #"{"notification":{"sendEmail":{"smtp":{"senderEmail":"x"}}}}"#,
        #"{"notification":{"defaultLocale":"not a language"}}"#,
        #"{"notification":{"sendSms":{"smsTemplate":{"content":"Your code"}}}}"#,
        #"{"notification":{"sendSms":{"smsTemplate":{"content":"%LOGIN_CODE% https://a.example"}}}}"#,
        #"{"quota":{"signUpQuotaConfig":{"quota":"5"}}}"#,
        #"{"quota":{"signUpQuotaConfig":{"quota":"0","startTime":"2026-01-31T12:00:00Z","quotaDuration":"3600s"}}}"#,
        #"{"quota":{"signUpQuotaConfig":{"quota":"5","startTime":"tomorrow","quotaDuration":"3600s"}}}"#,
        #"{"quota":{"signUpQuotaConfig":{"quota":"5","startTime":"2026-01-31T12:00:00Z","quotaDuration":"604801s"}}}"#,
        #"{"passwordPolicyConfig":{"passwordPolicyVersions":[{"customStrengthOptions":{"minPasswordLength":5}}]}}"#,
        #"{"passwordPolicyConfig":{"passwordPolicyVersions":[{"customStrengthOptions":{"minPasswordLength":20,"maxPasswordLength":10}}]}}"#,
    ])
    func invalidConfigurationIsRefusedWithReason(json: String) throws {
        let configuration = try Self.configuration(json)
        #expect(throws: ServiceError.self) { try configuration.checked(after: .init(), at: Self.now, isDev: false) }
    }

    @Test func testNumbersAreLimitedToTen() throws {
        var configuration = ProjectConfiguration.initial(isDev: true, apiKey: "k")
        let numbers = (0..<11).map { ("+1202555010\($0)", "123456") }
        configuration.signIn?.phoneNumber?.testPhoneNumbers = Dictionary(uniqueKeysWithValues: numbers.dropLast())
        _ = try configuration.checked(after: .init(), at: Self.now, isDev: false)
        configuration.signIn?.phoneNumber?.testPhoneNumbers = Dictionary(uniqueKeysWithValues: numbers)
        #expect(throws: ServiceError(.invalidTestPhoneNumber)) {
            try configuration.checked(after: .init(), at: Self.now, isDev: false)
        }
    }

    @Test func entriesWithoutTOTPAreDroppedAndStateIsExplicit() throws {
        let checked = try Self.configuration(
            #"{"mfa":{"providerConfigs":[{"state":"ENABLED"},{"state":"ENABLED","totpProviderConfig":{}}]}}"#
        ).checked(after: .init(), at: Self.now, isDev: false)
        #expect(checked.mfa?.state == .disabled)
        #expect(checked.mfa?.providerConfigs?.count == 1)
        #expect(checked.mfa?.providerConfigs?.first?.totpProviderConfig?.adjacentIntervals == nil)
    }

    @Test(arguments: [true, false])
    func initialConfigurationIsValid(isDev: Bool) throws {
        let configuration = ProjectConfiguration.initial(isDev: isDev, apiKey: "k")
        #expect(try configuration.checked(after: .init(), at: Self.now, isDev: false) == configuration)
        #expect(configuration.allowsPasswordSignIn && configuration.preventsEmailEnumeration)
        #expect(configuration.allowsAnonymousSignIn == isDev)
    }

    /// The pages of Latchkey itself, and links to them, work without a change of the configuration.
    @Test(
        arguments: [
            ("auth.example.com", ["localhost", "auth.example.com"]), ("localhost", ["localhost"]),
            ("127.0.0.1", ["localhost"]), ("[::1]", ["localhost"]), (nil, ["localhost"]),
        ] as [(String?, [String])])
    func newProjectAuthorizesTheHostOfThePublicURL(host: String?, domains: [String]) throws {
        let configuration = ProjectConfiguration.initial(isDev: false, apiKey: "k", publicHost: host)
        #expect(configuration.authorizedDomains == domains)
        #expect(try configuration.checked(after: .init(), at: Self.now, isDev: false) == configuration)
    }

    @Test(arguments: [
        #"{"authorizedDomains":["localhost","app.example.com","127.0.0.1","münchen.example"]}"#,
        #"{"notification":{"defaultLocale":"pt-BR","sendEmail":{"callbackUri":"https://app.example/act"}}}"#,
        #"{"notification":{"sendEmail":{"verifyEmailTemplate":{"subject":"%APP_NAME%","body":"Go: %LINK%"}}}}"#,
        #"{"quota":{"signUpQuotaConfig":{"quota":"5","startTime":"2026-01-31T12:00:00.5Z","quotaDuration":"604800s"}}}"#,
        #"{"recaptchaConfig":{"managedRules":[{"endScore":0.3,"action":"BLOCK"}],"recaptchaKeys":[{"key":"k"}]}}"#,
        #"{"passwordPolicyConfig":{"passwordPolicyVersions":[{"customStrengthOptions":{"minPasswordLength":30,"maxPasswordLength":4096}}]}}"#,
    ])
    func validConfigurationIsAccepted(json: String) throws {
        _ = try Self.configuration(json).checked(after: .init(), at: Self.now, isDev: false)
    }

    @Test func blockingFunctionWithoutTLSIsAcceptedInDevMode() throws {
        let json = #"{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"http://127.0.0.1:8080/"}}}}"#
        _ = try Self.configuration(json).checked(after: .init(), at: Self.now, isDev: true)
    }

    /// The server sets the times, and only changed content gets a new one.
    @Test func updateTimeChangesOnlyWithItsContent() throws {
        let first = try Self.configuration(
            """
            {"passwordPolicyConfig":{"passwordPolicyEnforcementState":"ENFORCE"},
             "blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"https://a.example/f"}}}}
            """
        ).checked(after: .init(), at: "then", isDev: false)
        #expect(first.passwordPolicyConfig?.lastUpdateTime == "then")
        #expect(first.blockingFunctions?.triggers?["beforeCreate"]?.updateTime == "then")
        let same = try first.checked(after: first, at: "now", isDev: false)
        #expect(same == first)
        var changed = first
        changed.passwordPolicyConfig?.forceUpgradeOnSignin = true
        let trigger = first.blockingFunctions?.triggers?["beforeCreate"]
        changed.blockingFunctions?.triggers?["beforeSignIn"] = trigger
        changed = try changed.checked(after: first, at: "now", isDev: false)
        #expect(changed.passwordPolicyConfig?.lastUpdateTime == "now")
        #expect(changed.blockingFunctions?.triggers?["beforeCreate"]?.updateTime == "then")
        #expect(changed.blockingFunctions?.triggers?["beforeSignIn"]?.updateTime == "now")
    }
}
