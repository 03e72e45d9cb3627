import Contracts
import FoundationEssentials
import Testing

@testable import IdentityService

@Suite struct ConfigurationRulesTests {
    static func configuration(_ json: String) throws -> ProjectConfiguration {
        try WireJSON.decode(ProjectConfiguration.self, from: Data(json.utf8))
    }

    @Test(
        arguments: [
            (
                #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":11}}]}}"#,
                IdentityError.invalidAdjacentIntervalRange
            ),
            (
                #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":-1}}]}}"#,
                .invalidAdjacentIntervalRange
            ),
            (#"{"signIn":{"phoneNumber":{"testPhoneNumbers":{"123":"123456"}}}}"#, .invalidTestPhoneNumber),
            (#"{"signIn":{"phoneNumber":{"testPhoneNumbers":{"+12025550199":"12345"}}}}"#, .invalidTestPhoneNumber),
            (#"{"signIn":{"phoneNumber":{"testPhoneNumbers":{"+12025550199":"１２３４５６"}}}}"#, .invalidTestPhoneNumber),
        ] as [(String, IdentityError)])
    func refuses(json: String, error: IdentityError) throws {
        let configuration = try Self.configuration(json)
        #expect(throws: error) { try configuration.checked() }
    }

    @Test(arguments: [
        #"{"blockingFunctions":{"triggers":{"afterLunch":{"functionUri":"http://a.test"}}}}"#,
        #"{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"not a uri"}}}}"#,
        #"{"blockingFunctions":{"triggers":{"beforeCreate":{}}}}"#,
        #"{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"https:///path"}}}}"#,
        #"{"smsRegionConfig":{"allowByDefault":{},"allowlistOnly":{}}}"#,
        #"{"smsRegionConfig":{"allowlistOnly":{"allowedRegions":["de"]}}}"#,
        #"{"authorizedDomains":["https://app.example"]}"#,
        #"{"passwordPolicyConfig":{"passwordPolicyVersions":[{"customStrengthOptions":{"minPasswordLength":5}}]}}"#,
        #"{"passwordPolicyConfig":{"passwordPolicyVersions":[{"customStrengthOptions":{"minPasswordLength":20,"maxPasswordLength":10}}]}}"#,
    ])
    func refusesWithAReason(json: String) throws {
        let configuration = try Self.configuration(json)
        #expect(throws: IdentityError.self) { try configuration.checked() }
    }

    @Test func elevenTestNumbersAreOneTooMany() throws {
        var configuration = ProjectConfiguration.initial(isDev: true, apiKey: "k")
        let numbers = (0..<11).map { ("+1202555010\($0)", "123456") }
        configuration.signIn?.phoneNumber?.testPhoneNumbers = Dictionary(uniqueKeysWithValues: numbers.dropLast())
        _ = try configuration.checked()
        configuration.signIn?.phoneNumber?.testPhoneNumbers = Dictionary(uniqueKeysWithValues: numbers)
        #expect(throws: IdentityError.invalidTestPhoneNumber) { try configuration.checked() }
    }

    @Test func entriesWithoutTOTPAreDroppedAndTheStateIsWrittenOut() throws {
        let checked = try Self.configuration(
            #"{"mfa":{"providerConfigs":[{"state":"ENABLED"},{"state":"ENABLED","totpProviderConfig":{}}]}}"#
        ).checked()
        #expect(checked.mfa?.state == .disabled)
        #expect(checked.mfa?.providerConfigs?.count == 1)
        #expect(checked.mfa?.providerConfigs?.first?.totpProviderConfig?.adjacentIntervals == nil)
    }

    @Test(arguments: [true, false])
    func aNewProjectMeetsItsOwnRules(isDev: Bool) throws {
        let configuration = ProjectConfiguration.initial(isDev: isDev, apiKey: "k")
        #expect(try configuration.checked() == configuration)
        #expect(configuration.allowsPasswordSignIn && configuration.hidesRegisteredEmails)
        #expect(configuration.allowsAnonymousSignIn == isDev)
    }
}
