import Contracts
import Testing
import Vocabulary

@testable import IdentityService

/// Every name that somebody gives and a page shows to another one has one rule (`isShownAsItIs`).
@Suite struct ShownNameTests {
    enum Subject: CaseIterable {
        case application, passkey, ownApplicationName, sender, relyingParty

        /// - Parameter stored: the name that it replaces, for all but passkeys: only a new name is given for those.
        /// - Throws: the error of the subject.
        func check(_ name: String, after stored: String? = nil) throws(ServiceError) {
            switch self {
            case .application:
                let former = stored.map { Self.registration($0) }
                try Self.registration(name).check(after: former, isDev: false)
            case .passkey: _ = try AccountPasskey.checkedName(name)
            case .ownApplicationName:
                var branding = ProjectConfiguration.Branding()
                var former = branding
                branding.applicationName = name
                former.applicationName = stored
                _ = try branding.checked(after: former)
            case .sender:
                var branding = ProjectConfiguration.Branding()
                var former = branding
                branding.senderName = name
                former.senderName = stored
                _ = try branding.checked(after: former)
            case .relyingParty:
                var passkeys = ProjectConfiguration.Passkeys()
                var former = passkeys
                passkeys.relyingPartyName = name
                former.relyingPartyName = stored
                _ = try passkeys.checked(after: former, isDev: false)
            }
        }

        private static func registration(_ name: String) -> Identity.ApplicationRegistration {
            .init(displayName: name, kind: .web, redirectURLs: ["https://app.example.com/"])
        }

        var refusal: WireError.Code {
            switch self {
            case .application: .invalidApplication
            case .passkey: .invalidDisplayName
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

    /// Version 0.1.0 accepted such names. They refuse no change of something else, which comes with the name as it was read.
    @Test(
        arguments: [Subject.application, .ownApplicationName, .sender, .relyingParty],
        ["Sh\u{202e}op", "Sh\u{200b}op"])
    func storedNameStays(subject: Subject, name: String) throws {
        try subject.check(name, after: name)
        #expect(throws: ServiceError.self) { try subject.check(name, after: "Shop") }
    }

    @Test(
        arguments: Subject.allCases,
        ["Shop", "Zoë & Söhne", "東京", "שלום", "می\u{200c}خواهم", "क्\u{200d}ष", "👩\u{200d}💻", "❤\u{fe0f}"])
    func nameOfVisibleCharactersIsAccepted(subject: Subject, name: String) throws {
        try subject.check(name)
    }

    /// A client library sends what the device calls a number. Firebase accepts it.
    @Test(arguments: ["\u{202a}+1 555 0100\u{202c}", "\u{200f}הטלפון שלי", "my\nphone"])
    func nameOfAFactorIsKeptAsClientsSendIt(name: String) throws {
        #expect(try SecondFactorList.checkedName(name) == name)
        #expect(throws: ServiceError(.invalidDisplayName)) { try SecondFactorList.checkedName(name + "\u{0}") }
    }
}
