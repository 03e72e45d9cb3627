import Contracts
import Testing
import Vocabulary

@testable import IdentityService

/// Every name that somebody gives and a page shows to another one has one rule (`isShownAsItIs`).
@Suite struct ShownNameTests {
    enum Subject: CaseIterable {
        case application, passkey, secondFactor, ownApplicationName, sender, relyingParty

        /// - Throws: the error of the subject.
        func check(_ name: String) throws(ServiceError) {
            switch self {
            case .application:
                try Identity.ApplicationRegistration(
                    displayName: name, kind: .web, redirectURLs: ["https://app.example.com/"]
                ).check(isDev: false)
            case .passkey: _ = try AccountPasskey.checkedName(name)
            case .secondFactor: _ = try SecondFactorList.checkedName(name)
            case .ownApplicationName:
                var branding = ProjectConfiguration.Branding()
                branding.applicationName = name
                _ = try branding.checked(after: nil)
            case .sender:
                var branding = ProjectConfiguration.Branding()
                branding.senderName = name
                _ = try branding.checked(after: nil)
            case .relyingParty:
                var passkeys = ProjectConfiguration.Passkeys()
                passkeys.relyingPartyName = name
                _ = try passkeys.checked(isDev: false)
            }
        }

        var refusal: WireError.Code {
            switch self {
            case .application: .invalidApplication
            case .passkey, .secondFactor: .invalidDisplayName
            case .ownApplicationName, .sender, .relyingParty: .invalidConfiguration
            }
        }
    }

    @Test(
        arguments: Subject.allCases,
        [
            "Sh\u{202e}op", "\u{2066}Shop", "Shop\u{200f}", "\u{61c}Shop", "Sh\u{200b}op", "Sh\u{2060}op",
            "\u{feff}Shop",
            "Sh\u{ad}op", "Sh\u{200c}op", "Sh\u{200d}op", "Sh\u{2028}op", "Sh\u{2029}op", "Sh\nop", "Sh\u{85}op",
            "Sh\u{0}op", "Sh\u{e0041}op", "Sh\u{3164}op",
        ]) func nameThatTurnsOrHidesTextIsRefused(subject: Subject, name: String)
    {
        do throws(ServiceError) {
            try subject.check(name)
            Issue.record("\(subject) accepts \(name.unicodeScalars.map { String($0.value, radix: 16) })")
        } catch {
            #expect(error.code == subject.refusal)
        }
    }

    @Test(
        arguments: Subject.allCases,
        ["Shop", "Zoë & Söhne", "東京", "שלום", "می\u{200c}خواهم", "क्\u{200d}ष", "👩\u{200d}💻", "❤\u{fe0f}"])
    func nameOfVisibleCharactersIsAccepted(subject: Subject, name: String) throws {
        try subject.check(name)
    }
}
